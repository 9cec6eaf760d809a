#include "client/rpcs.h"
#include "inference.pb-c.h"

const ProtobufCMethodDescriptor *rpc_method(struct str path)
{
    const ProtobufCServiceDescriptor *service = &inference__grpcinference_service__descriptor;
    struct str prefix = STR("/inference.GRPCInferenceService/");
    for (unsigned i = 0; str_starts(path, prefix) && i < service->n_methods; i++)
        if (str_is(str_from(path, prefix.size), service->methods[i].name))
            return &service->methods[i];
    return NULL;
}
