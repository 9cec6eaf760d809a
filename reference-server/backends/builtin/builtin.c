#include "backends/builtin/builtin.h"

#include "base/search.h"
#include "models/config.h"

static const struct builtin *const kinds[] = {
    &builtin_failing,  &builtin_gate,         &builtin_parameters, &builtin_never_loads,
    &builtin_sequence, &builtin_add_sub_text, &builtin_repeat,     &builtin_tokens,
};

#define KIND_COUNT COUNT_OF(kinds)

/* "a", "b" or "c" */
static const char *names_of_kinds(struct arena *arena)
{
    struct str text = {0};
    for (size_t i = 0; i < KIND_COUNT; i++)
        text = arena_printf(arena, "%s%s\"%s\"", text.data ? text.data : "",
                            i == 0               ? ""
                            : i + 1 < KIND_COUNT ? ", "
                                                 : " or ",
                            kinds[i]->kind);
    return text.data ? text.data : "(no memory to list them)";
}

static struct status choose_kind(struct model *model, const struct builtin **chosen)
{
    const struct parameter *named = parameters_find(&model->settings, "kind");
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (named && str_is(named->string, kinds[i]->kind)) {
            *chosen = kinds[i];
            return STATUS_IS_OK;
        }
    return status_invalid(&model->arena, "config.pbtxt: backend \"%s\" needs the parameter \"kind\": %s, not \"%s\"",
                          backend_builtin.name, names_of_kinds(&model->arena),
                          named ? str_printable(&model->arena, named->string) : "");
}

static struct status read_specs(struct model *model, const struct config_tensor *tensors, size_t count,
                                struct tensor_spec **specs)
{
    struct arena *arena = &model->arena;
    size_t batch = model->config->max_batch_size > 0;
    *specs = arena_alloc_zero(arena, count, sizeof(**specs));
    NEED(*specs);
    for (size_t i = 0; i < count; i++) {
        struct tensor_spec *spec = &(*specs)[i];
        int64_t *shape = arena_alloc_zero(arena, tensors[i].rank + batch, sizeof(*shape));
        NEED(shape);
        if (tensors[i].datatype == DATATYPE_NONE || tensors[i].name.size == 0)
            return status_invalid(arena, "config.pbtxt: tensor '%s' needs a name and a data_type",
                                  str_printable(arena, tensors[i].name));
        if (batch)
            shape[0] = -1;
        for (size_t j = 0; j < tensors[i].rank; j++)
            shape[batch + j] = tensors[i].dims[j] < 0 ? -1 : tensors[i].dims[j];
        *spec = (struct tensor_spec){
            .name = tensors[i].name, .datatype = tensors[i].datatype, .shape = shape, .rank = tensors[i].rank + batch};
    }
    return STATUS_IS_OK;
}

static struct status load(struct model *model)
{
    const struct model_config *config = model->config;
    const struct builtin *kind = NULL;
    TRY(choose_kind(model, &kind));
    TRY(read_specs(model, config->inputs, config->input_count, &model->inputs));
    TRY(read_specs(model, config->outputs, config->output_count, &model->outputs));
    model->input_count = config->input_count;
    model->output_count = config->output_count;
    model->platform = STR("oip_builtin");
    model->backend = &kind->backend;
    if (kind->check)
        TRY(kind->check(model));
    return kind->backend.load ? kind->backend.load(model) : STATUS_IS_OK;
}

const struct backend backend_builtin = {
    .name = BUILTIN_NAME,
    .without_files = true,
    .load = load,
    .cancel = builtin_cancel_loads,
};
