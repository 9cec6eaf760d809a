/* Binary tensors over REST, in requests and answers (binary.c). */
#pragma once

#include "base/buf.h"
#include "protocols/protocol.h"

/* Makes of a meaning the one whose JSON is sent, with the data of its inputs in `tail` and binary outputs asked for.
 * The result shares the trees of `meaning`. Fails as data_raw does: UNIMPLEMENTED if the data has no raw form. */
struct status binary_meaning(const struct meaning *meaning, struct arena *arena, struct meaning *made,
                             struct buf *tail);

#define BINARY_LENGTH_HEADER "Inference-Header-Content-Length" /* says how many bytes of the body are JSON */

/* Returns the JSON of an answer's body, which is all of it unless the answer says where its JSON ends. */
struct str binary_json_part(const struct answer *answer);

/* Gives the outputs of a binary answer, or the inputs of such a request, a list of objects, their data. */
void binary_read(struct answer_reading *reading, struct tree *outputs);

/* Returns how many bytes the body has less than the length header says that its JSON has. */
size_t binary_lacks(const struct answer *answer);
