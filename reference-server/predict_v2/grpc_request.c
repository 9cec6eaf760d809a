/* Decodes the whole ModelInferRequest: its raw data is split off. */
#include "predict_v2/grpc_decode.h"

#include "wire/gather.h"

size_t grpc_data_begins(struct str start)
{
    return wire_first_value(start, REQUEST_RAW);
}

static struct status gather(const struct rpc_call *call, struct arena *arena, struct wire_parts *parts)
{
    bool may_stay = !call->method->stream; /* a stream reuses the memory of the message for the next one */
    struct status status = wire_gather(call->message, REQUEST_RAW, may_stay, arena, parts);
    if (status.code == STATUS_INVALID_ARGUMENT)
        status.broken = "message-valid";
    return status;
}

/* A fault of the whole message replaces the fault that read_envelope found in a part. */
static struct status read_rest(struct decoding *decoding, struct str rest)
{
    struct status status = read_envelope(decoding, rest);
    if (is_ok(status))
        return status;
    struct status whole =
        grpc_check(decoding->call, &v2__model_infer_request__descriptor, rest, decoding->request->arena);
    return is_ok(whole) ? status : whole;
}

struct status grpc_decode_request(const struct rpc_call *call, struct infer_request *request, struct data_form *form)
{
    struct wire_parts parts;
    TRY(gather(call, request->arena, &parts));
    struct decoding decoding = {.call = call, .request = request, .raw = parts.values, .raw_count = parts.count};
    TRY(read_rest(&decoding, parts.rest));
    *form = (struct data_form){.is_raw = parts.count > 0, .is_in_message = parts.staying > 0 || parts.rest_stays};
    return check_request_duties(&decoding);
}
