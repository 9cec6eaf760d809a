/* The message is checked as a whole, walked once for its names and shapes, and then held against the table of duties
 * below: every row is asked of every input. A row that is broken but switched off amends the input instead. The data is
 * read last.
 *
 * Some rows only make sense if the input is what the model declares: with another datatype the wrong contents field is
 * no surprise. They keep silent then, and leave the complaint to the duty of inference/ that is really broken. */
#include "predict_v2/grpc_request.h"

#include "models/repository.h"
#include "predict_v2/grpc_contents.h"
#include "predict_v2/grpc_message.h"
#include "tensor/raw.h"
#include "wire/field.h"
#include "wire/gather.h"
#include <inference.pb-c.h>

#define FIELD_RAW_INPUT_CONTENTS 7

/* What of an input has no place in infer_input. */
struct input_message {
    struct str bytes; /* the whole InferInputTensor */
    struct str datatype;
    struct contents_counts contents;
    size_t contents_elements; /* of all fields */
    bool is_zero;             /* its data is zeros, whatever came */
};

struct decoding {
    const struct rpc_call *call;
    struct infer_request *request;
    struct input_message *messages; /* one an input */
    struct str *raw;
    size_t raw_count;
};

/* --- Names, shapes, parameters --- */

static struct parameter read_parameter(struct str entry, bool *is_set)
{
    struct parameter parameter = {0};
    struct wire_cursor at = wire_begin(entry);
    struct wire_field field, choice;
    while (wire_next(&at, &field)) {
        if (field.number == 1)
            parameter.name = field.bytes;
        if (field.number != 2)
            continue;
        struct wire_cursor value = wire_begin(field.bytes);
        while (wire_next(&value, &choice)) {
            *is_set |= choice.number >= 1 && choice.number <= 5;
            switch (choice.number) {
            case 1:
                parameter.kind = PARAMETER_BOOL;
                parameter.boolean = choice.value != 0;
                break;
            case 2:
                parameter.kind = PARAMETER_INT64;
                parameter.int64 = (int64_t)choice.value;
                break;
            case 3:
                parameter.kind = PARAMETER_STRING;
                parameter.string = choice.bytes;
                break;
            case 4:
                parameter.kind = PARAMETER_DOUBLE;
                memcpy(&parameter.number, &choice.value, sizeof(parameter.number));
                break;
            case 5:
                parameter.kind = PARAMETER_UINT64;
                parameter.uint64 = choice.value;
                break;
            default:
                break;
            }
        }
    }
    return parameter;
}

/* The map of parameters in one field of a message. Entries without a value are left out. */
static bool read_parameters(const struct rpc_call *call, struct str message, uint32_t number, size_t count,
                            struct parameters *parameters)
{
    if (count == 0)
        return true;
    struct parameter *list = arena_alloc(call->arena, count * sizeof(*list));
    if (!list)
        return false;
    struct wire_cursor at = wire_begin(message);
    struct wire_field field;
    size_t kept = 0;
    while (wire_next(&at, &field)) {
        bool is_set = false;
        if (field.number != number)
            continue;
        struct parameter parameter = read_parameter(field.bytes, &is_set);
        if (is_set)
            list[kept++] = parameter;
    }
    *parameters = (struct parameters){list, kept};
    return true;
}

static size_t dimensions(const struct wire_field *field)
{
    if (field->type != WIRE_BYTES)
        return 1;
    size_t count = 0;
    for (size_t i = 0; i < field->bytes.size; i++)
        count += !(field->bytes.data[i] & 0x80);
    return count;
}

static bool read_input(struct decoding *decoding, struct str bytes, size_t position)
{
    const struct rpc_call *call = decoding->call;
    struct infer_input *input = &decoding->request->inputs[position];
    struct input_message *message = &decoding->messages[position];
    struct tensor *tensor = &input->tensor;
    message->bytes = bytes;
    size_t rank = 0, parameter_count = 0;
    struct wire_cursor at = wire_begin(bytes);
    struct wire_field field;
    while (wire_next(&at, &field)) {
        switch (field.number) {
        case 1:
            tensor->name = field.bytes;
            break;
        case 2:
            message->datatype = field.bytes;
            break;
        case 3:
            rank += dimensions(&field);
            break;
        case 4:
            parameter_count++;
            break;
        case 5:
            contents_count(field.bytes, &message->contents);
            break;
        default:
            break;
        }
    }
    for (size_t i = 0; i < CONTENTS_FIELDS; i++)
        message->contents_elements += message->contents.elements[i];
    tensor->datatype = datatype_from_name(message->datatype);

    int64_t *shape = arena_alloc(call->arena, rank * sizeof(*shape));
    if (!shape || !read_parameters(call, bytes, 4, parameter_count, &input->parameters))
        return false;
    tensor->shape = shape;
    tensor->rank = rank;
    at = wire_begin(bytes);
    while (wire_next(&at, &field)) {
        if (field.number != 3)
            continue;
        if (field.type != WIRE_BYTES) {
            *shape++ = (int64_t)field.value;
            continue;
        }
        struct wire_cursor packed = wire_begin(field.bytes);
        for (uint64_t value; wire_next_packed(&packed, WIRE_VARINT, &value);)
            *shape++ = (int64_t)value;
    }
    return true;
}

