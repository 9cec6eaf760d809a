/* What a run found, by requirement; all reports use this. A server often breaks one requirement in many cases, so each
 * requirement is reported once, by its simplest case. The findings are in the order in which to fix them: answers
 * before refusals before the transport. Within a layer, those that explain most come first: requirements that fail in
 * many cases and hold in few. Requirements of an extension come after those that the extension builds on. */
#pragma once

#include "report/report.h"

enum finding_kind { FINDING_FAILURE, FINDING_WARNING, FINDING_WAIVED };

struct finding {
    const struct requirement *requirement;
    const struct result **results; /* the witness, then the others in the order of the run; at least one */
    size_t count;
    size_t held;                     /* results in which the requirement holds */
    const struct result *witness;    /* of the simplest exchange that shows it: the one with the fewest prerequisites */
    size_t prerequisites;            /* plays that had to pass before that exchange meant anything */
    const struct requirement **also; /* what else failed in the same exchange; only for failures */
    size_t also_count;
    size_t leader; /* for a follower: the index of the finding that lists it in `also` */
};

struct findings {
    struct finding *items;
    size_t count;
    struct finding *followers; /* requirements that fail only together with others, and are no findings of their own */
    size_t follower_count;
    size_t layer_count[LAYERS]; /* how many items are of each layer; the items of a layer stand together */
};

/* Returns the findings of a kind, in the arena. A failure is a requirement that is broken, and also a timeout at any
 * level, and a fault of the suite. A requirement is no finding of its own, but in the `also` of an earlier one, if it
 * fails only in exchanges in which the earlier one failed too, or if each of its failures has a cause among the earlier
 * ones (report/causes.h). */
struct findings findings_of(const struct report *report, enum finding_kind kind, struct arena *arena);

/* Whether an earlier result of the finding has the same `why`. */
bool finding_repeats(const struct finding *finding, size_t index);
