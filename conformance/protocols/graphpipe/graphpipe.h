/* GraphPipe (004): how the judge writes inferences, reads answers and asks in discovery.
 *
 * 004 knows no names of models: a server serves one, at the address that the user gives. A model of another name is
 * asked for at the path /NAME, and counts as hosted only if the metadata there has that name (SPEC_NOTES.md,
 * "GraphPipe"). A server whose own model has no name, or only answers at its address, hosts a model that is called "/".
 *
 * The folder protocols/graphpipe/ is the only one that may name the messages of GraphPipe. It uses protocols/,
 * notation/ and support/; it may not include probe/, plan/, judge/ or another protocol's folder. */
#pragma once

#include "protocols/protocol.h"
#include "schema/graphpipe.h"
#include "tensor/datatype.h"

extern const struct protocol graphpipe;

/* Returns the path at which a model is served, in the arena. */
struct str graphpipe_path(struct str model, struct arena *arena);

/* The datatypes of 000 and the types of 004 (types.c). graphpipe_type returns NULL for a datatype that 004 lacks;
 * graphpipe_datatype returns DATATYPE_NONE for Null and for what is no type. */
const char *graphpipe_type(enum datatype datatype);
enum datatype graphpipe_datatype(struct str type);

/* Writes an InferRequest (request.c). It names the inputs, and the outputs: those that the act asks for, else all that
 * the metadata of the model lists. An id is left out, since nothing depends on it. UNIMPLEMENTED for what 004 has not:
 * parameters, versions, BOOL and BF16. */
struct status graphpipe_encode(const struct meaning *meaning, struct arena *arena, struct request *request);

/* Reads a Request by the names of the schema; NULL if the body is none (request.c). */
struct tree *graphpipe_request_of(struct str body, struct arena *arena);

/* Read answers; both fulfil protocols/protocol.h (answer.c). graphpipe_decode adds `message`, by the names of the
 * schema, `table`, its type there, `unterminated`, the number of the strings in it without a NUL after them,
 * `misaligned`, that of its tables, vectors and scalars that are not aligned, and `illegible`, that of its errors whose
 * message is no UTF-8. */
void graphpipe_decode(struct answer_reading *reading, struct tree *tree);
void graphpipe_read(struct answer_reading *reading, struct tree *tree);

extern const struct inquiry graphpipe_inquiries[]; /* how discovery asks (discover.c) */
