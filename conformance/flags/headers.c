#include "flags/headers.h"

#include "base/search.h"
#include "client/client.h"
#include "support/expression.h"
#include "support/files.h"
#include "support/secrets.h"

#include <ctype.h>
#include <openssl/evp.h>
#include <stdlib.h>

#define HEADER_FLAG "--header"

/* Whether it is a token, as RFC 9110 has the names of headers. */
static bool is_name(struct str name)
{
    return expression_meets(STR("^[a-zA-Z0-9!#$%&'*+.^_`|~-]+$"), name);
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
        return status_invalid(arena, "--header%s needs 'NAME: VALUE', and the name is one word", place);
    struct str value = arena_copy(arena, header.value);
    const char *variable = value.size ? variable_of(value) : NULL, *set = variable ? getenv(variable + 1) : NULL;
    if (variable && (!set || strpbrk(set, "\r\n")))
        return status_invalid(arena, "--header%s: the variable %s %s", place, variable,
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
        return status_invalid(arena, "--header @FILE: %.*s", STR_ARG(status.message));
    if (str_has(text, '\0'))
        return status_invalid(arena, "--header @%s: it is no text", path);
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

/* --- What of a header is a secret --- */

/* Whether the header proves who asks, as far as its name says so. */
static bool is_proof(struct str name)
{
    return expression_meets(STR("(?i)auth|cookie|cred|key|pass|secret|session|sign|token"), name);
}

/* Whether the header is about the message or its way. */
static bool is_open(struct str name)
{
    return expression_meets(STR("(?i)^(accept|content-|forwarded|host|user-agent|x-forwarded-)"), name);
}

/* Whether the text is as long and as mixed as a key is. */
static bool looks_like_key(struct str text)
{
    return text.size >= SECRET_LONG && expression_meets(STR("[a-zA-Z]"), text) && expression_meets(STR("[0-9]"), text);
}

static void add_word(struct secrets *secrets, struct str word, bool proof)
{
    if (proof ? word.size >= SECRET_LONG : looks_like_key(word))
        secrets_add(secrets, word);
}

/* Adds the words of a value, and of NAME=VALUE and NAME:VALUE the second part, too. */
static void add_words(struct secrets *secrets, struct str value, bool proof)
{
    while (value.size) {
        size_t size = 0, mark = 0;
        for (; size < value.size && !strchr(" \t,;\"'", value.data[size]); size++)
            mark = !mark && strchr("=:", value.data[size]) ? size : mark;
        struct str word = {value.data, size};
        add_word(secrets, word, proof);
        if (mark)
            add_word(secrets, str_from(word, mark + 1), proof);
        value = str_from(value, size < value.size ? size + 1 : size);
    }
}

/* Adds what `Basic` stands before: NAME:PASSWORD in base64. */
static void add_basic(struct secrets *secrets, struct str base64, struct arena *arena)
{
    size_t size = base64.size, whole = (size + 3) / 4 * 4;
    unsigned char *text = arena_alloc(arena, whole + 1), *digits = arena_alloc(arena, whole + 1);
    memset(digits, '=', whole);
    memcpy(digits, base64.data, size);
    while (size > 0 && base64.data[size - 1] == '=')
        size--;
    if (EVP_DecodeBlock(text, digits, (int)whole) < 0)
        return;
    struct str both = {(const char *)text, size * 6 / 8};
    if (!str_has(both, ':'))
        return;
    secrets_add(secrets, both);
    secrets_add(secrets, str_from(both, str_before(both, ':').size + 1));
}

/* Adds what follows the scheme of an Authorization. */
static void add_credentials(struct secrets *secrets, struct str value, struct arena *arena)
{
    struct str rest = str_from(value, str_before(value, ' ').size);
    while (rest.size && rest.data[0] == ' ')
        rest = str_from(rest, 1);
    secrets_add(secrets, rest);
    if (expression_meets(STR("(?i)^basic "), value))
        add_basic(secrets, rest, arena);
    add_words(secrets, rest, true);
}

void header_secrets_add(struct secrets *secrets, struct header header, struct arena *arena)
{
    bool proof = is_proof(header.name);
    if (!proof && is_open(header.name))
        return;
    if (proof || looks_like_key(header.value))
        secrets_add(secrets, header.value);
    if (expression_meets(STR("(?i)authorization$"), header.name))
        add_credentials(secrets, header.value, arena);
    else
        add_words(secrets, header.value, proof);
}

const struct secrets *header_secrets_of(const struct values *headers, struct arena *arena)
{
    struct secrets *secrets = headers->count ? secrets_new(arena) : NULL;
    for (size_t i = 0; i < headers->count; i++)
        header_secrets_add(secrets, header_of_line(headers->items[i]), arena);
    return secrets;
}

/* --- What is shown of a command line --- */

/* Returns what --header was given with the value hidden. */
static struct str shown_header(const char *line, struct arena *arena)
{
    return arena_printf(arena, "%.*s: " SECRET_HIDDEN, STR_ARG(header_of_line(line).name));
}

struct str shown_address(const char *address, struct arena *arena)
{
    const char *scheme_end = strstr(address, "://"), *host = scheme_end ? scheme_end + 3 : address;
    const char *query = strpbrk(host, "?#");
    if (strchr(host, '@')) /* it may be in a password, so nothing after it is sure to be none */
        return arena_printf(arena, "%.*s" SECRET_HIDDEN, (int)(host - address), address);
    if (query)
        return arena_printf(arena, "%.*s" SECRET_HIDDEN, (int)(query + 1 - address), address);
    return str_of(address);
}

/* Adds the flag for each header that was given; if they cannot be read, as it stands. */
static void add_headers(const char *given, bool joined, struct values *words, struct arena *arena)
{
    struct values headers = {0};
    bool is_read = is_ok(headers_add(given, &headers, arena)) && headers.count;
    for (size_t i = 0; i < (is_read ? headers.count : 1); i++) {
        struct str shown =
            !is_read && *given == '@' ? str_of(given) : shown_header(is_read ? headers.items[i] : given, arena);
        if (!joined)
            values_add(words, HEADER_FLAG, arena);
        values_add(words, joined ? arena_printf(arena, HEADER_FLAG "=%.*s", STR_ARG(shown)).data : shown.data, arena);
    }
}

void shown_words(int count, char **given, struct values *words, struct arena *arena)
{
    const struct str joined = STR(HEADER_FLAG "=");
    for (int i = 0; i < count; i++) {
        if (str_starts(str_of(given[i]), joined))
            add_headers(given[i] + joined.size, true, words, arena);
        else if (strcmp(given[i], HEADER_FLAG) == 0 && i + 1 < count)
            add_headers(given[++i], false, words, arena);
        else
            values_add(words, shown_operand(given[i], arena).data, arena);
    }
}

struct str shown_operand(const char *word, struct arena *arena)
{
    return strstr(word, "://") ? shown_address(word, arena) : str_of(word);
}
