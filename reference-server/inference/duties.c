#include "inference/duties.h"

#include "base/count.h"
#include "models/config.h"
#include "models/repository.h"
#include "tensor/cast.h"
#include "tensor/raw.h"

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

#define SHOWN(request, s) str_printable((request)->arena, (s))

/* --- The model --- */

static struct status model_is_known(struct infer_request *request, const struct duty *duty)
{
    struct status status = repository_find(request->repository, request->model_name, request->model_version,
                                           request->arena, &request->hold);
    bool is_mine = is_ok(status) || !status.broken || strcmp(status.broken, duty->slug) == 0;
    return is_mine ? status : STATUS_IS_OK;
}

static struct status version_is_known(struct infer_request *request, const struct duty *duty)
{
    (void)duty;
    if (request->hold.model)
        return STATUS_IS_OK;
    return repository_find(request->repository, request->model_name, request->model_version, request->arena,
                           &request->hold);
}

static struct status model_is_ready(struct infer_request *request, const struct duty *duty)
{
    (void)duty;
    return model_readiness(request->hold.model, request->arena);
}

/* Rates how well a model fits the inputs of the request, by their number, names, datatypes and ranks; 0 if it is not
 * ready. */
static size_t fitness(const struct infer_request *request, const struct model *model)
{
    size_t score = 1 + (model->input_count == request->input_count);
    if (atomic_load(&model->state) != MODEL_READY)
        return 0;
    for (size_t i = 0; i < model->input_count; i++)
        for (size_t j = 0; j < request->input_count && j <= model->input_count; j++)
            if (str_equal(model->inputs[i].name, request->inputs[j].tensor.name))
                score += 1 + (model->inputs[i].datatype == request->inputs[j].tensor.datatype) +
                         (model->inputs[i].rank == request->inputs[j].tensor.rank);
    return score;
}

/* Takes the ready model that fits best. */
static void take_another_model(struct infer_request *request)
{
    struct model_hold best = {0}, hold;
    struct model_row *rows = NULL;
    size_t best_score = 0, count = 0;
    request->status = repository_list(request->repository, request->arena, &rows, &count);
    for (size_t i = 0; i < count; i++) {
        if (!is_ok(repository_find(request->repository, rows[i].name, rows[i].version, request->arena, &hold)))
            continue;
        size_t score = fitness(request, hold.model);
        if (score > best_score) {
            model_release(&best);
            best = hold;
            best_score = score;
        } else {
            model_release(&hold);
        }
    }
    model_release(&request->hold);
    request->hold = best;
    if (!best.model)
        request->status = status_error(request->arena, STATUS_FAILED_PRECONDITION, "no model is ready");
}

static void take_any_model(struct infer_request *request)
{
    struct status status = repository_find(request->repository, request->model_name, request->model_version,
                                           request->arena, &request->hold);
    if (!is_ok(status) && !(status.broken && strcmp(status.broken, "version-known") == 0))
        take_another_model(request);
}

static void take_any_version(struct infer_request *request)
{
    if (!request->hold.model)
        request->status =
            repository_find(request->repository, request->model_name, STR(""), request->arena, &request->hold);
}

/* --- Which inputs --- */

static struct status inputs_are_given(struct infer_request *request, const struct duty *duty)
{
    const struct model *model = request->hold.model;
    if (request->input_count > 0 || model->input_count == 0)
        return STATUS_IS_OK;
    return status_broken(request->arena, STATUS_INVALID_ARGUMENT, duty->slug,
                         "the request has no inputs; model '%s' needs %zu: %s", SHOWN(request, model->name),
                         model->input_count, names_of(request->arena, model->inputs, model->input_count));
}

/* Returns how many inputs must be compared to find one that is given twice. If there are more inputs than the model
 * has, one of the first (model inputs + 1) is given twice or is unknown, and the next duty finds unknown ones. So a
 * million inputs cost no more than a few. */
static size_t inputs_to_compare(const struct infer_request *request)
{
    size_t most = request->hold.model->input_count + 1;
    return request->input_count < most ? request->input_count : most;
}

static bool is_given_before(const struct infer_request *request, size_t position)
{
    for (size_t i = 0; i < position; i++)
        if (str_equal(request->inputs[i].tensor.name, request->inputs[position].tensor.name))
            return true;
    return false;
}

