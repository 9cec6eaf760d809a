/* Reads a ModelInferRequest without its data: names, shapes and parameters. The message is walked where it lies. What
 * most requests have is checked while it is read; wire_check would walk it once more. */
#include "predict_v2/grpc_decode.h"

#include "base/count.h"
#include "wire/message.h"

/* --- Whether a field is well-formed --- */

static bool is_text(const struct decoding *decoding, const struct wire_field *field)
{
    return decoding->is_checked || (field->type == WIRE_BYTES && str_is_utf8(field->bytes));
}

static bool is_message(const struct decoding *decoding, const struct wire_field *field)
{
    return decoding->is_checked || field->type == WIRE_BYTES;
}

static bool are_contents(const struct decoding *decoding, const struct wire_field *field)
{
    return is_message(decoding, field) &&
           (decoding->is_checked ||
            is_ok(wire_check(&v2__infer_tensor_contents__descriptor, field->bytes, decoding->call->arena)));
}

/* Adds up the dimensions of a shape. */
static bool count_dimensions(const struct wire_field *field, size_t *rank)
{
    if (field->type != WIRE_BYTES) {
        ++*rank;
        return field->type == WIRE_VARINT;
    }
    struct wire_cursor at = wire_begin(field->bytes);
    for (uint64_t value; wire_next_packed(&at, WIRE_VARINT, &value);)
        ++*rank;
    return !at.fault;
}

/* --- Reading --- */

static enum reading as_reading(bool is_right)
{
    return is_right ? READ_WHOLE : READ_UNCHECKED;
}

/* Reads the shape from a message, or from where the shape begins in it. */
static int64_t *read_shape(struct str bytes, size_t rank, struct arena *arena)
{
    int64_t *shape = arena_alloc(arena, rank * sizeof(*shape)), *to = shape;
    struct wire_cursor at = wire_begin(bytes);
    struct wire_field field;
    while (shape && to < shape + rank && wire_next(&at, &field)) {
        if (field.number != INPUT_SHAPE)
            continue;
        if (field.type != WIRE_BYTES) {
            *to++ = (int64_t)field.value;
            continue;
        }
        struct wire_cursor packed = wire_begin(field.bytes);
        for (uint64_t value; wire_next_packed(&packed, WIRE_VARINT, &value);)
            *to++ = (int64_t)value;
    }
    return shape;
}

static enum reading read_input(struct decoding *decoding, struct str bytes, size_t position)
{
    const struct rpc_call *call = decoding->call;
    struct infer_input *input = &decoding->request->inputs[position];
    struct input_message *message = &decoding->messages[position];
    struct tensor *tensor = &input->tensor;
    message->bytes = bytes;
    size_t rank = 0, parameter_count = 0;
    bool is_read = true;
    const char *shape = NULL; /* where it begins */
    struct wire_cursor at = wire_begin(bytes);
    struct wire_field field;
    for (const char *start = at.at; is_read && wire_next(&at, &field); start = at.at) {
        switch (field.number) {
        case INPUT_NAME:
            is_read = is_text(decoding, &field);
            tensor->name = field.bytes;
            break;
        case INPUT_DATATYPE:
            is_read = is_text(decoding, &field);
            message->datatype = field.bytes;
            break;
        case INPUT_SHAPE:
            is_read = count_dimensions(&field, &rank);
            shape = shape ? shape : start;
            break;
        case INPUT_PARAMETERS:
            is_read = decoding->is_checked;
            parameter_count++;
            break;
        case INPUT_CONTENTS:
            is_read = are_contents(decoding, &field);
            if (is_read)
                contents_count(field.bytes, &message->contents);
            break;
        default:
            break;
        }
    }
    if (!is_read || at.fault)
        return READ_UNCHECKED;
    if (parameter_count > ENTRIES_MAX)
        return READ_CROWDED;
    tensor->datatype = datatype_from_name(message->datatype);

    if (!grpc_read_parameters(bytes, INPUT_PARAMETERS, parameter_count, call->arena, &input->parameters))
        return READ_NO_MEMORY;
    tensor->rank = rank;
    tensor->shape = read_shape((struct str){shape, shape ? (size_t)(at.end - shape) : 0}, rank, call->arena);
    return tensor->shape ? READ_WHOLE : READ_NO_MEMORY;
}

