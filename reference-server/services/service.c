#include "services/service.h"

#include "base/search.h"

bool service_is_wanted(const struct options *options, const char *name)
{
    struct str list = str_of(options->protocols);
    while (list.size > 0)
        if (str_is(str_take(&list, ','), name))
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
    struct str list = str_of(options->protocols);
    bool is_any_left = false;
    for (bool goes_on = options->protocols; goes_on;) {
        goes_on = str_has(list, ',');
        struct str name = str_take(&list, ',');
        if (!ANY(i, service_count, str_is(name, services[i].name)))
            return status_invalid(arena, "--protocols: there is no protocol '%s'; --help names them",
                                  str_printable(arena, name));
    }
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
