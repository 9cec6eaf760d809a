#include "notation/schemas.h"

#include "base/search.h"
#include "grpc/health/v1/health.pb-c.h"
#include "grpc/reflection/v1/reflection.pb-c.h"
#include "grpc/reflection/v1alpha/reflection.pb-c.h"
#include "inference.pb-c.h"
#include "schema/graphpipe.h"
#include "trtis_v1.pb-c.h"

/* Each row is a schema: the descriptor of its service, and the file below proto/schema/ that declares it. */
static const struct {
    const ProtobufCServiceDescriptor *service;
    const char *file;
} services[] = {
    {&inference__grpcinference_service__descriptor, "inference.proto"},
    {&grpc__health__v1__health__descriptor, "grpc/health/v1/health.proto"},
    {&grpc__reflection__v1__server_reflection__descriptor, "grpc/reflection/v1/reflection.proto"},
    {&grpc__reflection__v1alpha__server_reflection__descriptor, "grpc/reflection/v1alpha/reflection.proto"},
    {&nvidia__inferenceserver__grpcservice__descriptor, "trtis_v1.proto"},
};

#define SERVICE_COUNT COUNT_OF(services)
#define NESTING_MAX   4 /* messages within messages */

static bool is_below(struct str path, const ProtobufCServiceDescriptor *service)
{
    size_t size = strlen(service->name);
    return path.size > size + 1 && path.data[0] == '/' && str_starts(str_from(path, 1), str_of(service->name)) &&
           path.data[size + 1] == '/';
}

const ProtobufCMethodDescriptor *schema_rpc(struct str path)
{
    for (size_t s = 0; s < SERVICE_COUNT; s++) {
        const ProtobufCServiceDescriptor *service = services[s].service;
        for (unsigned i = 0; is_below(path, service) && i < service->n_methods; i++)
            if (str_is(str_from(path, strlen(service->name) + 2), service->methods[i].name))
                return &service->methods[i];
    }
    return NULL;
}

const char *schema_file(struct str path)
{
    return FIRST(s, SERVICE_COUNT, is_below(path, services[s].service), services[s].file, NULL);
}

static const ProtobufCMessageDescriptor *find_within(const ProtobufCMessageDescriptor *type, struct str name, int depth)
{
    const ProtobufCMessageDescriptor *found = str_is(name, type->name) ? type : NULL;
    for (unsigned i = 0; i < type->n_fields && !found && depth < NESTING_MAX; i++)
        if (type->fields[i].type == PROTOBUF_C_TYPE_MESSAGE)
            found = find_within(type->fields[i].descriptor, name, depth + 1);
    return found;
}

const ProtobufCMessageDescriptor *schema_message(struct str name)
{
    const ProtobufCMessageDescriptor *found = NULL;
    for (size_t s = 0; s < SERVICE_COUNT; s++)
        for (unsigned i = 0; i < services[s].service->n_methods && !found; i++) {
            found = find_within(services[s].service->methods[i].input, name, 0);
            if (!found)
                found = find_within(services[s].service->methods[i].output, name, 0);
        }
    return found;
}

static const struct {
    const char *package, *schema;
} texts[] = {{"nvidia.inferenceserver", "trtis_v1"}};

const struct text_type *schema_text(const ProtobufCMessageDescriptor *type)
{
    return FIRST(i, COUNT_OF(texts), strcmp(type->package_name, texts[i].package) == 0,
                 text_type_of(texts[i].schema, type->name + strlen(type->package_name) + 1), NULL);
}

static const struct {
    const char *name;
    const struct flat_table *root;
} flatbuffers[] = {
    {"graphpipe.Request", &graphpipe_request},
    {"graphpipe.InferResponse", &graphpipe_infer_response},
    {"graphpipe.MetadataResponse", &graphpipe_metadata_response},
};

const struct flat_table *schema_flatbuffer(struct str name)
{
    return FIRST(i, COUNT_OF(flatbuffers), str_is(name, flatbuffers[i].name), flatbuffers[i].root, NULL);
}