static bool read_requested(const struct rpc_call *call, struct str bytes, struct infer_requested_output *requested)
{
    struct wire_cursor at = wire_begin(bytes);
    struct wire_field field;
    size_t parameter_count = 0;
    while (wire_next(&at, &field)) {
        if (field.number == 1)
            requested->name = field.bytes;
        parameter_count += field.number == 2;
    }
    return read_parameters(call, bytes, 2, parameter_count, &requested->parameters);
}

/* Everything but the data. `message` is well-formed; fields that we do not know are passed over.
 * v2-grpc.unknown-field v2-grpc.unpacked v2-grpc.scalar-shape */
static bool read_envelope(struct decoding *decoding, struct str message)
{
    const struct rpc_call *call = decoding->call;
    struct infer_request *request = decoding->request;
    size_t counts[7] = {0};
    struct wire_cursor at = wire_begin(message);
    struct wire_field field;
    while (wire_next(&at, &field))
        if (field.number < 7)
            counts[field.number]++;
    request->inputs = arena_alloc_zero(call->arena, counts[5], sizeof(*request->inputs));
    request->requested = arena_alloc_zero(call->arena, counts[6], sizeof(*request->requested));
    decoding->messages = arena_alloc_zero(call->arena, counts[5], sizeof(*decoding->messages));
    if (!request->inputs || !request->requested || !decoding->messages ||
        !read_parameters(call, message, 4, counts[4], &request->parameters))
        return false;

    at = wire_begin(message);
    while (wire_next(&at, &field)) {
        switch (field.number) {
        case 1:
            request->model_name = field.bytes;
            break;
        case 2:
            request->model_version = field.bytes;
            break;
        case 3:
            request->id = field.bytes;
            break;
        case 5:
            if (!read_input(decoding, field.bytes, request->input_count++))
                return false;
            break;
        case 6:
            if (!read_requested(call, field.bytes, &request->requested[request->requested_count++]))
                return false;
            break;
        default:
            break;
        }
    }
    return true;
}

/* --- What the model declares: asked only when something is wrong --- */

/* Gives `use` the model that the request is for, if it exists and is ready. */
static void with_model(struct decoding *decoding, size_t input,
                       void (*use)(struct decoding *decoding, size_t input, const struct model *model))
{
    struct infer_request *request = decoding->request;
    struct model *model;
    if (!is_ok(
            repository_find(request->repository, request->model_name, request->model_version, request->arena, &model)))
        return;
    if (atomic_load(&model->state) == MODEL_READY)
        use(decoding, input, model);
}

static const struct tensor_spec *declared_input(const struct model *model, struct str name)
{
    for (size_t i = 0; i < model->input_count; i++)
        if (str_equal(model->inputs[i].name, name))
            return &model->inputs[i];
    return NULL;
}

static void take_datatype(struct decoding *decoding, size_t input, const struct model *model)
{
    struct tensor *tensor = &decoding->request->inputs[input].tensor;
    const struct tensor_spec *declared = declared_input(model, tensor->name);
    if (declared)
        tensor->datatype = declared->datatype;
}

static void take_name(struct decoding *decoding, size_t input, const struct model *model)
{
    if (input < model->input_count)
        decoding->request->inputs[input].tensor.name = arena_copy(decoding->call->arena, model->inputs[input].name);
}

struct comparison {
    struct decoding decoding; /* first: handed through with_model */
    bool is_equal;
};

static void compare(struct decoding *decoding, size_t input, const struct model *model)
{
    const struct tensor *tensor = &decoding->request->inputs[input].tensor;
    const struct tensor_spec *declared = declared_input(model, tensor->name);
    bool is_equal = declared && declared->datatype == tensor->datatype && declared->rank == tensor->rank;
    for (size_t i = 0; is_equal && i < tensor->rank; i++)
        is_equal = declared->shape[i] < 0 || declared->shape[i] == tensor->shape[i];
    ((struct comparison *)decoding)->is_equal = is_equal;
}

