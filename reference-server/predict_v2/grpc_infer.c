/* Inference over gRPC (000, "GRPC Inference"). grpc_decode.h decodes the ModelInferRequest; this file encodes the
 * answer. */
#include "predict_v2/grpc_infer.h"

#include "predict_v2/grpc_contents.h"
#include "predict_v2/grpc_decode.h"
#include "wire/wire.h"

#define FIELD_RAW_OUTPUT_CONTENTS 6
#define FRAME_MAX                 11 /* the longest tag and length of a field */

typedef V2__ModelInferResponse__InferOutputTensor OutputTensor;

struct infer_call {
    struct infer_request request;
    struct rpc_call *call;
    bool came_raw;
};

/* --- The answer --- */

/* Says whether the answer is raw. FP16 and BF16 have no typed form, so one such output makes the whole answer raw: 000
 * demands raw data for all outputs or none. v2-grpc.output-fp16-raw v2-grpc.answer-raw-or-contents */
static bool answers_raw(enum grpc_output form, bool came_raw, const struct infer_response *response)
{
    if (form == GRPC_OUTPUT_RAW || (form == GRPC_OUTPUT_MIRROR && came_raw))
        return true;
    for (size_t i = 0; i < response->output_count; i++)
        if (datatype_table[response->outputs[i].tensor.datatype].contents_field == 0)
            return true;
    return false;
}

/* v2-grpc.output-datatype v2-grpc.output-shape */
static struct status describe_output(const struct model_output *output, bool is_raw, struct arena *arena,
                                     OutputTensor *described)
{
    const struct tensor *tensor = &output->tensor;
    v2__model_infer_response__infer_output_tensor__init(described);
    described->name = grpc_bytes(tensor->name);
    described->datatype = grpc_bytes(str_of(datatype_name(tensor->datatype)));
    described->shape = (int64_t *)(uintptr_t)tensor->shape;
    described->n_shape = tensor->rank;
    struct status status = grpc_parameters(arena, &output->parameters,
                                           &v2__model_infer_response__infer_output_tensor__parameters_entry__descriptor,
                                           &described->parameters, &described->n_parameters);
    if (is_ok(status) && !is_raw)
        status = contents_of_tensor(tensor, arena, &described->contents);
    return status;
}

/* Encodes the whole response except raw_output_contents, as one piece. It has no id if the request has none.
 * v2-grpc.id-echoed v2-grpc.id-not-invented v2-grpc.model-name-given v2-grpc.model-version-given
 * v2-grpc.outputs-order */
static struct status encode_head(const struct infer_request *request, const struct infer_response *response,
                                 bool is_raw, struct str *piece)
{
    struct arena *arena = request->answer_arena;
    OutputTensor *outputs = arena_alloc(arena, response->output_count * sizeof(*outputs));
    OutputTensor **list = arena_alloc(arena, response->output_count * sizeof(*list));
    if (!outputs || !list)
        return status_no_memory();
    V2__ModelInferResponse message = V2__MODEL_INFER_RESPONSE__INIT;
    message.model_name = grpc_bytes(response->model->name);
    message.model_version = grpc_bytes(response->model->version);
    message.id = grpc_bytes(request->id);
    message.n_outputs = response->output_count;
    message.outputs = list;
    struct status status =
        grpc_parameters(arena, &response->parameters, &v2__model_infer_response__parameters_entry__descriptor,
                        &message.parameters, &message.n_parameters);
    for (size_t i = 0; is_ok(status) && i < response->output_count; i++) {
        list[i] = &outputs[i];
        status = describe_output(&response->outputs[i], is_raw, arena, list[i]);
    }
    if (!is_ok(status))
        return status;
    *piece = grpc_packed(arena, &message.base);
    return piece->data ? STATUS_IS_OK : status_no_memory();
}

/* Sends each tensor from where it lies, after the few bytes of its tag and length. v2-grpc.answer-raw-count
 * v2-grpc.raw-bytes-layout */
static struct status encode_raw(const struct infer_response *response, struct arena *arena, struct str *pieces)
{
    char *frame = arena_alloc(arena, response->output_count * FRAME_MAX);
    if (!frame)
        return status_no_memory();
    for (size_t i = 0; i < response->output_count; i++) {
        const struct tensor *tensor = &response->outputs[i].tensor;
        size_t size = wire_put_varint(frame, FIELD_RAW_OUTPUT_CONTENTS << 3 | WIRE_BYTES);
        size += wire_put_varint(frame + size, tensor->size);
        *pieces++ = (struct str){frame, size};
        *pieces++ = (struct str){tensor->data, tensor->size};
        frame += size;
    }
    return STATUS_IS_OK;
}

struct status grpc_encode_response(enum grpc_output form, bool came_raw, const struct infer_request *request,
                                   const struct infer_response *response, struct str **pieces, size_t *count)
{
    bool is_raw = answers_raw(form, came_raw, response);
    *count = 1 + (is_raw ? 2 * response->output_count : 0);
    *pieces = arena_alloc(request->answer_arena, *count * sizeof(**pieces));
    if (!*pieces)
        return status_no_memory();
    struct status status = encode_head(request, response, is_raw, *pieces);
    if (is_ok(status) && is_raw)
        status = encode_raw(response, request->answer_arena, *pieces + 1);
    return status;
}

static struct status encode(struct infer_request *request, const struct infer_response *response)
{
    const struct infer_call *infer = request->context;
    struct rpc_call *call = infer->call;
    const struct predict_v2 *v2 = call->context;
    return grpc_encode_response(v2->grpc_output, infer->came_raw, request, response, &call->pieces, &call->piece_count);
}

static void answer(struct infer_request *request)
{
    const struct infer_call *infer = request->context;
    struct rpc_call *call = infer->call;
    if (is_ok(request->status)) {
        call->status = request->status;
        rpc_answer(call);
    } else {
        grpc_refuse(call, request->status);
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
    const struct predict_v2 *v2 = call->context;
    struct infer_call *infer_call = arena_new_of(call->arena, struct infer_call);
    if (!infer_call) {
        grpc_refuse(call, status_no_memory());
        return;
    }
    infer_call->call = call;
    struct infer_request *request = &infer_call->request;
    request->arena = call->arena;
    request->repository = v2->repository;
    request->switches = call->switches;
    request->emit = encode;
    request->done = answer;
    request->is_awaited = is_awaited;
    request->context = infer_call;
    struct status status = grpc_decode_request(call, request, &infer_call->came_raw);
    rpc_release_message(call);
    if (is_ok(status))
        infer(request);
    else
        grpc_refuse(call, status);
}
