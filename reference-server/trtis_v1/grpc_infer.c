/* "Inference" of 002 over gRPC: an InferRequest, whose raw_input are the bytes of the inputs. In the InferResponse,
 * raw_output has an element for each output, which is empty for a classification. */
#include "trtis_v1/grpc.h"

#include "base/clock.h"

#define FIELD_RAW_INPUT  4
#define FIELD_RAW_OUTPUT 3

/* --- The answer --- */

static struct str packed_head(const struct v1_infer *asked)
{
    V1__RequestStatus request_status = v1_request_status(&asked->outcome);
    V1__InferResponse response = V1__INFER_RESPONSE__INIT;
    response.request_status = &request_status;
    response.meta_data = asked->response;
    return structs_packed(asked->request.arena, &response.base);
}

/* Each output is sent from where it lies, after its tag and length. trtis-v1-grpc.raw-in-order */
struct str *v1_grpc_pieces(const struct v1_infer *asked, size_t *count)
{
    struct arena *arena = asked->request.arena;
    bool succeeds = asked->outcome.code == V1__REQUEST_STATUS_CODE__SUCCESS;
    size_t outputs = succeeds ? asked->response->n_output : 0;
    char *heads = arena_alloc(arena, outputs * WIRE_HEAD_MAX);
    struct str *pieces = arena_alloc(arena, (1 + 2 * outputs) * sizeof(*pieces)), head = packed_head(asked);
    if (!heads || !pieces || !head.data)
        return NULL;
    pieces[0] = head;
    for (size_t i = 0; i < outputs; i++) {
        pieces[1 + 2 * i] = wire_head(FIELD_RAW_OUTPUT, asked->raw[i].size, heads + i * WIRE_HEAD_MAX);
        pieces[2 + 2 * i] = asked->raw[i];
    }
    *count = 1 + 2 * outputs;
    return pieces;
}

static void answer(struct v1_infer *asked)
{
    struct rpc_call *call = asked->request.context;
    call->pieces = v1_grpc_pieces(asked, &call->piece_count);
    if (!call->pieces) {
        rpc_refuse(call, status_no_memory());
        return;
    }
    call->refused_by = asked->outcome.broken;
    call->status = STATUS_IS_OK;
    rpc_answer(call);
}

static bool is_awaited(const struct infer_request *request)
{
    return rpc_is_awaited(request->context);
}

struct v1_infer v1_grpc_asked(struct rpc_call *call, struct arena *arena, void (*give)(struct v1_infer *asked))
{
    return (struct v1_infer){
        .request = {.arena = arena, .is_awaited = is_awaited, .context = call}, .v1 = call->context, .answer = give};
}

/* --- The request --- */

/* trtis-v1-grpc.raw-input-count trtis-v1-grpc.data-count */
static struct status take_raw(struct v1_infer *asked, const struct wire_parts *parts)
{
    struct arena *arena = asked->request.arena;
    struct str model = asked->hold.model->name;
    size_t count = asked->request.input_count;
    if (parts->count != count)
        return status_breaks(arena, "raw-input-count",
                             "expected tensor data for %zu inputs but got %zu sets of data for model '%.*s'", count,
                             parts->count, STR_ARG(model));
    for (size_t i = 0; i < count; i++) {
        struct str name = asked->request.inputs[i].tensor.name;
        if (parts->values[i].size != asked->sizes[i])
            return status_breaks(arena, "data-count",
                                 "unexpected size %zu for input '%.*s', expecting %zu for model '%.*s'",
                                 parts->values[i].size, STR_ARG(name), asked->sizes[i], STR_ARG(model));
        TRY(v1_infer_take(asked, i, parts->values[i]));
    }
    return STATUS_IS_OK;
}

struct status v1_grpc_read_infer(const struct rpc_call *call, struct v1_infer *asked, struct wire_parts *parts)
{
    static const V1__InferRequestHeader none = V1__INFER_REQUEST_HEADER__INIT;
    ProtobufCMessage *message = NULL;
    asked->request.began = clock_now();
    struct status status = wire_gather(call->message, FIELD_RAW_INPUT, false, asked->request.arena, parts);
    if (is_ok(status) || status.code == STATUS_INVALID_ARGUMENT) /* then reading the whole says what is wrong */
        status = v1_grpc_read(call, &v1__infer_request__descriptor, is_ok(status) ? parts->rest : call->message,
                              asked->request.arena, &message);
    TRY(status);
    const V1__InferRequest *request = (const V1__InferRequest *)message;
    asked->request.model_name = structs_str(request->model_name);
    asked->version = request->model_version;
    asked->header = request->meta_data ? request->meta_data : &none;
    return STATUS_IS_OK;
}

static struct status prepare(struct v1_infer *asked, const struct wire_parts *parts)
{
    TRY(v1_infer_find(asked));
    TRY(v1_infer_check(asked));
    return take_raw(asked, parts);
}

void v1_grpc_run(struct v1_infer *asked, const struct wire_parts *parts)
{
    struct status status = prepare(asked, parts);
    if (is_ok(status))
        v1_infer_run(asked);
    else
        v1_infer_refuse(asked, status);
}

/* trtis-v1-grpc.infer-answers */
void v1_grpc_infer(struct rpc_call *call)
{
    struct v1_infer *asked = arena_new_of(call->arena, struct v1_infer);
    if (!asked) {
        rpc_refuse(call, status_no_memory());
        return;
    }
    struct wire_parts parts = {0};
    *asked = v1_grpc_asked(call, call->arena, answer);
    struct status status = v1_grpc_read_infer(call, asked, &parts);
    rpc_release_message(call);
    if (is_ok(status))
        v1_grpc_run(asked, &parts);
    else
        rpc_refuse(call, status);
}
