/* A case key: one key of one case in one encoding, with any labels. A mutation run must see each fail at least once. */
#pragma once

#include "plan/plan.h"

struct case_key {
    struct str id; /* ID without labels */
    const struct requirement *requirement;
    bool passes;           /* it passes without a deviation, with at least one label */
    size_t tried, killed;  /* number of deviations of its requirement that were tried, and of those that it noticed */
    struct str unnoticed;  /* what the last trial that it did not notice showed, while none was noticed; or empty */
    struct str refused_by; /* without a deviation: another row than its own that the server names as the reason of the
                              refusal; or empty */
};

struct case_keys {
    struct case_key *list; /* in the plan's order */
    size_t count;
    struct case_key **of; /* of each assertion of the plan, in order */
};

/* Makes the case keys of the plan, in the arena. */
struct case_keys case_keys_make(const struct plan *plan, struct arena *arena);
