/* What a person should know before the word that concludes a run is read. */
#ifndef REPORT_REMARKS_H
#define REPORT_REMARKS_H

#include "report/summary.h"

struct remarks {
    struct str *items; /* sentences */
    size_t count;
};

/* Returns the remarks on a run, in the arena: whether inferences were tried and values compared, how many rows hold of
 * the texts that the profiles build on, and how failures of these are left out. */
struct remarks remarks_on(const struct report *report, const struct summary *summary, struct arena *arena);

#endif
