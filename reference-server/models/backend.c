#include "models/backend.h"

#include "models/config.h"

static const struct backend *find(const struct backend *const *backends, const struct model_config *config)
{
    for (const struct backend *const *row = backends; *row; row++)
        if (str_is(config->backend, (*row)->name))
            return *row;
    for (const struct backend *const *row = backends; *row; row++)
        if ((*row)->platform && str_is(config->platform, (*row)->platform))
            return *row;
    return config->backend.size == 0 && config->platform.size == 0 ? backends[0] : NULL;
}

/* "a", "b" and "c" */
static const char *names_of(const struct backend *const *backends, struct arena *arena)
{
    struct str text = {0};
    for (const struct backend *const *row = backends; *row; row++)
        text = arena_printf(arena, "%s%s\"%s\"", text.data ? text.data : "",
                            row == backends ? ""
                            : row[1]        ? ", "
                                            : " and ",
                            (*row)->name);
    return text.data ? text.data : "(no memory to list them)";
}

struct status backend_choose(const struct backend *const *backends, const struct model_config *config,
                             struct arena *arena, const struct backend **chosen)
{
    const struct backend *found = find(backends, config);
    if (!found)
        return status_error(arena, STATUS_UNIMPLEMENTED, "this server has no backend '%s' (platform '%s'); it has %s",
                            str_printable(arena, config->backend), str_printable(arena, config->platform),
                            names_of(backends, arena));
    *chosen = found;
    return STATUS_IS_OK;
}