/* Whether the input's name, datatype and shape are such as the model declares. */
static bool is_as_declared(const struct decoding *decoding, size_t input)
{
    struct comparison comparison = {*decoding, false};
    with_model(&comparison.decoding, input, compare);
    return comparison.is_equal;
}

/* --- Duties --- */

struct request_duty {
    const char *slug;
    struct status (*check)(const struct decoding *decoding, size_t input, const struct request_duty *duty);
    void (*amend)(struct decoding *decoding, size_t input); /* when it is broken and off; NULL: nothing is needed */
};

#define NAME(decoding, input) str_printable((decoding)->call->arena, (decoding)->request->inputs[input].tensor.name)

#define BROKEN(decoding, duty, ...)                                                                                    \
    status_broken((decoding)->call->arena, STATUS_INVALID_ARGUMENT, (duty)->slug, __VA_ARGS__)

static struct status name_is_given(const struct decoding *decoding, size_t input, const struct request_duty *duty)
{
    if (decoding->request->inputs[input].tensor.name.size > 0)
        return STATUS_IS_OK;
    return BROKEN(decoding, duty, "inputs[%zu] has no name", input);
}

static void take_the_models_name(struct decoding *decoding, size_t input)
{
    with_model(decoding, input, take_name);
}

static struct status datatype_is_known(const struct decoding *decoding, size_t input, const struct request_duty *duty)
{
    if (decoding->request->inputs[input].tensor.datatype != DATATYPE_NONE)
        return STATUS_IS_OK;
    return BROKEN(decoding, duty, "input '%s' has datatype '%s', which is not one of 000's or BF16",
                  NAME(decoding, input), str_printable(decoding->call->arena, decoding->messages[input].datatype));
}

static void take_the_models_datatype(struct decoding *decoding, size_t input)
{
    with_model(decoding, input, take_datatype);
}

static struct status data_comes_in_one_form(const struct decoding *decoding, size_t input,
                                            const struct request_duty *duty)
{
    if (decoding->raw_count == 0 || decoding->messages[input].contents_elements == 0)
        return STATUS_IS_OK;
    return BROKEN(decoding, duty, "input '%s' has contents, although the request has raw_input_contents: give one",
                  NAME(decoding, input));
}

static struct status raw_is_given(const struct decoding *decoding, size_t input, const struct request_duty *duty)
{
    if (decoding->raw_count == 0 || input < decoding->raw_count)
        return STATUS_IS_OK;
    return BROKEN(decoding, duty, "raw_input_contents has %zu entries for %zu inputs: input '%s' has none",
                  decoding->raw_count, decoding->request->input_count, NAME(decoding, input));
}

static void take_zeros(struct decoding *decoding, size_t input)
{
    decoding->messages[input].is_zero = true;
}

static struct status raw_belongs_to_inputs(const struct decoding *decoding, size_t input,
                                           const struct request_duty *duty)
{
    size_t count = decoding->request->input_count;
    if (input + 1 < count || decoding->raw_count <= count)
        return STATUS_IS_OK;
    return BROKEN(decoding, duty, "raw_input_contents has %zu entries for %zu input%s", decoding->raw_count, count,
                  count == 1 ? "" : "s");
}

/* The rows from here on look at data; of an input that is amended to zeros there is nothing to see. */
static bool is_typed(const struct decoding *decoding, size_t input)
{
    return decoding->raw_count == 0 && !decoding->messages[input].is_zero;
}

static struct status is_not_typed(const struct decoding *decoding, size_t input, const struct request_duty *duty,
                                  enum datatype datatype)
{
    if (!is_typed(decoding, input) || decoding->request->inputs[input].tensor.datatype != datatype ||
        decoding->messages[input].contents_elements == 0 || !is_as_declared(decoding, input))
        return STATUS_IS_OK;
    return BROKEN(decoding, duty, "input '%s' is %s, for which InferTensorContents has no field: send it raw",
                  NAME(decoding, input), datatype_name(datatype));
}

static struct status fp16_is_raw(const struct decoding *decoding, size_t input, const struct request_duty *duty)
{
    return is_not_typed(decoding, input, duty, DATATYPE_FP16);
}

static struct status bf16_is_raw(const struct decoding *decoding, size_t input, const struct request_duty *duty)
{
    return is_not_typed(decoding, input, duty, DATATYPE_BF16);
}

