/* What a run says of each row of the ledger, for reports that show the ledger as a whole. */
#pragma once

#include "report/report.h"

enum standing {
    STANDING_MET,     /* passed, and never failed */
    STANDING_PARTLY,  /* met as far as it was tried: some of its assertions are blocked by another failure */
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
    bool counts; /* it binds servers and has cases */
    size_t judged[VERDICT_COUNT];
    size_t failing;
};

struct rows {
    struct row *items; /* rows of profiles before rows about the transport; then sorted by the name under which they are
                          counted, and by key */
    size_t count;
    size_t left_out; /* rows of profiles that are not asked for, which are not among the items */
};

/* Counts those of the results that were judged. A waived one was. */
static inline size_t judged_of(const size_t counts[VERDICT_COUNT])
{
    return counts[VERDICT_WAIVED] +
           SUM(verdict, VERDICT_COUNT, verdict_is_judged((enum verdict)verdict) ? counts[verdict] : 0);
}

/* A column of a table of profiles: how many rows of these levels have this standing. */
struct rows_column {
    const char *heading;
    enum level first, last;
    enum standing standing;
    bool always; /* it is also shown when all its numbers are 0 */
};

#define ROWS_COLUMNS 12

/* Returns the rows of the asked profiles and of the texts that these build on, in the arena. */
struct rows rows_of(const struct report *report, struct arena *arena);

/* Whether the row is about the transport. */
static inline bool row_is_below(const struct row *row)
{
    return row->requirement->layer == LAYER_TRANSPORT;
}

/* Fills in the columns that a table of these rows has, by level, and returns their number. */
size_t rows_columns(const struct rows *rows, const struct rows_column *shown[ROWS_COLUMNS]);

/* Counts the rows of a column under that name; if it is empty, the rows of all profiles. */
size_t rows_count(const struct rows *rows, const struct rows_column *column, struct str under);

/* Iterates over the names under which rows are counted, those of profiles or, with `below`, of the transport: returns
 * the first row of the name after that of `before` (NULL: of the first name). NULL after the last one. */
const struct row *rows_next_name(const struct rows *rows, const struct row *before, bool below);

/* Whether the profile of that name is asked for, or an asked profile builds on the text of that name. */
bool prefix_is_asked(const struct report *report, struct str prefix, struct arena *arena);
