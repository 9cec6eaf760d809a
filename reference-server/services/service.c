#include "services/service.h"

#include "base/search.h"

/* Takes the next name of a list with commas. Returns false at the end. */
static bool next_name(struct str *list, struct str *name)
{
    if (!list->data)
        return false;
    const char *comma = list->size ? memchr(list->data, ',', list->size) : NULL;
    *name = (struct str){list->data, comma ? (size_t)(comma - list->data) : list->size};
    *list = comma ? str_from(*list, name->size + 1) : (struct str){0};
    return true;
}

bool service_is_wanted(const struct options *options, const char *name)
{
    struct str list = str_of(options->protocols), wanted;
    while (next_name(&list, &wanted))
        if (str_is(wanted, name))
            return true;
    return !options->protocols;
}

static bool lives_at(const struct service *service, const struct endpoint *endpoint)
{
    if (endpoint->is_grpc)
        return service->grpc;
    return service->http && strcmp(service->http->listener, endpoint->name) == 0;
}

static bool is_used(const struct options *options, const struct endpoint *endpoint)
{
    return ANY(i, service_count, lives_at(&services[i], endpoint) && service_is_wanted(options, services[i].name));
}

struct status services_choose(struct options *options, struct arena *arena)
{
    struct str list = str_of(options->protocols), name;
    bool is_any_left = false;
    while (next_name(&list, &name))
        if (!ANY(i, service_count, str_is(name, services[i].name)))
            return status_invalid(arena, "--protocols: there is no protocol '%s'; --help names them",
                                  str_printable(arena, name));
    for (size_t i = 0; i < ENDPOINT_COUNT; i++) {
        struct endpoint *endpoint = &options->endpoints[i];
        if (!is_used(options, endpoint))
            endpoint->address = NULL;
        is_any_left |= endpoint->address != NULL;
    }
    if (is_any_left)
        return STATUS_IS_OK;
    return status_invalid(arena, "--protocols %s: no address is given at which they are served", options->protocols);
}
