#include "client/request.h"

#include "base/search.h"
#include "support/memory.h"

void header_list_add(struct header_list *list, struct header entry, struct arena *arena)
{
    *array_add(list->entries, list->count, arena) = entry;
}

struct str header_value(const struct header_list *list, const char *name)
{
    return FIRST(i, list->count, str_equal_ignoring_case(list->entries[i].name, str_of(name)), list->entries[i].value,
                 (struct str){0});
}

struct header header_of_line(const char *line)
{
    struct str rest = str_of(line), name = str_take(&rest, ':');
    return (struct header){name, str_trimmed(rest)};
}

bool headers_have(const struct header_list *list, const char *name)
{
    return ANY(i, list->count, str_equal_ignoring_case(list->entries[i].name, str_of(name)));
}

static struct str without_scheme(struct str address)
{
    const char *scheme_end = address.size ? memmem(address.data, address.size, "://", 3) : NULL;
    return scheme_end ? str_from(address, (size_t)(scheme_end - address.data) + 3) : address;
}

struct str address_prefix(struct str address)
{
    struct str rest = without_scheme(address);
    return str_from(rest, str_before(rest, '/').size);
}

struct str address_authority(struct str address)
{
    struct str rest = without_scheme(address);
    return (struct str){rest.data, rest.size - address_prefix(address).size};
}

bool address_is_secure(const struct client_options *options, struct str address)
{
    if (without_scheme(address).size < address.size)
        return str_starts(address, STR("https://")) || str_starts(address, STR("grpcs://"));
    return options->ca || options->cert || options->insecure;
}

struct str address_url(const struct client_options *options, struct str address, struct arena *arena)
{
    return arena_printf(arena, "%s://%.*s", address_is_secure(options, address) ? "https" : "http",
                        STR_ARG(address_authority(address)));
}
