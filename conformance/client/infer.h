/* An inference, in the encodings that can carry it: from the meaning (the case's tree) to a request, and from an answer
 * back to the one form that expectations are written in. */
#ifndef CLIENT_INFER_H
#define CLIENT_INFER_H

#include "client/exchange.h"
#include "plan/plan.h"

/* Builds the request of a play (any act). Tensors are packed by the datatypes and shapes of the base's act, so that a
 * changed name, datatype or shape alters only what is declared. INVALID_ARGUMENT if the encoding cannot carry it (then
 * the play is not applicable) or the case is faulty. */
struct status request_of_play(const struct play *play, const struct plan_target *target, struct arena *arena,
                              struct request *request);

/* Whether the encoding can carry the play's act at all (FP16 in typed contents, bytes that are no UTF-8 in JSON, NaN,
 * ...); `why` gets the reason. Planning asks this. `base_act` is that of the play: NULL for a base. */
bool encoding_carries(enum encoding encoding, const struct tree *act, const struct tree *base_act, struct arena *arena,
                      struct str *why);

/* The answer as a tree, for matching:
 *   tcp    as http, and closed: whether the connection ended instead, or behind it where that was waited for; status
 *          only if an answer came
 *   http   {status, headers: {lower-case-name: value or list}, json?, body}      json only if the body is JSON
 *   grpc   {code: "OK", details, message?, trailers: {...}, outputs?}       message: by the rpc's response type;
 * outputs: as below infer  the http or grpc members, and of a success: {id?, model_name?, model_version?, parameters?,
 * outputs: [{name, datatype, shape, parameters?, data}]}, flat data: over REST the leaves as they came, over gRPC typed
 * contents or decoded raw bytes `trouble` gets a sentence when the bytes do not decode (then what decoded so far stands
 * in the tree); empty if all is well. */
struct tree *answer_tree(enum encoding encoding, struct str rpc, const struct answer *answer, struct arena *arena,
                         struct str *trouble);

#endif
