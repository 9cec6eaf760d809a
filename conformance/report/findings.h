/* What a run found, by requirement: the walk that all reports for a person share. A server often breaks one requirement
 * in many cases, so each of them is told once, with its cases below it. */
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include "report/report.h"

enum finding_kind { FINDING_FAILURE, FINDING_WARNING, FINDING_WAIVED };

struct finding {
    const struct requirement *requirement;
    const struct result **results; /* in the run's order; at least one */
    size_t count;
    bool is_below; /* the requirement is of a text that profiles build on, not of a profile */
};

struct findings {
    struct finding *items;
    size_t count;
    size_t result_count; /* of all items */
};

/* Returns the findings of a kind, in the arena, in the order in which they were seen. What the profiles demand comes
 * first: the rules of the texts below them, such as "http2", are kept by a library or a proxy more often than by the
 * server itself. A failure is also a timeout at any level, and a fault of the suite. */
struct findings findings_of(const struct report *report, enum finding_kind kind, struct arena *arena);

/* Whether an earlier result of the finding failed for the same cause. */
bool finding_repeats(const struct finding *finding, size_t index);

#endif
