/* What a run says of each row of the ledger, for reports that show the ledger as a whole. */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include "report/report.h"

enum standing {
    STANDING_MET,     /* passed, and never failed */
    STANDING_FAILED,  /* failed at least once */
    STANDING_WAIVED,  /* failed, but only where a waiver excuses it */
    STANDING_WARNED,  /* did not hold, but no document demands it of a server */
    STANDING_UNTRIED, /* has cases, none of which came to a result that counts */
    STANDING_SEEN,    /* the documents leave it open: what was seen is recorded */
    STANDING_UNTESTED /* has no cases: it cannot be tested from outside, or it is an erratum */
};

#define STANDING_COUNT (STANDING_UNTESTED + 1)

const char *standing_name(enum standing standing); /* "met", for a person */

struct row {
    const struct requirement *requirement;
    enum standing standing;
    bool is_below; /* it is of a text that profiles build on */
    bool counts;   /* it binds servers and has cases */
    size_t judged[VERDICT_COUNT];
    size_t failing;
};

struct rows {
    struct row *items; /* sorted by key */
    size_t count;
    size_t left_out; /* rows of profiles that are not asked for, which are not among the items */
};

/* Returns the rows of the asked profiles and of the texts that these build on, in the arena. */
struct rows rows_of(const struct report *report, struct arena *arena);

#endif
