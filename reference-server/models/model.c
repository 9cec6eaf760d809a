#include "models/model.h"

#include "models/backend.h"
#include "models/config.h"

struct status model_readiness(const struct model *model, struct arena *arena)
{
    enum model_state state = atomic_load(&model->state);
    if (state == MODEL_READY)
        return STATUS_IS_OK;
    struct str why = state == MODEL_LOADING     ? STR("it is still loading")
                     : state == MODEL_UNLOADING ? STR("it is being unloaded")
                                                : model->reason;
    return status_broken(arena, STATUS_FAILED_PRECONDITION, "model-ready", "model '%s' is not ready: %.*s",
                         str_printable(arena, model->name), STR_ARG(why));
}

/* --- The configuration that is shown --- */

/* Lists tensors without the dimension of the batch, which a model that takes batches has in front. */
static const struct config_tensor *list_tensors(const struct tensor_spec *specs, size_t count, bool is_batched,
                                                struct arena *arena)
{
    struct config_tensor *tensors = arena_alloc_zero(arena, count, sizeof(*tensors));
    for (size_t i = 0; tensors && i < count; i++) {
        bool cut = is_batched && specs[i].rank > 0;
        tensors[i].name = specs[i].name;
        tensors[i].datatype = specs[i].datatype;
        tensors[i].dims = specs[i].shape + cut;
        tensors[i].rank = specs[i].rank - cut;
    }
    return tensors;
}

struct status model_show_config(const struct model *model, struct arena *arena, struct model_config *config)
{
    const char *platform = model->backend->platform;
    bool is_batched = model->config->max_batch_size > 0;
    *config = *model->config;
    config->name = model->name;
    config->backend = str_of(model->backend->name);
    if (platform)
        config->platform = str_of(platform);
    config->inputs = list_tensors(model->inputs, model->input_count, is_batched, arena);
    config->input_count = model->input_count;
    config->outputs = list_tensors(model->outputs, model->output_count, is_batched, arena);
    config->output_count = model->output_count;
    return config->inputs && config->outputs ? STATUS_IS_OK : status_no_memory();
}
