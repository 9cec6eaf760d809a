#include "inference/duties.h"

#include "base/search.h"
#include "models/config.h"
#include "models/repository.h"

#define NAMES_SHOWN ((size_t)12)

/* --- What the checks share --- */

/* Returns a text like "'INPUT0', 'INPUT1'", for a message. */
static const char *names_of(struct arena *arena, const struct tensor_spec *specs, size_t count)
{
    if (count == 0)
        return "none";
    struct str text = {0};
    for (size_t i = 0; i < count && i < NAMES_SHOWN; i++)
        text = arena_printf(arena, "%s%s'%s'", i ? text.data : "", i ? ", " : "", str_printable(arena, specs[i].name));
    if (count > NAMES_SHOWN)
        text = arena_printf(arena, "%s and %zu more", text.data, count - NAMES_SHOWN);
    return text.data ? text.data : "(no memory to list them)";
}

#define SHOWN(request, s)      str_printable((request)->arena, (s))
#define SHAPE(request, shaped) shape_text((request)->arena, (shaped)->shape, (shaped)->rank)

/* --- The model --- */

/* The repository says which of the two is unknown. model-known version-known */
static struct status model_and_version_are_known(struct infer_request *request, const char *)
{
    return repository_find(request->repository, request->model_name, request->model_version, request->arena,
                           &request->hold);
}

static struct status model_is_ready(struct infer_request *request, const char *)
{
    return model_readiness(request->hold.model, request->arena);
}

/* --- Which inputs --- */

static struct status inputs_are_given(struct infer_request *request, const char *slug)
{
    const struct model *model = request->hold.model;
    if (request->input_count > 0 || model->input_count == 0)
        return STATUS_IS_OK;
    return status_breaks(request->arena, slug, "the request has no inputs; model '%s' needs %zu: %s",
                         SHOWN(request, model->name), model->input_count,
                         names_of(request->arena, model->inputs, model->input_count));
}

/* Returns how many of the names in a request must be compared to find one that is there twice. If there are more than
 * the model has, one of the first (those of the model + 1) is there twice or is unknown, and the next duty finds
 * unknown ones. So a million inputs cost no more than a few. */
static size_t names_to_compare(size_t given, size_t of_model)
{
    return given <= of_model ? given : of_model + 1;
}

static struct status inputs_are_given_once(struct infer_request *request, const char *slug)
{
    const struct infer_input *inputs = request->inputs;
    size_t count = names_to_compare(request->input_count, request->hold.model->input_count);
    for (size_t i = 1; i < count; i++)
        if (ANY(k, i, str_equal(inputs[k].tensor.name, inputs[i].tensor.name)))
            return status_breaks(request->arena, slug, "input '%s' is given twice",
                                 SHOWN(request, inputs[i].tensor.name));
    return STATUS_IS_OK;
}

static struct status inputs_are_known(struct infer_request *request, const char *slug)
{
    const struct model *model = request->hold.model;
    for (size_t i = 0; i < request->input_count; i++) {
        struct infer_input *input = &request->inputs[i];
        input->spec = tensor_spec_named(model->inputs, model->input_count, input->tensor.name);
        if (!input->spec)
            return status_breaks(request->arena, slug, "model '%s' has no input '%s'; it has %s",
                                 SHOWN(request, model->name), SHOWN(request, input->tensor.name),
                                 names_of(request->arena, model->inputs, model->input_count));
    }
    return STATUS_IS_OK;
}

static struct status inputs_are_complete(struct infer_request *request, const char *slug)
{
    const struct model *model = request->hold.model;
    for (size_t i = 0; i < model->input_count; i++)
        if (!ANY(k, request->input_count, str_equal(request->inputs[k].tensor.name, model->inputs[i].name)))
            return status_breaks(request->arena, slug, "input '%s' of model '%s' is missing; it has %s",
                                 SHOWN(request, model->inputs[i].name), SHOWN(request, model->name),
                                 names_of(request->arena, model->inputs, model->input_count));
    return STATUS_IS_OK;
}

/* --- An input itself; from here on each has its spec --- */

static struct status datatype_matches(const struct infer_request *request, const struct infer_input *input,
                                      const char *slug)
{
    if (input->tensor.datatype == input->spec->datatype)
        return STATUS_IS_OK;
    return status_breaks(request->arena, slug, "input '%s' of model '%s' is %s, not %s",
                         SHOWN(request, input->tensor.name), SHOWN(request, request->hold.model->name),
                         datatype_name(input->spec->datatype), datatype_name(input->tensor.datatype));
}

static struct status shape_is_not_negative(const struct infer_request *request, const struct infer_input *input,
                                           const char *slug)
{
    const struct tensor *tensor = &input->tensor;
    for (size_t i = 0; i < tensor->rank; i++)
        if (tensor->shape[i] < 0)
            return status_breaks(request->arena, slug,
                                 "input '%s' has shape %s: dimension %zu is %lld, which is negative",
                                 SHOWN(request, tensor->name), SHAPE(request, tensor), i, (long long)tensor->shape[i]);
    return STATUS_IS_OK;
}

