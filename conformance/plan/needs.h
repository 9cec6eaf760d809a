/* What a case needs of the target: `needs` against what discovery found. */
#ifndef PLAN_NEEDS_H
#define PLAN_NEEDS_H

#include "plan/plan.h"

/* A sentence with the evidence if a need is not met by the target, else the empty str. `needs` may be NULL. */
struct str needs_unmet(const struct tree *needs, const struct plan_target *target, struct arena *arena);

/* The state that the case is played in; the empty str for the default server. */
struct str needs_state(const struct tree *needs);

bool needs_alone(const struct tree *needs);

#endif
