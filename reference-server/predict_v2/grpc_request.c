/* Decodes the whole ModelInferRequest: its raw data is split off, and all data is read. */
#include "predict_v2/grpc_decode.h"

#include "wire/gather.h"

/* --- Data --- */

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
        if (decoding->raw_count == 0)
            is_read = read_contents(tensor, &decoding->messages[i], arena);
        if (!is_read || !tensor->data)
            return status_no_memory();
    }
    return STATUS_IS_OK;
}

/* --- The whole --- */

size_t grpc_data_begins(struct str start)
{
    return wire_first_value(start, REQUEST_RAW);
}

static struct status gather(const struct rpc_call *call, struct wire_parts *parts)
{
    bool may_stay = !call->method->stream; /* otherwise the next message takes the place of this one */
    struct status status = wire_gather(call->message, REQUEST_RAW, may_stay, call->arena, parts);
    if (status.code == STATUS_INVALID_ARGUMENT)
        status.broken = "message-valid";
    return status;
}

/* What is wrong with the whole message counts more than what is wrong with its parts. */
static struct status read_rest(struct decoding *decoding, struct str rest)
{
    struct status status = read_envelope(decoding, rest);
    if (is_ok(status))
        return status;
    struct status whole = grpc_check(decoding->call, &v2__model_infer_request__descriptor, rest);
    return is_ok(whole) ? status : whole;
}

struct status grpc_decode_request(const struct rpc_call *call, struct infer_request *request, struct data_form *form)
{
    struct wire_parts parts;
    struct status status = gather(call, &parts);
    if (!is_ok(status))
        return status;
    struct decoding decoding = {.call = call, .request = request, .raw = parts.values, .raw_count = parts.count};
    status = read_rest(&decoding, parts.rest);
    if (!is_ok(status))
        return status;
    *form = (struct data_form){.is_raw = parts.count > 0, .is_in_message = parts.staying > 0 || parts.rest_stays};
    status = check_request_duties(&decoding);
    return is_ok(status) ? read_data(&decoding) : status;
}