static enum reading read_requested(const struct decoding *decoding, struct str bytes,
                                   struct infer_requested_output *requested)
{
    struct wire_cursor at = wire_begin(bytes);
    struct wire_field field;
    size_t parameter_count = 0;
    bool is_read = true;
    while (is_read && wire_next(&at, &field)) {
        if (field.number == OUTPUT_NAME) {
            is_read = is_text(decoding, &field);
            requested->name = field.bytes;
        } else if (field.number == OUTPUT_PARAMETERS) {
            is_read = decoding->is_checked;
            parameter_count++;
        }
    }
    if (!is_read || at.fault)
        return READ_UNCHECKED;
    if (parameter_count > ENTRIES_MAX)
        return READ_CROWDED;
    bool has_room =
        grpc_read_parameters(bytes, OUTPUT_PARAMETERS, parameter_count, decoding->call->arena, &requested->parameters);
    return has_room ? READ_WHOLE : READ_NO_MEMORY;
}

bool next_contents(struct wire_cursor *at, struct str *contents)
{
    struct wire_field field;
    while (wire_next(at, &field)) {
        if (field.number == INPUT_CONTENTS) {
            *contents = field.bytes;
            return true;
        }
    }
    return false;
}

/* Unknown fields are skipped. v2-grpc.unknown-field v2-grpc.unpacked v2-grpc.scalar-shape */
enum reading read_envelope(struct decoding *decoding, struct str message)
{
    const struct rpc_call *call = decoding->call;
    struct infer_request *request = decoding->request;
    size_t counts[REQUEST_RAW + 1] = {0};
    struct wire_cursor at = wire_begin(message);
    struct wire_field field;
    while (wire_next(&at, &field))
        if (field.number < COUNT_OF(counts))
            counts[field.number]++;
    if (at.fault || (!decoding->is_checked && counts[REQUEST_PARAMETERS] + counts[REQUEST_RAW] > 0))
        return READ_UNCHECKED;
    request->input_count = request->requested_count = 0;
    if (counts[REQUEST_PARAMETERS] + counts[REQUEST_INPUTS] + counts[REQUEST_OUTPUTS] > ENTRIES_MAX)
        return READ_CROWDED;
    request->inputs = arena_alloc_zero(call->arena, counts[REQUEST_INPUTS], sizeof(*request->inputs));
    request->requested = arena_alloc_zero(call->arena, counts[REQUEST_OUTPUTS], sizeof(*request->requested));
    decoding->messages = arena_alloc_zero(call->arena, counts[REQUEST_INPUTS], sizeof(*decoding->messages));
    if (!request->inputs || !request->requested || !decoding->messages ||
        !grpc_read_parameters(message, REQUEST_PARAMETERS, counts[REQUEST_PARAMETERS], call->arena,
                              &request->parameters))
        return READ_NO_MEMORY;

    request->model_name = request->model_version = request->id = STR("");
    enum reading reading = READ_WHOLE;
    at = wire_begin(message);
    while (reading == READ_WHOLE && wire_next(&at, &field)) {
        switch (field.number) {
        case REQUEST_MODEL_NAME:
            reading = as_reading(is_text(decoding, &field));
            request->model_name = field.bytes;
            break;
        case REQUEST_MODEL_VERSION:
            reading = as_reading(is_text(decoding, &field));
            request->model_version = field.bytes;
            break;
        case REQUEST_ID:
            reading = as_reading(is_text(decoding, &field));
            request->id = field.bytes;
            break;
        case REQUEST_INPUTS:
            reading = is_message(decoding, &field) ? read_input(decoding, field.bytes, request->input_count++)
                                                   : READ_UNCHECKED;
            break;
        case REQUEST_OUTPUTS:
            reading = is_message(decoding, &field)
                          ? read_requested(decoding, field.bytes, &request->requested[request->requested_count++])
                          : READ_UNCHECKED;
            break;
        default:
            break;
        }
    }
    return reading;
}
