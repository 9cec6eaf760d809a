/* Model metadata over gRPC (000, "GRPC Model Metadata"). */
#include "predict_v2/grpc.h"

typedef V2__ModelMetadataResponse__TensorMetadata TensorMetadata;

/* v2-grpc.metadata-inputs v2-grpc.metadata-outputs v2-grpc.metadata-datatype v2-grpc.metadata-variable */
static struct status describe_tensors(struct arena *arena, const struct tensor_spec *specs, size_t count,
                                      TensorMetadata ***described)
{
    TensorMetadata **list = structs_list(arena, &v2__model_metadata_response__tensor_metadata__descriptor, count);
    NEED(list);
    for (size_t i = 0; i < count; i++) {
        list[i]->name = structs_bytes(specs[i].name);
        list[i]->datatype = structs_bytes(str_of(datatype_name(specs[i].datatype)));
        list[i]->shape = (int64_t *)(uintptr_t)specs[i].shape;
        list[i]->n_shape = specs[i].rank;
        TRY(grpc_parameters(arena, &specs[i].parameters,
                            &v2__model_metadata_response__tensor_metadata__parameters_entry__descriptor,
                            &list[i]->parameters, &list[i]->n_parameters));
    }
    *described = list;
    return STATUS_IS_OK;
}

/* v2-grpc.metadata-name v2-grpc.metadata-platform v2-grpc.metadata-versions v2-grpc.metadata-parameters */
static struct status describe(struct rpc_call *call, const struct model *model, V2__ModelMetadataResponse *response)
{
    const struct shared *shared = call->context;
    struct str *versions;
    size_t count = repository_versions(shared->repository, model->name, call->arena, &versions);
    ProtobufCBinaryData *listed = arena_alloc(call->arena, count * sizeof(*listed));
    NEED(listed);
    for (size_t i = 0; i < count; i++)
        listed[i] = structs_bytes(versions[i]);
    response->name = structs_bytes(model->name);
    response->platform = structs_bytes(model->platform);
    response->n_versions = count;
    response->versions = listed;
    response->n_inputs = model->input_count;
    response->n_outputs = model->output_count;
    TRY(describe_tensors(call->arena, model->inputs, model->input_count, &response->inputs));
    TRY(describe_tensors(call->arena, model->outputs, model->output_count, &response->outputs));
    return grpc_parameters(call->arena, &model->parameters, &v2__model_metadata_response__parameters_entry__descriptor,
                           &response->parameters, &response->n_parameters);
}

/* v2-grpc.model-metadata v2-grpc.metadata-versioned v2-grpc.model-unknown-code v2-grpc.metadata-while-loading */
void grpc_model_metadata(struct rpc_call *call)
{
    const struct shared *shared = call->context;
    struct model_hold hold = {0};
    V2__ModelMetadataResponse response = V2__MODEL_METADATA_RESPONSE__INIT;
    const V2__ModelMetadataRequest *request = grpc_request(call, &v2__model_metadata_request__descriptor);
    if (!request)
        return;
    struct status status = predict_v2_find_described(shared->repository, structs_str(request->name),
                                                     structs_str(request->version), call->arena, &hold);
    if (is_ok(status))
        status = describe(call, hold.model, &response);
    grpc_answer(call, status, &response.base);
    model_release(&hold);
}
