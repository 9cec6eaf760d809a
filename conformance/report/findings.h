/* What a run found, by requirement: the walk that all reports share. A server often breaks one requirement in many
 * cases, so each of them is told once, by its simplest case. The findings are in the order in which to fix them:
 * answers before refusals before the transport, and in each of these first what explains most: a requirement that
 * fails in many cases and holds in few, and of an extension only behind what it stands on. */
#pragma once

#include "report/report.h"

enum finding_kind { FINDING_FAILURE, FINDING_WARNING, FINDING_WAIVED };

struct finding {
    const struct requirement *requirement;
    const struct result **results; /* the witness first, then those of the run in its order; at least one */
    size_t count;
    size_t held;                     /* results in which the requirement holds */
    const struct result *witness;    /* of the simplest exchange that shows it: the one with the fewest prerequisites */
    size_t prerequisites;            /* plays that had to pass before that exchange meant anything */
    const struct requirement **also; /* what else failed through the same exchange; of a failure alone */
    size_t also_count;
    size_t leader; /* of a follower: index of the finding in whose `also` it stands */
};

struct findings {
    struct finding *items;
    size_t count;
    struct finding *followers; /* requirements that fail only together with others, and are no findings of their own */
    size_t follower_count;
    size_t layer_count[LAYERS]; /* how many items are of each layer; the items of a layer stand together */
};

/* Returns the findings of a kind, in the arena. A failure is a requirement that is broken, and also a timeout at any
 * level, and a fault of the suite. A requirement that fails only through exchanges in which one before it failed too is
 * no finding of its own: it is in the `also` of that one. So does one of which each failure has a cause among them
 * (report/causes.h). */
struct findings findings_of(const struct report *report, enum finding_kind kind, struct arena *arena);

/* Whether an earlier result of the finding failed for the same cause. */
bool finding_repeats(const struct finding *finding, size_t index);