static struct status contents_are_in_their_field(const struct decoding *decoding, size_t input,
                                                 const struct request_duty *duty)
{
    const struct datatype_row *row = &datatype_table[decoding->request->inputs[input].tensor.datatype];
    const struct input_message *message = &decoding->messages[input];
    if (!is_typed(decoding, input) || row->contents_field == 0 ||
        message->contents_elements == message->contents.elements[row->contents_field] ||
        !is_as_declared(decoding, input))
        return STATUS_IS_OK;
    size_t other = 1;
    while (other == (size_t)row->contents_field || message->contents.elements[other] == 0)
        other++;
    return BROKEN(decoding, duty, "input '%s' is %s, whose elements belong in %s, not in %s", NAME(decoding, input),
                  row->name.data, row->contents, contents_field_name(other));
}

static struct status data_is_given(const struct decoding *decoding, size_t input, const struct request_duty *duty)
{
    const struct tensor *tensor = &decoding->request->inputs[input].tensor;
    size_t count;
    if (!is_typed(decoding, input) || decoding->messages[input].contents_elements > 0 ||
        !shape_count(tensor->shape, tensor->rank, &count) || count == 0 || !is_as_declared(decoding, input))
        return STATUS_IS_OK;
    return BROKEN(decoding, duty,
                  "input '%s' has no data: there are neither contents nor raw_input_contents, but its shape %s "
                  "holds %zu element%s",
                  NAME(decoding, input), shape_text(decoding->call->arena, tensor->shape, tensor->rank), count,
                  count == 1 ? "" : "s");
}

/* The next occurrence of the field `contents` in an input's message. */
static bool next_contents(struct wire_cursor *at, struct str *contents)
{
    struct wire_field field;
    while (wire_next(at, &field)) {
        if (field.number == 5) {
            *contents = field.bytes;
            return true;
        }
    }
    return false;
}

static struct status elements_are_in_range(const struct decoding *decoding, size_t input,
                                           const struct request_duty *duty)
{
    enum datatype datatype = decoding->request->inputs[input].tensor.datatype;
    size_t position;
    int64_t value;
    struct wire_cursor at = wire_begin(decoding->messages[input].bytes);
    for (struct str contents; is_typed(decoding, input) && next_contents(&at, &contents);)
        if (contents_misfit(contents, datatype, &position, &value) && is_as_declared(decoding, input))
            return BROKEN(decoding, duty, "input '%s' is %s, which cannot hold its element %lld (position %zu)",
                          NAME(decoding, input), datatype_name(datatype), (long long)value, position);
    return STATUS_IS_OK;
}

/* Also reads the data. How many elements the shape holds is the core's question (data-count). */
static struct status raw_is_whole_elements(const struct decoding *decoding, size_t input,
                                           const struct request_duty *duty)
{
    struct tensor *tensor = &decoding->request->inputs[input].tensor;
    if (input >= decoding->raw_count || decoding->messages[input].is_zero)
        return STATUS_IS_OK;
    struct str raw = decoding->raw[input];
    struct status status = raw_read_tensor(raw, tensor, decoding->call->arena);
    if (is_ok(status))
        return status;
    size_t size = datatype_size(tensor->datatype);
    tensor->count = size ? raw.size / size : 0;
    tensor->size = tensor->count * size;
    if (!is_as_declared(decoding, input))
        return STATUS_IS_OK;
    status.broken = duty->slug;
    return status;
}

/* What came, cut or filled with zeros to the shape. */
static void fit_raw(struct decoding *decoding, size_t input)
{
    struct tensor *tensor = &decoding->request->inputs[input].tensor;
    size_t size = datatype_size(tensor->datatype), count;
    struct str raw = decoding->raw[input];
    if (size == 0 || !shape_count(tensor->shape, tensor->rank, &count)) {
        take_zeros(decoding, input);
        return;
    }
    char *data = arena_alloc_zero(decoding->call->arena, count, size);
    if (!data)
        return;
    memcpy(data, raw.data, raw.size < count * size ? raw.size : count * size);
    tensor->data = data;
    tensor->count = count;
    tensor->size = count * size;
}

