#include "flags/shown.h"

#include "client/client.h"
#include "support/secrets.h"

/* Returns what --header was given: 'NAME: VALUE' with the value hidden, or @FILE. */
static struct str shown_header(const char *line, struct arena *arena)
{
    if (*line == '@')
        return str_of(line); /* the name of a file */
    return arena_printf(arena, "%.*s: " SECRET_HIDDEN, STR_ARG(header_of_line(line).name));
}

struct str shown_address(const char *address, struct arena *arena)
{
    const char *scheme_end = strstr(address, "://"), *host = scheme_end ? scheme_end + 3 : address;
    const char *query = strpbrk(host, "?#");
    if (strchr(host, '@')) /* it may be in a password, so nothing behind it is sure to be none */
        return arena_printf(arena, "%.*s" SECRET_HIDDEN, (int)(host - address), address);
    if (query)
        return arena_printf(arena, "%.*s" SECRET_HIDDEN, (int)(query + 1 - address), address);
    return str_of(address);
}

struct str shown_word(const char *before, const char *word, struct arena *arena)
{
    const struct str flag = STR("--header=");
    if (str_starts(str_of(word), flag))
        return arena_printf(arena, "%s%.*s", flag.data, STR_ARG(shown_header(word + flag.size, arena)));
    if (strcmp(before, "--header") == 0)
        return shown_header(word, arena);
    return strstr(word, "://") ? shown_address(word, arena) : str_of(word);
}
