/* What the encoding of 000 demands of an inference request over gRPC, as a table. inference/duties.h has what every
 * encoding demands.
 *
 * Some rows make sense only if the input is as the model declares it. For example, an input of another datatype
 * naturally has data in another contents field. Such a row passes then, and the duty of inference/ that is really
 * broken refuses the request. */
#include "predict_v2/grpc_decode.h"

#include "base/search.h"
#include "tensor/raw.h"

/* Says whether name, datatype and shape of the input are as the model declares them, if it exists and is ready. It is
 * asked only when something is wrong. */
static bool is_as_declared(const struct decoding *decoding, size_t input)
{
    const struct infer_request *request = decoding->request;
    const struct tensor *tensor = &request->inputs[input].tensor;
    struct model_hold hold;
    bool is_equal = is_ok(
        predict_v2_find_ready(request->repository, request->model_name, request->model_version, request->arena, &hold));
    const struct tensor_spec *declared =
        is_equal ? tensor_spec_named(hold.model->inputs, hold.model->input_count, tensor->name) : NULL;
    is_equal = declared && declared->datatype == tensor->datatype && declared->rank == tensor->rank;
    for (size_t i = 0; is_equal && i < tensor->rank; i++)
        is_equal = declared->shape[i] < 0 || declared->shape[i] == tensor->shape[i];
    model_release(&hold);
    return is_equal;
}

/* --- Duties --- */

/* In which form the data comes that a duty is about. */
enum form { ANY_FORM, RAW, CONTENTS };

struct request_duty {
    const char *slug;
    enum form form; /* a request whose data comes in another form cannot break the duty */
    struct status (*check)(const struct decoding *decoding, size_t input, const char *slug);
};

#define NAME(decoding, input) str_printable((decoding)->request->arena, (decoding)->request->inputs[input].tensor.name)

#define BROKEN(decoding, slug, ...) status_breaks((decoding)->request->arena, (slug), __VA_ARGS__)

static struct status name_is_given(const struct decoding *decoding, size_t input, const char *slug)
{
    if (decoding->request->inputs[input].tensor.name.size > 0)
        return STATUS_IS_OK;
    return BROKEN(decoding, slug, "inputs[%zu] has no name", input);
}

static struct status datatype_is_known(const struct decoding *decoding, size_t input, const char *slug)
{
    if (decoding->request->inputs[input].tensor.datatype != DATATYPE_NONE)
        return STATUS_IS_OK;
    return BROKEN(decoding, slug, "input '%s' has datatype '%s', which is neither a datatype of 000 nor BF16",
                  NAME(decoding, input), str_printable(decoding->request->arena, decoding->messages[input].datatype));
}

static struct status data_comes_in_one_form(const struct decoding *decoding, size_t input, const char *slug)
{
    if (decoding->messages[input].contents.all == 0)
        return STATUS_IS_OK;
    return BROKEN(decoding, slug, "input '%s' has contents, although the request has raw_input_contents: give one",
                  NAME(decoding, input));
}

static struct status raw_is_given(const struct decoding *decoding, size_t input, const char *slug)
{
    if (input < decoding->raw_count)
        return STATUS_IS_OK;
    return BROKEN(decoding, slug, "raw_input_contents has %zu entries for %zu inputs: input '%s' has none",
                  decoding->raw_count, decoding->request->input_count, NAME(decoding, input));
}

static struct status raw_belongs_to_inputs(const struct decoding *decoding, size_t input, const char *slug)
{
    size_t count = decoding->request->input_count;
    if (input + 1 < count || decoding->raw_count <= count)
        return STATUS_IS_OK;
    return BROKEN(decoding, slug, "raw_input_contents has %zu entries for %zu input%s", decoding->raw_count, count,
                  count == 1 ? "" : "s");
}

static struct status is_not_typed(const struct decoding *decoding, size_t input, const char *slug,
                                  enum datatype datatype)
{
    if (decoding->request->inputs[input].tensor.datatype != datatype || decoding->messages[input].contents.all == 0 ||
        !is_as_declared(decoding, input))
        return STATUS_IS_OK;
    return BROKEN(decoding, slug, "input '%s' is %s, for which InferTensorContents has no field: send it raw",
                  NAME(decoding, input), datatype_name(datatype));
}

static struct status fp16_is_raw(const struct decoding *decoding, size_t input, const char *slug)
{
    return is_not_typed(decoding, input, slug, DATATYPE_FP16);
}

static struct status bf16_is_raw(const struct decoding *decoding, size_t input, const char *slug)
{
    return is_not_typed(decoding, input, slug, DATATYPE_BF16);
}