/* The first two duties, message-valid and string-utf8, are grpc_check's. */
static const struct request_duty duties[] = {
    {"name-required", name_is_given, take_the_models_name},
    {"datatype-known", datatype_is_known, take_the_models_datatype},
    {"raw-or-contents", data_comes_in_one_form, NULL}, /* off: the raw form counts */
    {"raw-count", raw_is_given, take_zeros},
    {"raw-surplus", raw_belongs_to_inputs, NULL}, /* off: the surplus is not read */
    {"fp16-raw", fp16_is_raw, take_zeros},
    {"bf16-raw", bf16_is_raw, take_zeros},
    {"contents-field", contents_are_in_their_field, take_zeros},
    {"data-required", data_is_given, take_zeros},
    {"element-range", elements_are_in_range, NULL}, /* off: cut to its low bits */
    {"raw-size", raw_is_whole_elements, fit_raw},
};

static struct status check_duties(struct decoding *decoding)
{
    const struct switches *switches = decoding->call->switches;
    const struct request_duty *end = duties + sizeof(duties) / sizeof(duties[0]);
    for (const struct request_duty *duty = duties; duty < end; duty++) {
        for (size_t i = 0; i < decoding->request->input_count; i++) {
            struct status status = duty->check(decoding, i, duty);
            if (is_ok(status))
                continue;
            if (!duty_is_off(switches, duty->slug))
                return status;
            if (duty->amend)
                duty->amend(decoding, i);
        }
    }
    return STATUS_IS_OK;
}

/* --- Data --- */

/* Zeros in the shape's number; empty elements for BYTES. */
static bool fill_with_zeros(struct tensor *tensor, struct arena *arena)
{
    size_t size = datatype_size(tensor->datatype);
    size = size ? size : sizeof(uint32_t);
    if (!shape_count(tensor->shape, tensor->rank, &tensor->count))
        tensor->count = 0;
    tensor->size = tensor->count * size;
    tensor->data = arena_alloc_zero(arena, tensor->count, size);
    return tensor->data != NULL;
}

static bool read_contents(struct tensor *tensor, const struct input_message *message, struct arena *arena)
{
    const struct datatype_row *row = &datatype_table[tensor->datatype];
    tensor->count = message->contents.elements[row->contents_field];
    tensor->size = row->size ? tensor->count * row->size : tensor->count * sizeof(uint32_t) + message->contents.bytes;
    char *to = arena_alloc(arena, tensor->size);
    if (!to)
        return false;
    tensor->data = to;
    struct wire_cursor at = wire_begin(message->bytes);
    for (struct str contents; row->contents_field && next_contents(&at, &contents);)
        to = contents_read(contents, tensor->datatype, to);
    return true;
}

static struct status read_data(struct decoding *decoding)
{
    struct arena *arena = decoding->call->arena;
    for (size_t i = 0; i < decoding->request->input_count; i++) {
        struct tensor *tensor = &decoding->request->inputs[i].tensor;
        bool is_read = true;
        if (decoding->messages[i].is_zero)
            is_read = fill_with_zeros(tensor, arena);
        else if (decoding->raw_count == 0)
            is_read = read_contents(tensor, &decoding->messages[i], arena);
        if (!is_read || !tensor->data)
            return status_no_memory();
    }
    return STATUS_IS_OK;
}

/* --- The whole --- */

static struct status gather(const struct rpc_call *call, const struct message_type *type, struct wire_parts *parts)
{
    struct status status = wire_gather(call->slices, call->slice_count, FIELD_RAW_INPUT_CONTENTS, call->arena, parts);
    if (status.code == STATUS_INVALID_ARGUMENT) {
        status.broken = "message-valid";
        struct str whole;
        if (duty_is_off(call->switches, status.broken) && is_ok(grpc_whole_message(call, &whole)) &&
            is_ok(grpc_check(call, type, &whole)))
            status = wire_gather(&whole, 1, FIELD_RAW_INPUT_CONTENTS, call->arena, parts);
    }
    return is_ok(status) ? grpc_check(call, type, &parts->rest) : status;
}

struct status grpc_decode_request(const struct rpc_call *call, struct infer_request *request, bool *is_raw)
{
    static const struct message_type type = {&inference__model_infer_request__descriptor,
                                             &v2__model_infer_request__descriptor};
    struct wire_parts parts;
    struct status status = gather(call, &type, &parts);
    if (!is_ok(status))
        return status;
    struct decoding decoding = {.call = call, .request = request, .raw = parts.values, .raw_count = parts.count};
    if (!read_envelope(&decoding, parts.rest))
        return status_no_memory();
    *is_raw = parts.count > 0;
    if (duty_is_off(call->switches, "datatype-matches"))
        for (size_t i = 0; i < request->input_count; i++)
            take_the_models_datatype(&decoding, i);
    status = check_duties(&decoding);
    return is_ok(status) ? read_data(&decoding) : status;
}
