/* Whether the answer to a question (`shown_by` in encodings.json) is the one that is hoped for. Internal to probe/. */
#pragma once

#include "probe/probing.h"

/* Asks under the profile, about each probed model, or once where the question names none, until an answer is the one
 * hoped for. `question` is an act of a case with `expect`, a pattern over its answer. */
bool is_shown(struct probing *probing, const struct profile *profile, const struct tree *question);
