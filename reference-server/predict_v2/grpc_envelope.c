/* Reads a ModelInferRequest without its data: names, shapes and parameters. The message is walked where it lies. */
#include "predict_v2/grpc_decode.h"

#include "base/count.h"

static size_t dimensions(const struct wire_field *field)
{
    if (field->type != WIRE_BYTES)
        return 1;
    size_t count = 0;
    for (size_t i = 0; i < field->bytes.size; i++)
        count += !(field->bytes.data[i] & 0x80);
    return count;
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

static bool read_input(struct decoding *decoding, struct str bytes, size_t position)
{
    const struct rpc_call *call = decoding->call;
    struct infer_input *input = &decoding->request->inputs[position];
    struct input_message *message = &decoding->messages[position];
    struct tensor *tensor = &input->tensor;
    message->bytes = bytes;
    size_t rank = 0, parameter_count = 0;
    const char *shape = NULL; /* where it begins */
    struct wire_cursor at = wire_begin(bytes);
    struct wire_field field;
    for (const char *start = at.at; wire_next(&at, &field); start = at.at) {
        switch (field.number) {
        case INPUT_NAME:
            tensor->name = field.bytes;
            break;
        case INPUT_DATATYPE:
            message->datatype = field.bytes;
            break;
        case INPUT_SHAPE:
            shape = shape ? shape : start;
            rank += dimensions(&field);
            break;
        case INPUT_PARAMETERS:
            parameter_count++;
            break;
        case INPUT_CONTENTS:
            contents_count(field.bytes, &message->contents);
            break;
        default:
            break;
        }
    }
    tensor->datatype = datatype_from_name(message->datatype);

    if (!grpc_read_parameters(bytes, INPUT_PARAMETERS, parameter_count, call->arena, &input->parameters))
        return false;
    tensor->rank = rank;
    tensor->shape = read_shape((struct str){shape, shape ? (size_t)(at.end - shape) : 0}, rank, call->arena);
    return tensor->shape != NULL;
}

static bool read_requested(const struct rpc_call *call, struct str bytes, struct infer_requested_output *requested)
{
    struct wire_cursor at = wire_begin(bytes);
    struct wire_field field;
    size_t parameter_count = 0;
    while (wire_next(&at, &field)) {
        if (field.number == OUTPUT_NAME)
            requested->name = field.bytes;
        parameter_count += field.number == OUTPUT_PARAMETERS;
    }
    return grpc_read_parameters(bytes, OUTPUT_PARAMETERS, parameter_count, call->arena, &requested->parameters);
}

/* Reads everything but the data. `message` must be well-formed; unknown fields are skipped.
 * v2-grpc.unknown-field v2-grpc.unpacked v2-grpc.scalar-shape */
bool read_envelope(struct decoding *decoding, struct str message)
{
    const struct rpc_call *call = decoding->call;
    struct infer_request *request = decoding->request;
    size_t counts[REQUEST_OUTPUTS + 1] = {0};
    struct wire_cursor at = wire_begin(message);
    struct wire_field field;
    while (wire_next(&at, &field))
        if (field.number < COUNT_OF(counts))
            counts[field.number]++;
    request->inputs = arena_alloc_zero(call->arena, counts[REQUEST_INPUTS], sizeof(*request->inputs));
    request->requested = arena_alloc_zero(call->arena, counts[REQUEST_OUTPUTS], sizeof(*request->requested));
    decoding->messages = arena_alloc_zero(call->arena, counts[REQUEST_INPUTS], sizeof(*decoding->messages));
    if (!request->inputs || !request->requested || !decoding->messages ||
        !grpc_read_parameters(message, REQUEST_PARAMETERS, counts[REQUEST_PARAMETERS], call->arena,
                              &request->parameters))
        return false;

    at = wire_begin(message);
    while (wire_next(&at, &field)) {
        switch (field.number) {
        case REQUEST_MODEL_NAME:
            request->model_name = field.bytes;
            break;
        case REQUEST_MODEL_VERSION:
            request->model_version = field.bytes;
            break;
        case REQUEST_ID:
            request->id = field.bytes;
            break;
        case REQUEST_INPUTS:
            if (!read_input(decoding, field.bytes, request->input_count++))
                return false;
            break;
        case REQUEST_OUTPUTS:
            if (!read_requested(call, field.bytes, &request->requested[request->requested_count++]))
                return false;
            break;
        default:
            break;
        }
    }
    return true;
}
