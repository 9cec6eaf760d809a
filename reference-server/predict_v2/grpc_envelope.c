/* Reads a ModelInferRequest without its data: names, shapes and parameters. The message is walked where it lies, and
 * each field is checked when it is read: wire_check, which would walk the message once more, looks only at what few
 * requests have. */
#include "predict_v2/grpc_decode.h"

#include "base/search.h"
#include "wire/message.h"
#include <inference.pb-c.h>

/* Only says that something is wrong: read_rest of grpc_request.c replaces it by what wire_check finds. */
#define MALFORMED ((struct status){STATUS_INVALID_ARGUMENT, STR("malformed"), "message-valid"})

static struct status too_many(struct arena *arena)
{
    return status_invalid(arena, "the request has more than %zu inputs, outputs or parameters", ENTRIES_MAX);
}

/* Says whether a field is a message of this type. */
static bool is_message(const struct decoding *decoding, const ProtobufCMessageDescriptor *type,
                       const struct wire_field *field)
{
    return field->type == WIRE_BYTES && is_ok(wire_check(type, field->bytes, decoding->request->arena));
}

/* --- What the request, an input and an output have: texts and parameters --- */

struct level {
    struct str *texts[REQUEST_ID + 1]; /* by field: where the text goes; NULL: the field is none */
    uint32_t number;                   /* of the field of the parameters */
    const ProtobufCMessageDescriptor *entry;
    struct parameters *parameters; /* where they go */
    size_t count;                  /* how many were seen */
};

/* Returns false if the field is malformed. Unknown fields are skipped. v2-grpc.unknown-field */
static inline bool read_field(const struct decoding *decoding, struct level *level, const struct wire_field *field)
{
    if (field->number < COUNT_OF(level->texts) && level->texts[field->number]) {
        *level->texts[field->number] = field->bytes;
        return field->type == WIRE_BYTES && str_is_utf8(field->bytes);
    }
    if (field->number != level->number)
        return true;
    level->count++;
    return is_message(decoding, level->entry, field);
}

static struct status read_parameters(const struct decoding *decoding, const struct level *level, struct str bytes)
{
    struct arena *arena = decoding->request->arena;
    if (level->count == 0)
        return STATUS_IS_OK;
    if (level->count > ENTRIES_MAX)
        return too_many(arena);
    bool is_read = grpc_read_parameters(bytes, level->number, level->count, arena, level->parameters);
    return is_read ? STATUS_IS_OK : status_no_memory();
}

/* --- An input and an output --- */

/* Adds up the dimensions of a shape, which may be packed or not. Returns false if the field is malformed.
 * v2-grpc.unpacked v2-grpc.scalar-shape */
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