static struct status contents_are_in_their_field(const struct decoding *decoding, size_t input, const char *slug)
{
    const struct datatype_row *row = &datatype_table[decoding->request->inputs[input].tensor.datatype];
    const struct input_message *message = &decoding->messages[input];
    if (row->contents_field == 0 || message->contents.all == message->contents.elements[row->contents_field] ||
        !is_as_declared(decoding, input))
        return STATUS_IS_OK;
    size_t other = 1;
    while (other == (size_t)row->contents_field || message->contents.elements[other] == 0)
        other++;
    return BROKEN(decoding, slug, "input '%s' is %s, whose elements belong in %s, not in %s", NAME(decoding, input),
                  row->name.data, row->contents, contents_field_name(other));
}

static struct status data_is_given(const struct decoding *decoding, size_t input, const char *slug)
{
    const struct tensor *tensor = &decoding->request->inputs[input].tensor;
    size_t count;
    if (decoding->messages[input].contents.all > 0 || !shape_count(tensor->shape, tensor->rank, &count) || count == 0 ||
        !is_as_declared(decoding, input))
        return STATUS_IS_OK;
    return BROKEN(decoding, slug,
                  "input '%s' has no data: there are neither contents nor raw_input_contents, but its shape %s "
                  "holds %zu element%s",
                  NAME(decoding, input), shape_text(decoding->request->arena, tensor->shape, tensor->rank), count,
                  count == 1 ? "" : "s");
}

/* Reads the data, too, because only then each element is looked at. */
static struct status elements_are_in_range(const struct decoding *decoding, size_t input, const char *slug)
{
    const struct input_message *message = &decoding->messages[input];
    struct tensor *tensor = &decoding->request->inputs[input].tensor;
    const struct datatype_row *row = &datatype_table[tensor->datatype];
    tensor->count = message->contents.elements[row->contents_field];
    tensor->size = row->size ? tensor->count * row->size : tensor->count * sizeof(uint32_t) + message->contents.bytes;
    char *to = tensor->data = arena_alloc(decoding->request->arena, tensor->size);
    NEED(to);
    struct contents_misfit misfit = {0};
    struct wire_cursor at = wire_begin(message->bytes);
    for (struct wire_field field; wire_next(&at, &field);)
        if (field.number == INPUT_CONTENTS)
            to = contents_read(field.bytes, tensor->datatype, to, &misfit);
    if (!misfit.is_found || !is_as_declared(decoding, input))
        return STATUS_IS_OK;
    return BROKEN(decoding, slug, "input '%s' is %s, which cannot hold its element %lld (position %zu)",
                  NAME(decoding, input), row->name.data, (long long)misfit.value, misfit.position);
}

/* The same of raw data. The duty data-count of inference/ checks how many elements the shape holds. */
static struct status raw_is_whole_elements(const struct decoding *decoding, size_t input, const char *slug)
{
    struct tensor *tensor = &decoding->request->inputs[input].tensor;
    struct str raw = decoding->raw[input];
    struct status status = raw_read_tensor(raw, tensor, decoding->request->arena);
    if (is_ok(status))
        return status;
    size_t size = datatype_size(tensor->datatype);
    tensor->count = size ? raw.size / size : 0;
    tensor->size = tensor->count * size;
    if (!is_as_declared(decoding, input))
        return STATUS_IS_OK;
    status.broken = slug;
    return status;
}

/* grpc_check checks the first two duties, message-valid and string-utf8. */
static const struct request_duty duties[] = {
    {"name-required", ANY_FORM, name_is_given},
    {"datatype-known", ANY_FORM, datatype_is_known},
    {"raw-or-contents", RAW, data_comes_in_one_form},
    {"raw-count", RAW, raw_is_given},
    {"raw-surplus", RAW, raw_belongs_to_inputs},
    {"fp16-raw", CONTENTS, fp16_is_raw},
    {"bf16-raw", CONTENTS, bf16_is_raw},
    {"contents-field", CONTENTS, contents_are_in_their_field},
    {"data-required", CONTENTS, data_is_given},
    {"element-range", CONTENTS, elements_are_in_range},
    {"raw-size", RAW, raw_is_whole_elements},
};

struct status check_request_duties(const struct decoding *decoding)
{
    const struct request_duty *end = duties + COUNT_OF(duties);
    enum form form = decoding->raw_count > 0 ? RAW : CONTENTS;
    for (const struct request_duty *duty = duties; duty < end; duty++) {
        bool applies = duty->form == form || duty->form == ANY_FORM;
        for (size_t i = 0; applies && i < decoding->request->input_count; i++)
            TRY(duty->check(decoding, i, duty->slug));
    }
    return STATUS_IS_OK;
}
