/* What an InferRequestHeader must be, for its model: the checks of the original server, in its order and words. The
 * documents demand less; SPEC_NOTES.md says what. Further checks, as of the bytes of strings, are those of every
 * protocol (inference/duties.c). */
#include "trtis_v1/infer.h"

#include "base/search.h"
#include "models/config.h"
#include "tensor/raw.h"

#define NAME(asked) STR_ARG((asked)->hold.model->name)

#define wrong(asked, slug, ...) status_breaks((asked)->request.arena, slug, __VA_ARGS__)

/* --- The batch --- */

static struct status check_batch(struct v1_infer *asked)
{
    uint32_t batch = asked->header->batch_size;
    int32_t most = asked->hold.model->config->max_batch_size;
    if (batch < 1)
        return wrong(asked, "batch-positive", "inference request batch-size must be >= 1 for '%.*s'", NAME(asked));
    if (batch != 1 && (most < 1 || batch > (uint32_t)most))
        return wrong(asked, "batch-fits", "inference request batch-size must be <= %d for '%.*s'", most < 0 ? 0 : most,
                     NAME(asked));
    asked->request.batch = batch;
    return STATUS_IS_OK;
}

/* --- Inputs --- */

typedef V1__InferRequestHeader__Input Input;

static struct status unknown_input(struct v1_infer *asked, struct str name)
{
    struct str shown = v1_shown(asked->request.arena, name);
    return wrong(asked, "input-known", "unexpected inference input '%.*s' for model '%.*s'", STR_ARG(shown),
                 NAME(asked));
}

static bool is_open(const struct v1_tensor *tensor)
{
    return ANY(i, tensor->rank, tensor->dims[i] < 0);
}

static bool is_negative(const Input *input)
{
    return ANY(i, input->n_dims, input->dims[i] < 0);
}

static bool fits(const Input *input, const struct v1_tensor *tensor)
{
    if (input->n_dims != tensor->rank || is_negative(input))
        return false;
    return !ANY(i, tensor->rank, tensor->dims[i] >= 0 && input->dims[i] != tensor->dims[i]);
}

static struct status check_dims(struct v1_infer *asked, const Input *input, const struct v1_tensor *tensor)
{
    struct arena *arena = asked->request.arena;
    struct str name = tensor->spec->name;
    if (input->n_dims == 0 && is_open(tensor))
        return wrong(asked, "dims-required",
                     "model supports variable-size for input '%.*s', request must specify input shape for model '%.*s'",
                     STR_ARG(name), NAME(asked));
    if (input->n_dims > 0 && !fits(input, tensor))
        return wrong(asked, is_negative(input) ? "shape-not-negative" : "shape-matches",
                     "unexpected shape for input '%.*s' for model '%.*s'. Expected %s, got %s", STR_ARG(name),
                     NAME(asked), shape_text(arena, tensor->dims, tensor->rank),
                     shape_text(arena, input->dims, input->n_dims));
    return STATUS_IS_OK;
}

/* Gives the tensor the shape that the model takes: after the batch stands the shape of the configuration if it
 * reshapes the tensor, or else that of the request. */
static struct status set_shape(struct v1_infer *asked, const Input *input, const struct v1_tensor *from,
                               struct tensor *tensor)
{
    bool is_batched = asked->hold.model->config->max_batch_size > 0;
    const int64_t *dims = from->is_reshaped ? from->shape : input->n_dims ? input->dims : from->dims;
    size_t rank = from->is_reshaped ? from->shape_rank : from->rank;
    int64_t *shape = arena_alloc_zero(asked->request.arena, rank + is_batched, sizeof(*shape));
    NEED(shape);
    if (is_batched)
        shape[0] = asked->header->batch_size;
    if (rank)
        memcpy(shape + is_batched, dims, rank * sizeof(*dims));
    *tensor = (struct tensor){
        .name = from->spec->name, .datatype = from->spec->datatype, .shape = shape, .rank = rank + is_batched};
    return STATUS_IS_OK;
}

/* Sets how many bytes an input has. Strings have as many as the header says. */
static struct status set_size(struct v1_infer *asked, const Input *input, const struct tensor *tensor, size_t *size)
{
    size_t count = 0, element = datatype_size(tensor->datatype);
    if (!shape_count(tensor->shape, tensor->rank, &count))
        return wrong(asked, "shape-matches",
                     "the shape of input '%.*s' for model '%.*s' is larger than memory can hold", STR_ARG(tensor->name),
                     NAME(asked));
    *size = element ? count * element : input->batch_byte_size;
    if (input->batch_byte_size == 0 || input->batch_byte_size == *size)
        return STATUS_IS_OK;
    return wrong(
        asked, "byte-size-matches",
        "specific batch-byte-size for input '%.*s' does not match expected byte-size calculated from shape and "
        "datatype for model '%.*s'",
        STR_ARG(tensor->name), NAME(asked));
}