static struct status inputs_are_given_once(struct infer_request *request, const struct duty *duty)
{
    size_t count = inputs_to_compare(request);
    for (size_t i = 1; i < count; i++)
        if (is_given_before(request, i))
            return status_broken(request->arena, STATUS_INVALID_ARGUMENT, duty->slug, "input '%s' is given twice",
                                 SHOWN(request, request->inputs[i].tensor.name));
    return STATUS_IS_OK;
}

static void keep_the_first_of_each(struct infer_request *request)
{
    size_t kept = 0, count = inputs_to_compare(request);
    for (size_t i = 0; i < request->input_count; i++)
        if (i >= count || !is_given_before(request, i))
            request->inputs[kept++] = request->inputs[i];
    request->input_count = kept;
}

static bool find_input(const struct model *model, struct infer_input *input)
{
    input->spec = tensor_spec_named(model->inputs, model->input_count, input->tensor.name);
    return input->spec;
}

static struct status inputs_are_known(struct infer_request *request, const struct duty *duty)
{
    const struct model *model = request->hold.model;
    for (size_t i = 0; i < request->input_count; i++)
        if (!find_input(model, &request->inputs[i]))
            return status_broken(request->arena, STATUS_INVALID_ARGUMENT, duty->slug,
                                 "model '%s' has no input '%s'; it has %s", SHOWN(request, model->name),
                                 SHOWN(request, request->inputs[i].tensor.name),
                                 names_of(request->arena, model->inputs, model->input_count));
    return STATUS_IS_OK;
}

static void leave_unknown_inputs_out(struct infer_request *request)
{
    size_t kept = 0;
    for (size_t i = 0; i < request->input_count; i++)
        if (find_input(request->hold.model, &request->inputs[i]))
            request->inputs[kept++] = request->inputs[i];
    request->input_count = kept;
}

static bool is_given(const struct infer_request *request, struct str name)
{
    for (size_t i = 0; i < request->input_count; i++)
        if (str_equal(request->inputs[i].tensor.name, name))
            return true;
    return false;
}

static struct status inputs_are_complete(struct infer_request *request, const struct duty *duty)
{
    const struct model *model = request->hold.model;
    for (size_t i = 0; i < model->input_count; i++)
        if (!is_given(request, model->inputs[i].name))
            return status_broken(request->arena, STATUS_INVALID_ARGUMENT, duty->slug,
                                 "input '%s' of model '%s' is missing; it has %s",
                                 SHOWN(request, model->inputs[i].name), SHOWN(request, model->name),
                                 names_of(request->arena, model->inputs, model->input_count));
    return STATUS_IS_OK;
}

/* Cuts the data to `count` elements, or fills it up with zeros (BYTES: with empty strings). */
static bool fit_data(struct tensor *tensor, size_t count, struct arena *arena)
{
    size_t element = tensor->datatype == DATATYPE_BYTES ? 4 : datatype_size(tensor->datatype);
    size_t kept = tensor->count < count ? tensor->count : count, size = kept * element, whole;
    if (tensor->datatype == DATATYPE_BYTES) {
        struct str unused;
        size = 0;
        for (size_t i = 0; i < kept; i++)
            raw_next_bytes(tensor, &size, &unused);
    }
    if (kept < count) {
        if (__builtin_mul_overflow(count - kept, element, &whole) || __builtin_add_overflow(whole, size, &whole))
            return false;
        char *data = arena_alloc(arena, whole);
        if (!data)
            return false;
        if (size)
            memcpy(data, tensor->data, size);
        memset(data + size, 0, whole - size);
        tensor->data = data;
        size = whole;
    }
    tensor->count = count;
    tensor->size = size;
    return true;
}

/* Makes an input of zeros in the shape that the model declares. An open dimension becomes that of the request's first
 * input if the ranks agree, otherwise 1. */
