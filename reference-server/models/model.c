#include "models/model.h"

const struct tensor_spec *tensor_spec_named(const struct tensor_spec *specs, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(specs[i].name, name))
            return &specs[i];
    return NULL;
}

struct status model_readiness(const struct model *model, struct arena *arena)
{
    enum model_state state = atomic_load(&model->state);
    if (state == MODEL_READY)
        return STATUS_IS_OK;
    const char *why = state == MODEL_LOADING     ? "it is still loading"
                      : state == MODEL_UNLOADING ? "it is being unloaded"
                                                 : str_printable(arena, model->reason);
    return status_broken(arena, STATUS_FAILED_PRECONDITION, "model-ready", "model '%s' is not ready: %s",
                         str_printable(arena, model->name), why);
}
