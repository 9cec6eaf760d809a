/* An answer as a tree, for comparison with patterns:
 *   http   {status, headers: {lower-case-name: value or list}, json?, body, trailers?}   json only if the body is JSON;
 *          neither json nor body if the body is larger than is read; and what the protocol finds in a binary body
 *   tcp    the same, and closed: whether the connection ended instead of an answer, or after it if that was waited
 *          for; status only if an answer came
 *   grpc   {code: "OK", details, message?, trailers: {...}}   message is decoded by the schema of the rpc
 *   stream {code, details, messages: [...], trailers}   while it has not ended, or if it broke off, there is nothing
 * but messages; one that does not decode is null
 *
 * The profile's protocol adds `outputs` [{name, datatype, shape, parameters?, data}] with flat data, and in an encoding
 * of inferences id, model_name, model_version and parameters. */
#pragma once

#include "client/client.h"
#include "suite/registry.h"

/* Decodes the answer to a request into the arena. If bytes do not decode, `trouble` gets a sentence, and
 * the tree holds what was decoded before; else `trouble` is empty. No byte of a peer is trusted. An answer whose tree
 * would not fit into memory is not decoded. */
struct tree *answer_tree(const struct encoding *encoding, const struct profile *profile, const struct request *request,
                         const struct answer *answer, struct arena *arena, struct str *trouble);

/* Decodes a request in the same way:
 *   http   {method, path, version, headers, json?, no_json?, body}   no_json: why the body is no JSON
 *   grpc   {metadata, messages, message?}   messages: their number; message: the first of them
 * The profile's protocol adds `inputs`, in the form of `outputs`; over gRPC `raw_surplus`: by how many the raw contents
 * are more than the inputs, if there are any; and `lacks`: how many bytes are missing of the JSON before binary data,
 * if any. `trouble`, if there is some, is a member too. */
struct tree *request_tree(const struct profile *profile, const struct request *request, struct arena *arena);

/* Whether the tree of an answer is a success of the profile. */
bool answer_succeeds(const struct tree *tree, const struct profile *profile);