static bool add_zeros(struct infer_request *request, struct infer_input *input, const struct tensor_spec *spec)
{
    const struct tensor *first = request->input_count ? &request->inputs[0].tensor : NULL;
    int64_t *shape = arena_alloc_zero(request->arena, spec->rank, sizeof(*shape));
    size_t count;
    if (!shape)
        return false;
    for (size_t i = 0; i < spec->rank; i++)
        shape[i] = spec->shape[i] >= 0                                          ? spec->shape[i]
                   : first && first->rank == spec->rank && first->shape[i] >= 0 ? first->shape[i]
                                                                                : 1;
    *input = (struct infer_input){
        .tensor = {.name = spec->name, .datatype = spec->datatype, .shape = shape, .rank = spec->rank}};
    return shape_count(shape, spec->rank, &count) && fit_data(&input->tensor, count, request->arena);
}

static void add_missing_inputs(struct infer_request *request)
{
    const struct model *model = request->hold.model;
    struct infer_input *inputs =
        arena_alloc_zero(request->arena, request->input_count + model->input_count, sizeof(*inputs));
    size_t count = request->input_count;
    if (!inputs) {
        request->status = status_no_memory();
        return;
    }
    if (count)
        memcpy(inputs, request->inputs, count * sizeof(*inputs));
    for (size_t i = 0; i < model->input_count; i++)
        if (!is_given(request, model->inputs[i].name) && !add_zeros(request, &inputs[count++], &model->inputs[i])) {
            request->status = status_no_memory();
            return;
        }
    request->inputs = inputs;
    request->input_count = count;
}

static void add_inputs_if_none(struct infer_request *request)
{
    if (request->input_count == 0)
        add_missing_inputs(request);
}

/* --- The inputs themselves; from here on each has its spec --- */

static struct status datatypes_match(struct infer_request *request, const struct duty *duty)
{
    for (size_t i = 0; i < request->input_count; i++) {
        const struct tensor *tensor = &request->inputs[i].tensor;
        const struct tensor_spec *spec = request->inputs[i].spec;
        if (tensor->datatype != spec->datatype)
            return status_broken(request->arena, STATUS_INVALID_ARGUMENT, duty->slug,
                                 "input '%s' of model '%s' is %s, not %s", SHOWN(request, tensor->name),
                                 SHOWN(request, request->hold.model->name), datatype_name(spec->datatype),
                                 datatype_name(tensor->datatype));
    }
    return STATUS_IS_OK;
}

static void cast_to_the_models(struct infer_request *request)
{
    for (size_t i = 0; i < request->input_count; i++) {
        struct tensor *tensor = &request->inputs[i].tensor;
        enum datatype wanted = request->inputs[i].spec->datatype;
        bool is_text = tensor->datatype == DATATYPE_BYTES || wanted == DATATYPE_BYTES;
        size_t count = tensor->count;
        if (tensor->datatype == wanted)
            continue;
        if (is_text) { /* text cannot be cast: it becomes zeros, and numbers become empty strings */
            tensor->datatype = wanted;
            tensor->count = 0;
        }
        if (is_text ? !fit_data(tensor, count, request->arena) : !tensor_cast(tensor, wanted, request->arena, tensor)) {
            request->status = status_no_memory();
            return;
        }
    }
}

static struct status shapes_are_not_negative(struct infer_request *request, const struct duty *duty)
{
    for (size_t i = 0; i < request->input_count; i++) {
        const struct tensor *tensor = &request->inputs[i].tensor;
        for (size_t j = 0; j < tensor->rank; j++)
            if (tensor->shape[j] < 0)
                return status_broken(
                    request->arena, STATUS_INVALID_ARGUMENT, duty->slug,
                    "input '%s' has shape %s: dimension %zu is %lld, which is negative", SHOWN(request, tensor->name),
                    shape_text(request->arena, tensor->shape, tensor->rank), j, (long long)tensor->shape[j]);
    }
    return STATUS_IS_OK;
}

static void drop_signs(struct infer_request *request)
{
    for (size_t i = 0; i < request->input_count; i++) {
        struct tensor *tensor = &request->inputs[i].tensor;
        int64_t *shape = arena_alloc_zero(request->arena, tensor->rank, sizeof(*shape));
        if (!shape) {
            request->status = status_no_memory();
            return;
        }
        for (size_t j = 0; j < tensor->rank; j++)
            shape[j] = tensor->shape[j] == INT64_MIN ? 0 : tensor->shape[j] < 0 ? -tensor->shape[j] : tensor->shape[j];
        tensor->shape = shape;
    }
}

