/* --example FILE: a good request to a model, for models without metadata and for models that refuse what their metadata
 * promises. The file is the body of a V2 inference request (000, "Inference Request JSON Object"), such as curl sent,
 * with two more members that may be left out:
 *
 *   { "model": "summarizer",
 *     "inputs": [{ "name": "text", "datatype": "BYTES", "shape": [1], "data": ["Hello."] }],
 *     "outputs": [{ "name": "summary" }],
 *     "answer": { "outputs": [{ "name": "summary", "datatype": "BYTES", "shape": [1], "data": ["Hi."] }] } }
 *
 * `model` may be left out if --model names one model and no more. `answer` is what the model must answer, such as the
 * body of an answer that is known to be right. Data may be nested. `id` is read and not sent: cases have their own. */
#pragma once

#include "base/status.h"
#include "tree/tree.h"

#define EXAMPLE_SIZE_MAX   ((size_t)16 << 20) /* bytes of a file */
#define EXAMPLE_VALUES_MAX ((size_t)1 << 20)  /* JSON values in it */

/* Reads the files into {MODEL: {parameters?, inputs, outputs?, answer?}} in the arena, with flat data; `answer` is the
 * list of its outputs. `only` is the model that --model names, if it names one alone, else NULL. The limits of
 * probe/request.h hold. INVALID_ARGUMENT names the file, the place in it, and what is wrong with the value there. */
struct status examples_read(const char *const *files, size_t count, const char *only, struct arena *arena,
                            struct tree **examples);

/* Returns an example of an example, to be filled in, in the arena: one line. */
struct str example_of_example(struct str model, struct arena *arena);
