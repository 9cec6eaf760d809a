/* Whether the answer to a question of the registry is the one that it hopes for (`shown_by` in encodings.json).
 * Internal to probe/. */
#ifndef PROBE_SHOWN_H
#define PROBE_SHOWN_H

#include "probe/probing.h"

/* Asks under the profile. `question` is an act of a case with `expect`, a pattern over its answer; `probe` is what was
 * learned of the model that it is about, or NULL. `evidence` says what was answered. */
bool is_shown(struct prober *prober, const struct profile *profile, const struct tree *question,
              const struct tree *probe, struct str *evidence);

#endif