static bool shape_fits(const struct tensor *tensor, const struct tensor_spec *spec)
{
    if (tensor->rank != spec->rank)
        return false;
    for (size_t i = 0; i < spec->rank; i++)
        if (spec->shape[i] >= 0 && tensor->shape[i] != spec->shape[i])
            return false;
    return true;
}

static struct status shapes_match(struct infer_request *request, const struct duty *duty)
{
    for (size_t i = 0; i < request->input_count; i++) {
        const struct tensor *tensor = &request->inputs[i].tensor;
        const struct tensor_spec *spec = request->inputs[i].spec;
        if (!shape_fits(tensor, spec))
            return status_broken(request->arena, STATUS_INVALID_ARGUMENT, duty->slug,
                                 "input '%s' of model '%s' has shape %s, which does not fit %s",
                                 SHOWN(request, tensor->name), SHOWN(request, request->hold.model->name),
                                 shape_text(request->arena, tensor->shape, tensor->rank),
                                 shape_text(request->arena, spec->shape, spec->rank));
    }
    return STATUS_IS_OK;
}

/* Gives the tensor the model's shape. Its first open dimension becomes as large as the data needs, the others 1. The
 * data is cut or filled up to that shape. */
static bool take_the_models_shape(struct tensor *tensor, const struct tensor_spec *spec, struct arena *arena)
{
    int64_t *shape = arena_alloc_zero(arena, spec->rank, sizeof(*shape));
    size_t fixed = 1, count, open = spec->rank;
    if (!shape)
        return false;
    for (size_t i = spec->rank; i-- > 0;) {
        shape[i] = spec->shape[i] >= 0 ? spec->shape[i] : 1;
        if (spec->shape[i] < 0)
            open = i;
    }
    if (!shape_count(shape, spec->rank, &fixed))
        return false;
    if (open < spec->rank && fixed > 0)
        shape[open] = (int64_t)(tensor->count / fixed + (tensor->count % fixed > 0));
    tensor->shape = shape;
    tensor->rank = spec->rank;
    return shape_count(shape, spec->rank, &count) && fit_data(tensor, count, arena);
}

static void take_the_models_shapes(struct infer_request *request)
{
    for (size_t i = 0; i < request->input_count; i++) {
        const struct tensor_spec *spec = request->inputs[i].spec;
        struct tensor *tensor = &request->inputs[i].tensor;
        if (!shape_fits(tensor, spec) && !take_the_models_shape(tensor, spec, request->arena)) {
            request->status = status_no_memory();
            return;
        }
    }
}

static struct status data_fits_shape(struct infer_request *request, const struct duty *duty)
{
    for (size_t i = 0; i < request->input_count; i++) {
        const struct tensor *tensor = &request->inputs[i].tensor;
        size_t count;
        if (!shape_count(tensor->shape, tensor->rank, &count))
            return status_broken(request->arena, STATUS_INVALID_ARGUMENT, duty->slug,
                                 "input '%s' has %zu elements, but its shape %s holds more than memory can",
                                 SHOWN(request, tensor->name), tensor->count,
                                 shape_text(request->arena, tensor->shape, tensor->rank));
        if (tensor->count != count)
            return status_broken(request->arena, STATUS_INVALID_ARGUMENT, duty->slug,
                                 "input '%s' has %zu element%s, but its shape %s holds %zu",
                                 SHOWN(request, tensor->name), tensor->count, tensor->count == 1 ? "" : "s",
                                 shape_text(request->arena, tensor->shape, tensor->rank), count);
    }
    return STATUS_IS_OK;
}

static void fit_data_to_shapes(struct infer_request *request)
{
    for (size_t i = 0; i < request->input_count; i++) {
        struct tensor *tensor = &request->inputs[i].tensor;
        size_t count;
        if (!shape_count(tensor->shape, tensor->rank, &count) ||
            (tensor->count != count && !fit_data(tensor, count, request->arena))) {
            request->status = status_no_memory();
            return;
        }
    }
}

