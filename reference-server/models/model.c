#include "models/model.h"

struct status model_check_ready(const struct model *model, struct arena *arena)
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
