/* Binary tensors over REST (003, "Binary Tensor Extension"). The document says that the data follows the JSON and that
 * an input gives its size in the parameter binary_data_size. It does not say where the JSON ends, how the data is laid
 * out, or how an answer becomes binary; servers and clients share conventions for that (SPEC_NOTES.md, "Binary
 * tensors"):
 *
 *   - The header Inference-Header-Content-Length gives the bytes of JSON, before any compression of the body.
 *   - The data of the inputs follows in the order of the inputs, in raw form (tensor.h), without gaps.
 *   - An output is binary if its parameter binary_data says so, or else the parameter binary_data_output of the
 *     request. */
#include "predict_v2/rest_binary.h"

#define LENGTH_HEADER "Inference-Header-Content-Length"

static const char size_name[] = "binary_data_size";

static bool is_true(const struct parameters *parameters, const char *name, bool otherwise)
{
    const struct parameter *parameter = parameters_find(parameters, name);
    return parameter && parameter->kind == PARAMETER_BOOL ? parameter->boolean : otherwise;
}

/* --- The body --- */

/* Reads a number that is written in decimal digits alone. */
static bool read_length(struct str text, size_t *length)
{
    unsigned long long number;
    if (!str_digits_to_uint64(text, &number) || number > SIZE_MAX)
        return false;
    *length = (size_t)number;
    return true;
}

void binary_expect(struct rest_call *call)
{
    call->json_length = http_header_value(call->http, LENGTH_HEADER);
    size_t length;
    if (call->json_length.data && read_length(call->json_length, &length))
        call->http->aligned_from = length;
}

/* Sets the refusals directly: refuse() asks the JSON reader, which has not begun with this request.
 *
 * binary-tensors.header-number binary-tensors.header-fits */
bool split_body(struct decode *decode)
{
    struct str header = decode->call->json_length, body = decode->text;
    size_t length;
    if (!header.data)
        return true;
    if (!read_length(header, &length)) {
        decode->status = status_breaks(decode->arena, "binary-tensors.header-number",
                                       LENGTH_HEADER " must be the number of bytes of JSON in the body, not '%s'",
                                       str_printable(decode->arena, header));
        return false;
    }
    if (length > body.size) {
        decode->status = status_breaks(decode->arena, "binary-tensors.header-fits",
                                       LENGTH_HEADER " is %zu, but the body has %zu bytes", length, body.size);
        return false;
    }
    decode->has_binary = true;
    if (length == body.size)
        return true;
    char *json = arena_alloc(decode->arena, length + JSON_PADDING);
    if (!json)
        return no_memory(decode);
    memcpy(json, body.data, length);
    memset(json + length, 0, JSON_PADDING);
    decode->text = (struct str){json, length};
    decode->binary = str_from(body, length);
    return true;
}

/* binary-tensors.data-surplus */
bool binary_is_taken(struct decode *decode)
{
    if (decode->binary.size == 0)
        return true;
    return refuse(
        decode, "binary-tensors.data-surplus",
        "%zu bytes of binary data remain, which belong to no input: a \"binary_data_size\" is missing or too small",
        decode->binary.size);
}

/* --- An input --- */

bool is_binary_input(const struct decode *decode, const void *parts)
{
    return decode->has_binary && parameters_find(&((const struct input_parts *)parts)->input.parameters, size_name);
}

/* Reads binary_data_size, which must be a whole number, not negative. binary-tensors.size-integer */
static bool read_size(struct decode *decode, const struct tensor *tensor, const struct parameter *parameter,
                      size_t *size)
{
    bool is_valid = parameter->kind == PARAMETER_INT64 && parameter->int64 >= 0;
    *size = is_valid ? (size_t)parameter->int64 : 0;
    return is_valid ||
           refuse(decode, "binary-tensors.size-integer", "input '%s': \"binary_data_size\" must be a number of bytes",
                  str_printable(decode->arena, tensor->name));
}

/* Checks the size against the shape, except for BYTES, whose elements have any size.
 * binary-tensors.size-matches-shape binary-tensors.size-surplus */
static bool size_fits(struct decode *decode, const struct tensor *tensor, size_t size)
{
    size_t count, element = datatype_size(tensor->datatype);
    if (element == 0 || !shape_count(tensor->shape, tensor->rank, &count) || count * element == size)
        return true;
    return refuse(decode, size < count * element ? "binary-tensors.size-matches-shape" : "binary-tensors.size-surplus",
                  "input '%s': its shape %s takes %zu bytes of %s, and \"binary_data_size\" is %zu",
                  str_printable(decode->arena, tensor->name), shape_text(decode->arena, tensor->shape, tensor->rank),
                  count * element, datatype_name(tensor->datatype), size);
}

/* binary-tensors.data-or-size binary-tensors.data-complete binary-tensors.bytes-layout */
bool take_binary(struct decode *decode, struct input_parts *parts)
{
    struct tensor *tensor = &parts->input.tensor;
    const struct parameter *parameter = parameters_find(&parts->input.parameters, size_name);
    const char *name = str_printable(decode->arena, tensor->name);
    size_t size;
    if (parts->has_data)
        return refuse(decode, "binary-tensors.data-or-size",
                      "input '%s' has both \"data\" and \"binary_data_size\"; only one of them can count", name);
    if (!read_size(decode, tensor, parameter, &size) || !size_fits(decode, tensor, size))
        return false;
    if (size > decode->binary.size)
        return refuse(decode, "binary-tensors.data-complete",
                      "input '%s': \"binary_data_size\" is %zu, but only %zu bytes of binary data are left in the body",
                      name, size, decode->binary.size);
    struct str bytes = {decode->binary.data, size};
    decode->binary = str_from(decode->binary, size);
    /* The data may lie unaligned, for example for a second input or in a chunked body. Then this is its only copy. */
    if (!raw_align(&bytes, HTTP_BODY_ALIGNMENT, decode->arena))
        return no_memory(decode);
    decode->status = raw_read_tensor(bytes, tensor, decode->arena);
    if (!is_ok(decode->status))
        decode->status.broken = "binary-tensors.bytes-layout";
    return is_ok(decode->status);
}

/* --- An answer --- */

/* binary-tensors.output-default binary-tensors.output-is-binary */
bool binary_is_wanted(const struct infer_request *request, size_t output)
{
    bool otherwise = request->parameters.count > 0 && is_true(&request->parameters, "binary_data_output", false);
    if (output >= request->requested_count)
        return otherwise;
    return is_true(&request->requested[output].parameters, "binary_data", otherwise);
}

struct status binary_parameters(const struct model_output *output, struct arena *arena, struct parameters *parameters)
{
    struct parameter *size = arena_new_of(arena, struct parameter);
    NEED(size);
    *size =
        (struct parameter){.name = str_of(size_name), .kind = PARAMETER_INT64, .int64 = (int64_t)output->tensor.size};
    *parameters = output->parameters;
    const struct parameters more = {size, 1};
    return parameters_complete(parameters, &more, arena) ? STATUS_IS_OK : status_no_memory();
}

struct status binary_announce(struct rest_call *call)
{
    struct str length = arena_printf(call->arena, "%zu", call->http->answer_buf.size);
    http_answer_header(call->http, STR(LENGTH_HEADER), length);
    return length.data ? STATUS_IS_OK : status_no_memory();
}
