/* Inference over gRPC (000, "GRPC Inference"). grpc_decode.h decodes the ModelInferRequest; this file encodes the
 * answer. */
#include "predict_v2/grpc_decode.h"

#include "base/search.h"
#include "wire/backward.h"

#define FIELD_RAW_OUTPUT_CONTENTS 6
#define HEAD_EXPECTED             512 /* bytes of an answer without its data */
#define DATA_COPIED               ((size_t)1024)

struct infer_call {
    struct infer_request request;
    struct rpc_call *call;
    struct data_form form;
};

/* --- The answer --- */

/* Says whether the answer is raw. FP16 and BF16 have no typed form, so one such output makes the whole answer raw: 000
 * demands raw data for all outputs or none. v2-grpc.output-fp16-raw v2-grpc.answer-raw-or-contents */
static bool answers_raw(enum grpc_output form, bool came_raw, const struct infer_response *response)
{
    if (form == GRPC_OUTPUT_RAW || (form == GRPC_OUTPUT_MIRROR && came_raw))
        return true;
    return ANY(i, response->output_count, datatype_table[response->outputs[i].tensor.datatype].contents_field == 0);
}

/* The fields of messages are written from the last one to the first one (wire/backward.h). */
static struct status write_parameters(struct wire_backward *out, uint32_t number, const struct parameters *parameters,
                                      const ProtobufCMessageDescriptor *entry)
{
    GrpcParameter **entries = NULL;
    size_t count = 0;
    if (parameters->count == 0)
        return STATUS_IS_OK;
    struct status status = grpc_parameters(out->arena, parameters, entry, &entries, &count);
    for (size_t i = count; i-- > 0;)
        wire_backward_message(out, number, &entries[i]->base);
    return status;
}

/* v2-grpc.output-datatype v2-grpc.output-shape */
static struct status write_output(struct wire_backward *out, const struct model_output *output, bool is_raw)
{
    const struct tensor *tensor = &output->tensor;
    V2__InferTensorContents *contents = NULL;
    TRY(is_raw ? STATUS_IS_OK : contents_of_tensor(tensor, out->arena, &contents));
    size_t end = wire_backward_size(out);
    if (contents)
        wire_backward_message(out, 5, &contents->base);
    struct status status = write_parameters(
        out, 4, &output->parameters, &v2__model_infer_response__infer_output_tensor__parameters_entry__descriptor);
    wire_backward_int64s(out, 3, tensor->shape, tensor->rank);
    wire_backward_text(out, 2, datatype_table[tensor->datatype].name);
    wire_backward_text(out, 1, tensor->name);
    wire_backward_nest(out, 5, end);
    return status;
}

/* Encodes the whole response as one piece, except raw_output_contents if these are not `copied`. It has no id if the
 * request has none. v2-grpc.id-echoed v2-grpc.id-not-invented v2-grpc.model-name-given v2-grpc.model-version-given
 * v2-grpc.outputs-order */
static struct status encode_head(const struct infer_request *request, const struct infer_response *response,
                                 bool is_raw, size_t copied, struct str *piece)
{
    struct wire_backward out = wire_backward_begin(request->answer_arena, HEAD_EXPECTED + copied);
    for (size_t i = copied ? response->output_count : 0; i-- > 0;) {
        const struct tensor *tensor = &response->outputs[i].tensor;
        wire_backward_bytes(&out, FIELD_RAW_OUTPUT_CONTENTS, (struct str){tensor->data, tensor->size});
    }
    for (size_t i = response->output_count; i-- > 0;)
        TRY(write_output(&out, &response->outputs[i], is_raw));
    TRY(write_parameters(&out, 4, &response->parameters, &v2__model_infer_response__parameters_entry__descriptor));
    wire_backward_text(&out, 3, request->id);
    wire_backward_text(&out, 2, response->model->version);
    wire_backward_text(&out, 1, response->model->name);
    *piece = wire_backward_end(&out);
    return piece->data ? STATUS_IS_OK : status_no_memory();
}

/* Sends each tensor from where it lies, after the few bytes of its tag and length. v2-grpc.answer-raw-count
 * v2-grpc.raw-bytes-layout */
static struct status encode_raw(const struct infer_response *response, struct arena *arena, struct str *pieces)
{
    char *heads = arena_alloc(arena, response->output_count * WIRE_HEAD_MAX);
    NEED(heads);
    for (size_t i = 0; i < response->output_count; i++) {
        const struct tensor *tensor = &response->outputs[i].tensor;
        *pieces++ = wire_head(FIELD_RAW_OUTPUT_CONTENTS, tensor->size, heads + i * WIRE_HEAD_MAX);
        *pieces++ = (struct str){tensor->data, tensor->size};
    }
    return STATUS_IS_OK;
}

struct status grpc_encode_response(enum grpc_output form, bool came_raw, const struct infer_request *request,
                                   const struct infer_response *response, struct str **pieces, size_t *count)
{
    bool is_raw = answers_raw(form, came_raw, response);
    size_t size = is_raw ? SUM(i, response->output_count, response->outputs[i].tensor.size) : 0,
           copied = size <= DATA_COPIED ? size : 0;
    *count = 1 + (is_raw && !copied ? 2 * response->output_count : 0);
    *pieces = arena_alloc(request->answer_arena, *count * sizeof(**pieces));
    NEED(*pieces);
    TRY(encode_head(request, response, is_raw, copied, *pieces));
    if (*count > 1)
        TRY(encode_raw(response, request->answer_arena, *pieces + 1));
    return STATUS_IS_OK;
}

static struct status encode(struct infer_request *request, const struct infer_response *response)
{
    const struct infer_call *infer = request->context;
    struct rpc_call *call = infer->call;
    const struct shared *shared = call->context;
    return grpc_encode_response(shared->options->grpc_output, infer->form.is_raw, request, response, &call->pieces,
                                &call->piece_count);
}

static void answer(struct infer_request *request)
{
    const struct infer_call *infer = request->context;
    struct rpc_call *call = infer->call;
    if (is_ok(request->status)) {
        call->status = request->status;
        rpc_answer(call);
    } else {
        rpc_refuse(call, request->status);
    }
}

static bool is_awaited(const struct infer_request *request)
{
    const struct infer_call *infer = request->context;
    return rpc_is_awaited(infer->call);
}

/* grpc_duties.c and inference/duties.c have the duties of a request.
 * v2-grpc.id-echoed v2-grpc.output-values v2-grpc.outputs-on-request v2-grpc.all-outputs */
void grpc_model_infer(struct rpc_call *call)
{
    const struct shared *shared = call->context;
    struct infer_call *infer_call = arena_new_of(call->arena, struct infer_call);
    if (!infer_call) {
        rpc_refuse(call, status_no_memory());
        return;
    }
    infer_call->call = call;
    struct infer_request *request = &infer_call->request;
    request->arena = call->arena;
    request->repository = shared->repository;
    request->emit = encode;
    request->done = answer;
    request->is_awaited = is_awaited;
    request->context = infer_call;
    struct status status = grpc_decode_request(call, request, &infer_call->form);
    if (!infer_call->form.is_in_message)
        rpc_release_message(call);
    if (is_ok(status))
        infer(request);
    else
        rpc_refuse(call, status);
}
