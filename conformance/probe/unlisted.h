/* Finds the extensions of a server that lists none, since it has no metadata over any transport. What would show an
 * extension is asked of the target (`shown_by` in encodings.json): one whose answer fits is judged as if it were
 * claimed. */
#pragma once

#include "probe/probing.h"

/* Adds to the prober's claims the extensions that the target shows, with a note, and to the result, {PROFILE: what was
 * answered instead}, those that it does not show. It is asked about the models that are probed. Where a replay names
 * one case, nothing is asked: its extension was shown before. */
struct tree *unlisted_find(struct probing *probing);
