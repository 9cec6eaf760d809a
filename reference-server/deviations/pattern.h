/* Patterns over requests and answers, in the notation of the suite (fixtures/README.md, "Observations"): a value is
 * equality, an object is open, a list exact. Of the matchers there are $absent, $not, $in, $all, $contains, $match (a
 * POSIX extended regular expression) and $type. */
#pragma once

#include "tree/tree.h"

/* Fails with INVALID_ARGUMENT if the pattern has a matcher that does not exist here, or one whose value does not fit.
 */
struct status pattern_check(const struct tree *pattern, struct arena *arena);

/* Says whether a value, NULL if there is none, meets a pattern that was checked. */
bool pattern_is_met(const struct tree *pattern, const struct tree *value, struct arena *arena);
