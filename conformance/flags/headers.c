#include "flags/headers.h"

#include "base/search.h"
#include "client/client.h"
#include "support/files.h"

#include <ctype.h>
#include <stdlib.h>

/* Whether it is a token, as RFC 9110 has the names of headers. */
static bool is_name(struct str name)
{
    return name.size > 0 &&
           ALL(i, name.size,
               isalnum((unsigned char)name.data[i]) || (name.data[i] && strchr("!#$%&'*+-.^_`|~", name.data[i])));
}

/* Returns the variable that the last word of a value stands for, from its `$` on; NULL: it stands for itself. The value
 * ends with a NUL. */
static const char *variable_of(struct str value)
{
    const char *blank = memrchr(value.data, ' ', value.size), *word = blank ? blank + 1 : value.data;
    size_t size = 1;
    while (isalnum((unsigned char)word[size]) || word[size] == '_')
        size++;
    return *word == '$' && size > 1 && !word[size] && !isdigit((unsigned char)word[1]) ? word : NULL;
}

/* Appends one header. `line` ends with a NUL; `place` says where it stands. */
static struct status add_line(const char *line, const char *place, struct values *headers, struct arena *arena)
{
    struct header header = header_of_line(line);
    if (!strchr(line, ':') || !is_name(header.name) || strpbrk(line, "\r\n"))
        return status_error(arena, STATUS_INVALID_ARGUMENT, "--header%s needs 'NAME: VALUE', and the name is one word",
                            place);
    struct str value = arena_copy(arena, header.value);
    const char *variable = value.size ? variable_of(value) : NULL, *set = variable ? getenv(variable + 1) : NULL;
    if (variable && (!set || strpbrk(set, "\r\n")))
        return status_error(arena, STATUS_INVALID_ARGUMENT, "--header%s: the variable %s %s", place, variable,
                            set ? "has more than one line" : "is not set");
    if (variable)
        line = arena_printf(arena, "%.*s: %.*s%s", STR_ARG(header.name), (int)(variable - value.data), value.data, set)
                   .data;
    values_add(headers, line, arena);
    return STATUS_IS_OK;
}

static struct status add_file(const char *path, struct values *headers, struct arena *arena)
{
    struct str text;
    struct status status = disk_read(path, FILE_SIZE_MAX, arena, &text);
    if (!is_ok(status))
        return status_error(arena, STATUS_INVALID_ARGUMENT, "--header @FILE: %.*s", STR_ARG(status.message));
    if (str_has(text, '\0'))
        return status_error(arena, STATUS_INVALID_ARGUMENT, "--header @%s: it is no text", path);
    for (size_t number = 1; text.size && is_ok(status); number++) {
        struct str line = str_take(&text, '\n');
        line.size -= str_ends(line, STR("\r"));
        line = arena_copy(arena, line);
        if (line.size)
            status = add_line(line.data, arena_printf(arena, " @%s, line %zu:", path, number).data, headers, arena);
    }
    return status;
}

struct status headers_add(const char *given, struct values *headers, struct arena *arena)
{
    return *given == '@' ? add_file(given + 1, headers, arena) : add_line(given, "", headers, arena);
}
