#include "notation/message_type.h"

#include "inference.pb-c.h"

#define NESTING_MAX 4 /* messages within messages of the schema */

static const ProtobufCMessageDescriptor *find_within(const ProtobufCMessageDescriptor *type, struct str name, int depth)
{
    const ProtobufCMessageDescriptor *found = str_is(name, type->name) ? type : NULL;
    for (unsigned i = 0; i < type->n_fields && !found && depth < NESTING_MAX; i++)
        if (type->fields[i].type == PROTOBUF_C_TYPE_MESSAGE)
            found = find_within(type->fields[i].descriptor, name, depth + 1);
    return found;
}

const ProtobufCMessageDescriptor *message_type(struct str name)
{
    const ProtobufCServiceDescriptor *service = &inference__grpcinference_service__descriptor;
    const ProtobufCMessageDescriptor *found = NULL;
    for (unsigned i = 0; i < service->n_methods && !found; i++) {
        found = find_within(service->methods[i].input, name, 0);
        if (!found)
            found = find_within(service->methods[i].output, name, 0);
    }
    return found;
}
