/* What a case needs of the target: compares `needs` with what discovery found. */
#pragma once

#include "plan/plan.h"

/* Returns a sentence with the evidence if the target does not meet a need of a case of the profile, else the empty str.
 * `needs` may be NULL. The sentence lies in the arena. */
struct str needs_unmet(const struct tree *needs, const struct plan_target *target, const struct profile *profile,
                       struct arena *arena);

/* The server state that the case is played in; the empty str means the default server. */
struct str needs_state(const struct tree *needs);

/* Whether the case is played while no other is: needs.alone. */
bool needs_alone(const struct tree *needs);

/* Whether the case changes the server's models: needs.allow. */
bool needs_mutation(const struct tree *needs);
