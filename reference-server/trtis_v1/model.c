#include "trtis_v1/model.h"

#include "base/search.h"
#include "models/backend.h"
#include "models/config.h"

/* --- Tensors --- */

static struct v1_tensor tensor_of(const struct model *model, const struct tensor_spec *spec,
                                  const struct config_tensor *list, size_t count)
{
    const struct config_tensor *config = FIND(list, i, count, str_equal(list[i].name, spec->name));
    bool has_batch = model->config->max_batch_size > 0 && spec->rank > 0;
    struct v1_tensor tensor = {.spec = spec, .dims = spec->shape + has_batch, .rank = spec->rank - has_batch};
    if (config && (config->rank > 0 || config->is_reshaped)) {
        tensor.dims = config->dims;
        tensor.rank = config->rank;
        tensor.is_reshaped = config->is_reshaped;
        tensor.shape = config->shape;
        tensor.shape_rank = config->shape_rank;
    }
    return tensor;
}

struct v1_tensor v1_input(const struct model *model, const struct tensor_spec *spec)
{
    return tensor_of(model, spec, model->config->inputs, model->config->input_count);
}

struct v1_tensor v1_output(const struct model *model, const struct tensor_spec *spec)
{
    return tensor_of(model, spec, model->config->outputs, model->config->output_count);
}

#define ALL_HAVE_TYPES(tensors, count) ALL(i, count, (tensors)[i].datatype != DATATYPE_BF16)

bool v1_has_types(const struct model *model)
{
    const struct model_config *config = model->config;
    return ALL_HAVE_TYPES(config->inputs, config->input_count) &&
           ALL_HAVE_TYPES(config->outputs, config->output_count) &&
           (atomic_load(&model->state) != MODEL_READY ||
            (ALL_HAVE_TYPES(model->inputs, model->input_count) && ALL_HAVE_TYPES(model->outputs, model->output_count)));
}

int64_t v1_version_number(struct str version)
{
    unsigned long long number = 0;
    return str_to_uint64(version, &number) && number <= INT64_MAX ? (int64_t)number : 0;
}

/* --- The configuration --- */

/* Every group has a name, a number of instances and a kind. This server has processors only. */
static bool complete_groups(V1__ModelConfig *config, struct arena *arena)
{
    bool has_none = config->n_instance_group == 0;
    if (has_none) {
        config->instance_group = structs_list(arena, &v1__model_instance_group__descriptor, 1);
        config->n_instance_group = 1;
    }
    if (!config->instance_group)
        return false;
    for (size_t i = 0; i < config->n_instance_group; i++) {
        V1__ModelInstanceGroup *group = config->instance_group[i];
        struct str name = structs_str(config->name);
        if (!has_none)
            name = arena_printf(arena, "%.*s_%zu", STR_ARG(name), i);
        if (group->name.len == 0)
            group->name = structs_bytes(name);
        if (group->count < 1)
            group->count = 1;
        if (group->kind != V1__MODEL_INSTANCE_GROUP__KIND__KIND_GPU)
            group->kind = V1__MODEL_INSTANCE_GROUP__KIND__KIND_CPU;
    }
    return true;
}

/* A model that is not ready has no tensors but those of its file. */
static struct status shown(const struct model *model, struct arena *arena, struct str *message)
{
    struct model_config config = *model->config;
    struct status status = STATUS_IS_OK;
    const char *platform = model->backend->platform;
    if (atomic_load(&model->state) == MODEL_READY)
        status = model_show_config(model, arena, &config);
    config.name = model->name;
    config.platform = model->config->platform;
    if (config.platform.size == 0)
        config.platform = str_of(platform ? platform : "custom");
    return is_ok(status) ? config_show(&config, arena, message) : status;
}

/* The numbers of the fields are those of Triton's ModelConfig, which has more of them. */
struct status v1_config(const struct model *model, struct arena *arena, V1__ModelConfig **config)
{
    struct str message;
    ProtobufCMessage *read = NULL;
    TRY(shown(model, arena, &message));
    TRY(structs_read(&v1__model_config__descriptor, message, arena, &read));
    structs_forget_unknown(read);
    *config = (V1__ModelConfig *)read;
    if ((*config)->default_model_filename.len == 0 && str_is(structs_str((*config)->platform), "onnxruntime_onnx"))
        (*config)->default_model_filename = structs_bytes(STR("model.onnx"));
    if ((*config)->scheduling_choice_case == V1__MODEL_CONFIG__SCHEDULING_CHOICE_SEQUENCE_BATCHING &&
        (*config)->sequence_batching->max_sequence_idle_microseconds == 0)
        (*config)->sequence_batching->max_sequence_idle_microseconds = model->config->sequence_idle_us;
    return complete_groups(*config, arena) ? STATUS_IS_OK : status_no_memory();
}