/* Reads the shape from there. */
static int64_t *read_shape(struct wire_cursor at, size_t rank, struct arena *arena)
{
    int64_t *shape = arena_alloc(arena, rank * sizeof(*shape)), *to = shape;
    for (struct wire_field field; shape && to < shape + rank && wire_next(&at, &field);) {
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

static struct status read_input(const struct decoding *decoding, struct str bytes, struct infer_input *input,
                                struct input_message *message)
{
    struct tensor *tensor = &input->tensor;
    struct level level = {
        .texts = {[INPUT_NAME] = &tensor->name, [INPUT_DATATYPE] = &message->datatype},
        .number = INPUT_PARAMETERS,
        .entry = &inference__model_infer_request__infer_input_tensor__parameters_entry__descriptor,
        .parameters = &input->parameters,
    };
    bool is_right = true;
    struct wire_cursor at = wire_begin(bytes), shape = {0}; /* where the shape begins */
    struct wire_field field;
    for (struct wire_cursor before = at; is_right && wire_next(&at, &field); before = at) {
        if (field.number == INPUT_SHAPE) {
            is_right = count_dimensions(&field, &tensor->rank);
            shape = shape.at ? shape : before;
        } else if (field.number == INPUT_CONTENTS) {
            is_right = is_message(decoding, &inference__infer_tensor_contents__descriptor, &field);
            if (is_right)
                contents_count(field.bytes, &message->contents);
        } else {
            is_right = read_field(decoding, &level, &field);
        }
    }
    message->bytes = bytes;
    if (!is_right || at.fault)
        return MALFORMED;
    tensor->datatype = datatype_from_name(message->datatype);
    tensor->shape = read_shape(shape, tensor->rank, decoding->request->arena);
    return tensor->shape ? read_parameters(decoding, &level, bytes) : status_no_memory();
}

static struct status read_requested(const struct decoding *decoding, struct str bytes,
                                    struct infer_requested_output *requested)
{
    struct level level = {
        .texts = {[OUTPUT_NAME] = &requested->name},
        .number = OUTPUT_PARAMETERS,
        .entry = &inference__model_infer_request__infer_requested_output_tensor__parameters_entry__descriptor,
        .parameters = &requested->parameters,
    };
    bool is_right = true;
    struct wire_cursor at = wire_begin(bytes);
    for (struct wire_field field; is_right && wire_next(&at, &field);)
        is_right = read_field(decoding, &level, &field);
    return is_right && !at.fault ? read_parameters(decoding, &level, bytes) : MALFORMED;
}

/* --- The request --- */

/* Makes room for the inputs and the outputs that the message has. */
static struct status make_room(struct decoding *decoding, struct str message)
{
    struct arena *arena = decoding->request->arena;
    struct infer_request *request = decoding->request;
    size_t counts[REQUEST_RAW] = {0};
    struct wire_cursor at = wire_begin(message);
    for (struct wire_field field; wire_next(&at, &field);)
        if (field.number < COUNT_OF(counts))
            counts[field.number]++;
    if (counts[REQUEST_PARAMETERS] + counts[REQUEST_INPUTS] + counts[REQUEST_OUTPUTS] > ENTRIES_MAX)
        return too_many(arena);
    request->inputs = arena_alloc_zero(arena, counts[REQUEST_INPUTS], sizeof(*request->inputs));
    request->requested = arena_alloc_zero(arena, counts[REQUEST_OUTPUTS], sizeof(*request->requested));
    decoding->messages = arena_alloc_zero(arena, counts[REQUEST_INPUTS], sizeof(*decoding->messages));
    return request->inputs && request->requested && decoding->messages ? STATUS_IS_OK : status_no_memory();
}

/* Reads one of the inputs or outputs. */
static struct status read_tensor(const struct decoding *decoding, const struct wire_field *field)
{
    struct infer_request *request = decoding->request;
    size_t input = request->input_count;
    if (field->type != WIRE_BYTES)
        return MALFORMED;
    if (field->number == REQUEST_OUTPUTS)
        return read_requested(decoding, field->bytes, &request->requested[request->requested_count++]);
    request->input_count++;
    return read_input(decoding, field->bytes, &request->inputs[input], &decoding->messages[input]);
}

struct status read_envelope(struct decoding *decoding, struct str message)
{
    struct infer_request *request = decoding->request;
    struct level level = {
        .texts = {[REQUEST_MODEL_NAME] = &request->model_name,
                  [REQUEST_MODEL_VERSION] = &request->model_version,
                  [REQUEST_ID] = &request->id},
        .number = REQUEST_PARAMETERS,
        .entry = &inference__model_infer_request__parameters_entry__descriptor,
        .parameters = &request->parameters,
    };
    TRY(make_room(decoding, message));
    struct wire_cursor at = wire_begin(message);
    for (struct wire_field field; wire_next(&at, &field);) {
        if (field.number == REQUEST_INPUTS || field.number == REQUEST_OUTPUTS)
            TRY(read_tensor(decoding, &field));
        else if (field.number == REQUEST_RAW || !read_field(decoding, &level, &field))
            return MALFORMED; /* raw data was taken out, unless it is of another type */
    }
    return at.fault ? MALFORMED : read_parameters(decoding, &level, message);
}
