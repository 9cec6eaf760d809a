/* Inference over REST (000, "Inference"): POST v2/models/NAME[/versions/VERSION]/infer. */
#include "predict_v2/rest_binary.h"
#include "predict_v2/rest_events.h"

#include "tensor/json_tensor.h"
#include "json/writer.h"

/* Writes the object of an output: with its data, or with the size of the data that follows the JSON. */
static struct status encode_output(const struct model_output *output, bool is_binary, struct buf *out,
                                   struct arena *arena)
{
    const struct tensor *tensor = &output->tensor;
    struct parameters parameters = output->parameters;
    if (is_binary)
        TRY(binary_parameters(output, arena, &parameters));
    buf_append_literal(out, "{\"name\":");
    json_write_string(out, tensor->name);
    buf_append_literal(out, ",\"datatype\":\"");
    buf_append_str(out, datatype_table[tensor->datatype].name);
    buf_append_literal(out, "\",\"shape\":");
    rest_write_shape(tensor->shape, tensor->rank, out);
    TRY(rest_write_parameters(&parameters, out, arena));
    if (!is_binary) {
        buf_append_literal(out, ",\"data\":");
        TRY(json_write_tensor(tensor, out, arena));
    }
    buf_append_byte(out, '}');
    return STATUS_IS_OK;
}

/* Adds the data of a binary output to the pieces after the JSON. */
static struct status add_tail(struct rest_call *call, const struct infer_response *response,
                              const struct tensor *tensor)
{
    struct http_request *http = call->http;
    struct str *tail = (struct str *)(uintptr_t)http->answer_tail;
    if (!call->has_binary)
        tail = arena_alloc(call->arena, response->output_count * sizeof(*tail));
    NEED(tail);
    call->has_binary = true;
    tail[http->answer_tail_count++] = (struct str){tensor->data, tensor->size};
    http->answer_tail = tail;
    return STATUS_IS_OK;
}

/* Writes the object of a response. `call` takes the outputs that are to be binary; if it is NULL, none is.
 * v2-rest.id-echoed v2-rest.id-not-invented v2-rest.model-name-given v2-rest.model-version-given v2-rest.all-outputs
 * v2-rest.outputs-on-request v2-rest.outputs-order v2-rest.output-datatype v2-rest.output-shape */
static struct status encode(struct rest_call *call, const struct infer_request *request,
                            const struct infer_response *response, struct buf *out)
{
    rest_write_origin(request->id, response, out);
    TRY(rest_write_parameters(&response->parameters, out, request->answer_arena));
    buf_append_literal(out, ",\"outputs\":[");
    for (size_t i = 0; i < response->output_count; i++) {
        json_write_next(out);
        bool is_binary = call && binary_is_wanted(request, i);
        TRY(encode_output(&response->outputs[i], is_binary, out, request->answer_arena));
        if (is_binary)
            TRY(add_tail(call, response, &response->outputs[i].tensor));
    }
    buf_append_literal(out, "]}");
    return STATUS_IS_OK;
}

static struct status encode_answer(struct infer_request *request, const struct infer_response *response)
{
    struct rest_call *call = request->context;
    TRY(encode(call, request, response, &call->http->answer_buf));
    return call->has_binary ? binary_announce(call) : STATUS_IS_OK;
}

static struct status encode_event(const struct infer_request *request, const struct infer_response *response,
                                  struct buf *out)
{
    return encode(NULL, request, response, out);
}

/* This runs inside infer, or later on another thread. It must not use the call after the answer. */
static void send_answer(struct infer_request *request)
{
    struct rest_call *call = request->context;
    if (request->status.code == STATUS_UNIMPLEMENTED)
        rest_refuse_as(call, 501, request->status); /* the model does not give one answer */
    else
        rest_answer(call, request->status);
}

/* 003, "Streaming Responses": says whether the answers of a decoupled model are to come as events. */
static bool wants_events(const struct infer_request *request)
{
    return parameters_say(&request->parameters, "stream") &&
           predict_v2_is_decoupled(request->repository, request->model_name, request->model_version, request->arena);
}

static bool is_awaited(const struct infer_request *request)
{
    const struct rest_call *call = request->context;
    return http_is_awaited(call->http);
}

/* v2-rest.infer-answers v2-rest.infer-versioned v2-rest.infer-versionless v2-rest.content-type-ignored */
void rest_infer(struct rest_call *call)
{
    struct infer_request *request = arena_alloc(call->arena, sizeof(*request));
    struct str body = {0};
    bool admitted = !infer_draining();
    struct status status = request ? STATUS_IS_OK : status_no_memory();
    binary_expect(call);
    if (is_ok(status))
        status = http_read_body(call->http, &body);
    if (is_ok(status)) {
        *request = (struct infer_request){
            .arena = call->arena,
            .repository = call->shared->repository,
            .model_name = call->model,
            .model_version = call->version,
            .admitted = admitted,
            .emit = encode_answer,
            .done = send_answer,
            .is_awaited = is_awaited,
            .context = call,
        };
        status = rest_decode_infer(call, body, request);
    }
    if (!is_ok(status))
        rest_refuse(call, status);
    else if (wants_events(request))
        rest_answer_events(call, request, EVENTS_MANY, encode_event);
    else
        infer(request);
}
