/* What was sent, for a person: requests whose bytes a command does not show. Texts of fixtures and of discovery are
 * printed as they are described elsewhere (describe.h): one line of printable text, cut if it is long. */
#pragma once

#include "client/client.h"
#include "suite/registry.h"
#include "tree/tree.h"

/* Returns a message of a gRPC request as a tree; NULL if no schema has it, or it does not fit. */
const struct tree *sent_message(const struct request *request, struct str bytes, struct arena *arena);

/* Describes a request, in the arena: `ModelInfer {"model_name":"simple",...}`, the messages of a stream one after the
 * other, `POST /v2/models/simple/infer {...}`, the bytes of a connection. Where a curl command shows it (`is_shown`), a
 * body is described only if it is binary; then it is empty for all others. */
struct str sent_describe(const struct profile *profile, const struct request *request, bool is_shown,
                         struct arena *arena);

/* Returns the grpcurl command that makes the same call again, in the arena; empty, if grpcurl cannot make it. `protos`
 * is the folder of the .proto files; NULL: there is none. */
struct str sent_grpcurl(const struct client_options *options, const struct request *request, const char *protos,
                        struct arena *arena);