static struct status shape_matches(const struct infer_request *request, const struct infer_input *input,
                                   const char *slug)
{
    const struct tensor *tensor = &input->tensor;
    const struct tensor_spec *spec = input->spec;
    if (tensor->rank == spec->rank && ALL(i, spec->rank, spec->shape[i] < 0 || tensor->shape[i] == spec->shape[i]))
        return STATUS_IS_OK;
    return status_breaks(request->arena, slug, "input '%s' of model '%s' has shape %s, which does not fit %s",
                         SHOWN(request, tensor->name), SHOWN(request, request->hold.model->name),
                         SHAPE(request, tensor), SHAPE(request, spec));
}

static struct status data_fits_shape(const struct infer_request *request, const struct infer_input *input,
                                     const char *slug)
{
    const struct tensor *tensor = &input->tensor;
    size_t count;
    if (!shape_count(tensor->shape, tensor->rank, &count))
        return status_breaks(request->arena, slug,
                             "input '%s' has %zu elements, but its shape %s holds more than memory can",
                             SHOWN(request, tensor->name), tensor->count, SHAPE(request, tensor));
    if (tensor->count == count)
        return STATUS_IS_OK;
    return status_breaks(request->arena, slug, "input '%s' has %zu element%s, but its shape %s holds %zu",
                         SHOWN(request, tensor->name), tensor->count, tensor->count == 1 ? "" : "s",
                         SHAPE(request, tensor), count);
}

/* The first dimension of each input is the batch, if the model takes batches. */
static struct status batch_fits(const struct infer_request *request, const struct infer_input *input, const char *slug)
{
    const struct model *model = request->hold.model;
    const struct tensor *tensor = &input->tensor, *first = &request->inputs[0].tensor;
    int32_t most = model->config->max_batch_size;
    if (most > 0 && tensor->shape[0] > most)
        return status_breaks(request->arena, slug, "input '%s' has a batch of %lld, but model '%s' takes %d at most",
                             SHOWN(request, tensor->name), (long long)tensor->shape[0], SHOWN(request, model->name),
                             most);
    if (most > 0 && tensor->shape[0] != first->shape[0])
        return status_breaks(request->arena, slug, "input '%s' has a batch of %lld, but input '%s' has one of %lld",
                             SHOWN(request, tensor->name), (long long)tensor->shape[0], SHOWN(request, first->name),
                             (long long)first->shape[0]);
    return STATUS_IS_OK;
}

/* --- Which outputs --- */

static struct status outputs_are_asked_once(struct infer_request *request, const char *slug)
{
    const struct infer_requested_output *requested = request->requested;
    size_t count = names_to_compare(request->requested_count, request->hold.model->output_count);
    for (size_t i = 1; i < count; i++)
        if (ANY(k, i, str_equal(requested[k].name, requested[i].name)))
            return status_breaks(request->arena, slug, "output '%s' is asked for twice",
                                 SHOWN(request, requested[i].name));
    return STATUS_IS_OK;
}

static struct status outputs_are_known(struct infer_request *request, const char *slug)
{
    const struct model *model = request->hold.model;
    for (size_t i = 0; i < request->requested_count; i++) {
        struct infer_requested_output *requested = &request->requested[i];
        requested->spec = tensor_spec_named(model->outputs, model->output_count, requested->name);
        if (!requested->spec)
            return status_breaks(request->arena, slug, "model '%s' has no output '%s'; it has %s",
                                 SHOWN(request, model->name), SHOWN(request, requested->name),
                                 names_of(request->arena, model->outputs, model->output_count));
    }
    return STATUS_IS_OK;
}

/* --- The table --- */

static const struct duty {
    const char *slug;
    struct status (*check)(struct infer_request *request, const char *slug);
    struct status (*check_input)(const struct infer_request *request, const struct infer_input *input,
                                 const char *slug); /* instead of `check`: called for each input */
} duties[] = {
    {"model-known", model_and_version_are_known, NULL}, /* or version-known */
    {"model-ready", model_is_ready, NULL},
    {"inputs-required", inputs_are_given, NULL},
    {"input-once", inputs_are_given_once, NULL},
    {"all-inputs", inputs_are_complete, NULL},
    {"input-known", inputs_are_known, NULL},
    {"shape-not-negative", NULL, shape_is_not_negative},
    {"datatype-matches", NULL, datatype_matches},
    {"data-count", NULL, data_fits_shape},
    {"shape-matches", NULL, shape_matches},
    {"batch-fits", NULL, batch_fits},
    {"output-once", outputs_are_asked_once, NULL},
    {"output-known", outputs_are_known, NULL},
};

struct status duties_check(struct infer_request *request)
{
    for (const struct duty *duty = duties; duty < duties + COUNT_OF(duties); duty++) {
        if (duty->check)
            TRY(duty->check(request, duty->slug));
        for (size_t i = 0; duty->check_input && i < request->input_count; i++)
            TRY(duty->check_input(request, &request->inputs[i], duty->slug));
    }
    return STATUS_IS_OK;
}
