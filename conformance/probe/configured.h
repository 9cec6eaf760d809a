/* The tensors of a model as a configuration has them that fits its metadata: patterns over the members `input` and
 * `output` of a ModelConfig, whose dims leave out the dimension of the batch if the model takes batches. */
#pragma once

#include "tree/tree.h"

/* Returns {known, inputs: {whole, batched}, outputs: {whole, batched}} in the arena. Each of the lists has a pattern
 * for each tensor: its name, its datatype by name or number, and dims, in `batched` without the first dimension. If the
 * metadata (which may be NULL) lists a tensor that has no such pattern, `known` is false and the lists are empty. */
struct tree *configured_tensors(const struct tree *metadata, struct arena *arena);
