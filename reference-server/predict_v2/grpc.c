/* The endpoints of 000 over gRPC but for inference (000, "GRPC": Health, Server Metadata, Model Metadata), and the
 * table of them all. Each reads its message, asks the repository, answers. */
#include "inference/infer.h"
#include "predict_v2/grpc_infer.h"
#include "predict_v2/grpc_message.h"
#include "predict_v2/predict_v2.h"
#include <inference.pb-c.h>

/* The two forms of a message: MESSAGE_TYPE(server_live_request). */
#define MESSAGE_TYPE(name) ((struct message_type){&inference__##name##__descriptor, &v2__##name##__descriptor})

static struct str text(ProtobufCBinaryData bytes)
{
    return (struct str){(const char *)bytes.data, bytes.len};
}

/* v2-grpc.server-live v2-grpc.live-while-loading */
static void server_live(struct rpc_call *call)
{
    ProtobufCMessage *message;
    struct status status = grpc_read(call, &MESSAGE_TYPE(server_live_request), &message);
    if (!is_ok(status)) {
        grpc_refuse(call, status);
        return;
    }
    V2__ServerLiveResponse response = V2__SERVER_LIVE_RESPONSE__INIT;
    response.live = true;
    grpc_answer(call, &response.base);
}

/* Ready means that every model is, and that the server is not about to go.
 * v2-grpc.server-ready v2-grpc.ready-while-loading */
static void server_ready(struct rpc_call *call)
{
    const struct predict_v2 *server = call->context;
    ProtobufCMessage *message;
    struct status status = grpc_read(call, &MESSAGE_TYPE(server_ready_request), &message);
    if (!is_ok(status)) {
        grpc_refuse(call, status);
        return;
    }
    V2__ServerReadyResponse response = V2__SERVER_READY_RESPONSE__INIT;
    response.ready = !infer_draining() && repository_ready(server->repository);
    grpc_answer(call, &response.base);
}

/* An unknown model or version is an error, NOT_FOUND; one that is not ready answers false.
 * v2-grpc.model-is-ready v2-grpc.model-ready-versioned v2-grpc.model-ready-false v2-grpc.model-ready-error */
static void model_ready(struct rpc_call *call)
{
    const struct predict_v2 *server = call->context;
    ProtobufCMessage *message;
    struct model *model = NULL;
    struct status status = grpc_read(call, &MESSAGE_TYPE(model_ready_request), &message);
    if (is_ok(status)) {
        const V2__ModelReadyRequest *request = (const V2__ModelReadyRequest *)message;
        status = repository_find(server->repository, text(request->name), text(request->version), call->arena, &model);
    }
    if (!is_ok(status)) {
        grpc_refuse(call, status);
        return;
    }
    V2__ModelReadyResponse response = V2__MODEL_READY_RESPONSE__INIT;
    response.ready = atomic_load(&model->state) == MODEL_READY;
    grpc_answer(call, &response.base);
}

/* v2-grpc.server-metadata v2-grpc.server-name v2-grpc.server-version */
static void server_metadata(struct rpc_call *call)
{
    const struct predict_v2 *server = call->context;
    ProtobufCMessage *message;
    struct status status = grpc_read(call, &MESSAGE_TYPE(server_metadata_request), &message);
    ProtobufCBinaryData *extensions = arena_alloc(call->arena, server->extension_count * sizeof(*extensions));
    if (!is_ok(status) || !extensions) {
        grpc_refuse(call, is_ok(status) ? status_no_memory() : status);
        return;
    }
    for (size_t i = 0; i < server->extension_count; i++)
        extensions[i] = grpc_bytes(str_of(server->extensions[i]));
    V2__ServerMetadataResponse response = V2__SERVER_METADATA_RESPONSE__INIT;
    response.name = grpc_bytes(str_of(server->name));
    response.version = grpc_bytes(str_of(server->version));
    response.n_extensions = server->extension_count;
    response.extensions = extensions;
    grpc_answer(call, &response.base);
}

typedef V2__ModelMetadataResponse__TensorMetadata TensorMetadata;

