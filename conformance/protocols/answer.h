/* An answer as a tree, for matching:
 *   http   {status, headers: {lower-case-name: value or list}, json?, body, trailers?}   json only if the body is JSON
 *   tcp    the same, and closed: whether the connection ended instead of an answer, or behind it where that was waited
 *          for; status only if an answer came
 *   grpc   {code: "OK", details, message?, trailers: {...}}                              message: by the rpc's schema
 * and what the profile's protocol reads in it: `outputs` [{name, datatype, shape, parameters?, data}] with flat data,
 * and in an encoding of inferences id, model_name, model_version and parameters. */
#ifndef PROTOCOLS_ANSWER_H
#define PROTOCOLS_ANSWER_H

#include "client/client.h"
#include "suite/registry.h"

/* `rpc` is the request's path. `trouble` gets a sentence when the bytes do not decode (then what decoded so far stands
 * in the tree); it is empty if all is well. Bytes of a peer are never believed, and an answer whose tree would not fit
 * into memory is not decoded. */
struct tree *answer_tree(const struct encoding *encoding, const struct profile *profile, struct str rpc,
                         const struct answer *answer, struct arena *arena, struct str *trouble);

/* Whether the tree of an answer is a success, by the profile. */
bool answer_succeeds(const struct tree *tree, const struct profile *profile);

#endif