/* The first dimension of each input is the batch, if the model takes batches. */
static struct status batches_fit(struct infer_request *request, const struct duty *duty)
{
    const struct model *model = request->hold.model;
    int32_t most = model->config->max_batch_size;
    for (size_t i = 0; i < request->input_count && most > 0; i++) {
        const struct tensor *tensor = &request->inputs[i].tensor, *first = &request->inputs[0].tensor;
        if (tensor->shape[0] > most)
            return status_broken(request->arena, STATUS_INVALID_ARGUMENT, duty->slug,
                                 "input '%s' has a batch of %lld, but model '%s' takes %d at most",
                                 SHOWN(request, tensor->name), (long long)tensor->shape[0], SHOWN(request, model->name),
                                 most);
        if (tensor->shape[0] != first->shape[0])
            return status_broken(request->arena, STATUS_INVALID_ARGUMENT, duty->slug,
                                 "input '%s' has a batch of %lld, but input '%s' has one of %lld",
                                 SHOWN(request, tensor->name), (long long)tensor->shape[0], SHOWN(request, first->name),
                                 (long long)first->shape[0]);
    }
    return STATUS_IS_OK;
}

/* --- Which outputs --- */

static bool find_output(const struct model *model, struct infer_requested_output *requested)
{
    requested->spec = tensor_spec_named(model->outputs, model->output_count, requested->name);
    return requested->spec;
}

/* The same as inputs_to_compare, for outputs. */
static size_t outputs_to_compare(const struct infer_request *request)
{
    size_t most = request->hold.model->output_count + 1;
    return request->requested_count < most ? request->requested_count : most;
}

static bool is_asked_before(const struct infer_request *request, size_t position)
{
    for (size_t i = 0; i < position; i++)
        if (str_equal(request->requested[i].name, request->requested[position].name))
            return true;
    return false;
}

static struct status outputs_are_asked_once(struct infer_request *request, const struct duty *duty)
{
    size_t count = outputs_to_compare(request);
    for (size_t i = 1; i < count; i++)
        if (is_asked_before(request, i))
            return status_broken(request->arena, STATUS_INVALID_ARGUMENT, duty->slug, "output '%s' is asked for twice",
                                 SHOWN(request, request->requested[i].name));
    return STATUS_IS_OK;
}

static void ask_once(struct infer_request *request)
{
    size_t kept = 0, count = outputs_to_compare(request);
    for (size_t i = 0; i < request->requested_count; i++)
        if (i >= count || !is_asked_before(request, i))
            request->requested[kept++] = request->requested[i];
    request->requested_count = kept;
}

static struct status outputs_are_known(struct infer_request *request, const struct duty *duty)
{
    const struct model *model = request->hold.model;
    for (size_t i = 0; i < request->requested_count; i++)
        if (!find_output(model, &request->requested[i]))
            return status_broken(request->arena, STATUS_INVALID_ARGUMENT, duty->slug,
                                 "model '%s' has no output '%s'; it has %s", SHOWN(request, model->name),
                                 SHOWN(request, request->requested[i].name),
                                 names_of(request->arena, model->outputs, model->output_count));
    return STATUS_IS_OK;
}

static void leave_unknown_outputs_out(struct infer_request *request)
{
    size_t kept = 0;
    for (size_t i = 0; i < request->requested_count; i++)
        if (find_output(request->hold.model, &request->requested[i]))
            request->requested[kept++] = request->requested[i];
    request->requested_count = kept; /* if none is left, all outputs are answered */
}

/* --- The table --- */

const struct duty infer_duties[] = {
    {"model-known", model_is_known, take_any_model},
    {"version-known", version_is_known, take_any_version},
    {"model-ready", model_is_ready, NULL}, /* nothing can run on such a model */
    {"inputs-required", inputs_are_given, add_inputs_if_none},
    {"input-once", inputs_are_given_once, keep_the_first_of_each},
    {"all-inputs", inputs_are_complete, add_missing_inputs},
    {"input-known", inputs_are_known, leave_unknown_inputs_out},
    {"shape-not-negative", shapes_are_not_negative, drop_signs},
    {"datatype-matches", datatypes_match, cast_to_the_models},
    {"data-count", data_fits_shape, fit_data_to_shapes},
    {"shape-matches", shapes_match, take_the_models_shapes},
    {"batch-fits", batches_fit, NULL},
    {"output-once", outputs_are_asked_once, ask_once},
    {"output-known", outputs_are_known, leave_unknown_outputs_out},
};

const size_t infer_duty_count = COUNT_OF(infer_duties);
