/* One key of one case in one encoding, whatever its labels: what a mutation run has to see fail at least once. */
#ifndef MUTATION_CASE_KEY_H
#define MUTATION_CASE_KEY_H

#include "plan/plan.h"

struct case_key {
    struct str id; /* without labels */
    const struct requirement *requirement;
    bool passes;           /* without a deviation, with one label at least */
    size_t tried, killed;  /* deviations of its requirement, and those it notices */
    struct str refused_by; /* without a deviation: another row than the one it names; or empty */
};

struct case_keys {
    struct case_key *list; /* in the plan's order */
    size_t count;
    struct case_key **of; /* of each assertion of the plan, in order */
};

/* In the arena. */
struct case_keys case_keys_make(const struct plan *plan, struct arena *arena);

#endif
