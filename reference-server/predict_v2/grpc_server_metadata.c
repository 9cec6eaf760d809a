/* Server metadata over gRPC (000, "GRPC Server Metadata"). */
#include "predict_v2/grpc.h"

/* v2-grpc.server-metadata v2-grpc.server-name v2-grpc.server-version */
void grpc_server_metadata(struct rpc_call *call)
{
    const struct shared *shared = call->context;
    if (!grpc_request(call, &v2__server_metadata_request__descriptor))
        return;
    V2__ServerMetadataResponse response = V2__SERVER_METADATA_RESPONSE__INIT;
    response.name = structs_bytes(str_of(shared->name));
    response.version = structs_bytes(str_of(shared->version));
    response.n_extensions = predict_v2_extension_count(shared);
    ProtobufCBinaryData extensions[PREDICT_V2_EXTENSIONS];
    for (size_t i = 0; i < response.n_extensions; i++)
        extensions[i] = structs_bytes(str_of(predict_v2_extensions[i]));
    response.extensions = extensions;
    rpc_answer_message(call, &response.base);
}