/* v2-grpc.metadata-inputs v2-grpc.metadata-outputs v2-grpc.metadata-datatype v2-grpc.metadata-variable */
static struct status describe_tensors(struct arena *arena, const struct tensor_spec *specs, size_t count,
                                      TensorMetadata ***described)
{
    TensorMetadata *tensors = arena_alloc(arena, count * sizeof(*tensors));
    TensorMetadata **list = arena_alloc(arena, count * sizeof(*list));
    if (!tensors || !list)
        return status_no_memory();
    for (size_t i = 0; i < count; i++) {
        v2__model_metadata_response__tensor_metadata__init(&tensors[i]);
        tensors[i].name = grpc_bytes(specs[i].name);
        tensors[i].datatype = grpc_bytes(str_of(datatype_name(specs[i].datatype)));
        tensors[i].shape = (int64_t *)(uintptr_t)specs[i].shape;
        tensors[i].n_shape = specs[i].rank;
        struct status status = grpc_parameters(
            arena, &specs[i].parameters, &v2__model_metadata_response__tensor_metadata__parameters_entry__descriptor,
            &tensors[i].parameters, &tensors[i].n_parameters);
        if (!is_ok(status))
            return status;
        list[i] = &tensors[i];
    }
    *described = list;
    return STATUS_IS_OK;
}

/* v2-grpc.metadata-name v2-grpc.metadata-platform v2-grpc.metadata-versions */
static struct status describe_model(struct rpc_call *call, const struct model *model,
                                    V2__ModelMetadataResponse *response)
{
    const struct predict_v2 *server = call->context;
    if (atomic_load(&model->state) != MODEL_READY)
        return status_broken(call->arena, STATUS_FAILED_PRECONDITION, "model-ready",
                             "model '%s' version %s is not ready: its metadata is not known",
                             str_printable(call->arena, model->name), str_printable(call->arena, model->version));
    struct str *versions;
    size_t count = repository_versions(server->repository, model->name, call->arena, &versions);
    ProtobufCBinaryData *listed = arena_alloc(call->arena, count * sizeof(*listed));
    if (!listed)
        return status_no_memory();
    for (size_t i = 0; i < count; i++)
        listed[i] = grpc_bytes(versions[i]);
    response->name = grpc_bytes(model->name);
    response->platform = grpc_bytes(model->platform);
    response->n_versions = count;
    response->versions = listed;
    response->n_inputs = model->input_count;
    response->n_outputs = model->output_count;
    struct status status = describe_tensors(call->arena, model->inputs, model->input_count, &response->inputs);
    if (is_ok(status))
        status = describe_tensors(call->arena, model->outputs, model->output_count, &response->outputs);
    if (is_ok(status))
        status =
            grpc_parameters(call->arena, &model->parameters, &v2__model_metadata_response__parameters_entry__descriptor,
                            &response->parameters, &response->n_parameters);
    return status;
}

/* As repository_find; what is broken are metadata's own requirements. v2-grpc.model-unknown-code */
static struct status find_to_describe(struct repository *repository, struct str name, struct str version,
                                      struct arena *arena, struct model **model)
{
    struct status status = repository_find(repository, name, version, arena, model);
    if (!is_ok(status) && status.broken)
        status.broken =
            str_is(str_of(status.broken), "model-known") ? "metadata-model-known" : "metadata-version-known";
    return status;
}

/* v2-grpc.model-metadata v2-grpc.metadata-versioned */
static void model_metadata(struct rpc_call *call)
{
    const struct predict_v2 *server = call->context;
    ProtobufCMessage *message;
    struct model *model = NULL;
    V2__ModelMetadataResponse response = V2__MODEL_METADATA_RESPONSE__INIT;
    struct status status = grpc_read(call, &MESSAGE_TYPE(model_metadata_request), &message);
    if (is_ok(status)) {
        const V2__ModelMetadataRequest *request = (const V2__ModelMetadataRequest *)message;
        status = find_to_describe(server->repository, text(request->name), text(request->version), call->arena, &model);
    }
    if (is_ok(status))
        status = describe_model(call, model, &response);
    if (is_ok(status))
        grpc_answer(call, &response.base);
    else
        grpc_refuse(call, status);
}

/* v2-grpc.method-unknown: what is not here is UNIMPLEMENTED, which the transport says. */
const struct rpc_method predict_v2_methods[] = {
    {"/inference.GRPCInferenceService/ServerLive", server_live},
    {"/inference.GRPCInferenceService/ServerReady", server_ready},
    {"/inference.GRPCInferenceService/ModelReady", model_ready},
    {"/inference.GRPCInferenceService/ServerMetadata", server_metadata},
    {"/inference.GRPCInferenceService/ModelMetadata", model_metadata},
    {"/inference.GRPCInferenceService/ModelInfer", grpc_model_infer},
};

const size_t predict_v2_method_count = sizeof(predict_v2_methods) / sizeof(predict_v2_methods[0]);
