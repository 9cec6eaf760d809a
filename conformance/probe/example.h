/* --example FILE: a request that a model accepts, for models that refuse what their metadata promises. The file is a V2
 * inference request (000, "Inference Request JSON Object") with one more member, "model":
 *
 *   { "model": "summarizer", "inputs": [{ "name": "text", "datatype": "BYTES", "shape": [1], "data": ["Hello."] }] }
 *
 * Data may be nested; `parameters` are kept, other members are ignored. */
#ifndef PROBE_EXAMPLE_H
#define PROBE_EXAMPLE_H

#include "base/status.h"
#include "tree/tree.h"

/* Reads the files into {MODEL: {inputs, parameters?}} with flat data, in the arena. INVALID_ARGUMENT names the file and
 * says what is wrong. */
struct status examples_read(const char *const *files, size_t count, struct arena *arena, struct tree **examples);

#endif
