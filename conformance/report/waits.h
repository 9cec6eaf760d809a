/* What blocked assertions wait for. A case waits for another, which may wait for a third: the root is the one that was
 * played and did not pass. Mending it lets all of them be tried. */
#pragma once

#include "report/report.h"

/* A result that did not pass, and for which others wait. Results with the same text are one root. */
struct root {
    const struct result *result;
    size_t waiting; /* how many assertions of other exchanges are blocked by it, directly or not */
};

struct waits {
    const struct run *run;
    size_t *first; /* by the index of a play: the index of its first result */
    size_t play_count;
    struct root *roots; /* the one with the most waiting assertions first */
    size_t root_count;
};

/* Collects the roots of a run, in the arena. */
struct waits waits_of(const struct report *report, struct arena *arena);

/* Returns the root of a blocked result. NULL if it waits for no other result, for example because an endpoint was given
 * up, and NULL for results that are not blocked. */
const struct result *waits_root(const struct waits *waits, const struct result *blocked);

/* Returns how a result failed: "POST /v2/models/add/infer answered 404", or, if the status is right, "POST
 * /v2/models/add/infer: /json/outputs: expected a list, got nothing". */
struct str waits_what_came(const struct result *result, struct arena *arena);
