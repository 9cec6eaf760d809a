/* A schema as a list of its members, so that two are compared by what they mean: not by layout, comments, order, or the
 * names of files. */
#pragma once

#include "base/arena.h"
#include "base/status.h"

/* A member stands at a place that no other has, and is something there:
 *   .proto    "ModelInferRequest.id" is "string = 3"; "GRPCInferenceService.ModelInfer" is
 *             "(ModelInferRequest) returns (ModelInferResponse)"; "package" is "inference"
 *   OpenAPI   "POST /v2/models/{name}/infer 200" is "application/json inference_response";
 *             "inference_request.id" is "string" or "required string" */
struct schema_member {
    struct str at, is; /* in the arena */
    size_t line;       /* in the file, from 1 */
};

struct schema {
    struct schema_member *items; /* in the order of the file */
    size_t count;
};

/* Read a .proto file and an OpenAPI document (YAML or JSON). INVALID_ARGUMENT says what is wrong in which line. */
struct status schema_of_proto(struct str text, struct arena *arena, struct schema *schema);
struct status schema_of_openapi(struct str text, struct arena *arena, struct schema *schema);

/* Returns the member at that place; NULL if there is none. */
const struct schema_member *schema_find(const struct schema *schema, struct str at);

/* Adds a member (schema_proto.cc, schema_openapi.c). The items lie in the arena. */
void schema_add(struct schema *schema, struct str at, struct str is, size_t line, struct arena *arena);
