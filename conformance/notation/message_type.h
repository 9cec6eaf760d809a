/* Messages of the V2 gRPC schema by their full name ("inference.ModelInferRequest"). */
#ifndef NOTATION_MESSAGE_TYPE_H
#define NOTATION_MESSAGE_TYPE_H

#include "base/str.h"
#include <protobuf-c/protobuf-c.h>

/* A message that some rpc of the service takes or gives, or that lies within one; NULL if there is none of that name.
 */
const ProtobufCMessageDescriptor *message_type(struct str name);

#endif
