/* Keeps metadata of models that nobody may probe small: a target may have hundreds of them, of megabytes each. */
#pragma once

#include "tree/tree.h"

/* Returns a copy of the metadata, in the arena, with copies of the text. Of its inputs and outputs, what is beyond the
 * limits of probe/request.h is left out, except for one tensor and one byte: they still break these limits. Other
 * metadata is copied whole. */
struct tree *metadata_bounded(struct arena *arena, const struct tree *metadata);