static struct status check_input(struct v1_infer *asked, size_t i)
{
    const Input *input = asked->header->input[i];
    const struct model *model = asked->hold.model;
    struct str name = structs_str(input->name);
    const struct tensor_spec *spec = tensor_spec_named(model->inputs, model->input_count, name);
    if (!spec)
        return unknown_input(asked, name);
    struct v1_tensor found = v1_input(model, spec);
    struct tensor *tensor = &asked->request.inputs[i].tensor;
    TRY(check_dims(asked, input, &found));
    TRY(set_shape(asked, input, &found, tensor));
    return set_size(asked, input, tensor, &asked->sizes[i]);
}

static struct status check_inputs(struct v1_infer *asked)
{
    const struct model *model = asked->hold.model;
    size_t count = asked->header->n_input;
    if (count != model->input_count)
        return wrong(asked, "all-inputs", "expected %zu inputs but got %zu inputs for model '%.*s'", model->input_count,
                     count, NAME(asked));
    asked->request.inputs = arena_alloc_zero(asked->request.arena, count, sizeof(*asked->request.inputs));
    asked->sizes = arena_alloc_zero(asked->request.arena, count, sizeof(*asked->sizes));
    NEED(asked->request.inputs && asked->sizes);
    asked->request.input_count = count;
    for (size_t i = 0; i < count; i++)
        TRY(check_input(asked, i));
    return STATUS_IS_OK;
}

struct status v1_infer_check(struct v1_infer *asked)
{
    TRY(check_batch(asked));
    return check_inputs(asked);
}

struct status v1_infer_take(struct v1_infer *asked, size_t input, struct str bytes)
{
    struct tensor *tensor = &asked->request.inputs[input].tensor;
    struct status status = raw_read_tensor(bytes, tensor, asked->request.arena);
    if (!is_ok(status))
        status.broken = "data-count";
    return status;
}

/* --- When the request has its id --- */

static bool has_classes(enum datatype datatype)
{
    return datatype != DATATYPE_BYTES && datatype != DATATYPE_BOOL && datatype != DATATYPE_FP16;
}

static struct status check_output(const struct v1_infer *asked, const V1__InferRequestHeader__Output *output)
{
    const struct model *model = asked->hold.model;
    struct str name = structs_str(output->name);
    const struct tensor_spec *spec = tensor_spec_named(model->outputs, model->output_count, name);
    if (!spec) {
        struct str shown = v1_shown(asked->request.arena, name);
        return wrong(asked, "output-known", "unexpected inference output '%.*s' for model '%.*s'", STR_ARG(shown),
                     NAME(asked));
    }
    if (!output->cls || has_classes(spec->datatype))
        return STATUS_IS_OK;
    const char *type = spec->datatype == DATATYPE_BYTES ? "STRING" : datatype_name(spec->datatype);
    return wrong(asked, "classes-of-numbers",
                 "class result not available for output '%.*s' due to unsupported type 'TYPE_%s'", STR_ARG(name), type);
}

static struct status check_sequence(const struct v1_infer *asked)
{
    if (asked->header->batch_size != 1)
        return wrong(asked, "batch-fits",
                     "inference request to model '%.*s' must specify batch-size 1 due to requirements of sequence "
                     "batcher",
                     NAME(asked));
    if (asked->header->correlation_id == 0)
        return wrong(asked, "sequence-id", "inference request to model '%.*s' must specify a non-zero correlation ID",
                     NAME(asked));
    return STATUS_IS_OK;
}

/* The outputs are asked of the model once each, but listed as often as the header does: an output may be wanted as
 * bytes and as classes. More would let a small request ask for a large answer. */
static struct status ask_outputs(struct v1_infer *asked)
{
    const V1__InferRequestHeader *header = asked->header;
    struct infer_request *request = &asked->request;
    size_t most = 2 * asked->hold.model->output_count;
    if (header->n_output > most)
        return wrong(asked, "output-once", "expected at most %zu outputs but got %zu outputs for model '%.*s'", most,
                     header->n_output, NAME(asked));
    request->requested = arena_alloc_zero(request->arena, header->n_output, sizeof(*request->requested));
    NEED(request->requested);
    for (size_t i = 0; i < header->n_output; i++) {
        struct str name = structs_str(header->output[i]->name);
        TRY(check_output(asked, header->output[i]));
        if (!ANY(k, request->requested_count, str_equal(request->requested[k].name, name)))
            request->requested[request->requested_count++].name = name;
    }
    return STATUS_IS_OK;
}

struct status v1_infer_check_scheduled(struct v1_infer *asked)
{
    if (asked->hold.model->config->has_sequences)
        TRY(check_sequence(asked));
    return ask_outputs(asked);
}
