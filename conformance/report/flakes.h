/* Assertions of a run of several rounds (judge/repeat.h) whose verdict was not the same each time. */
#pragma once

#include "report/report.h"

#include "judge/repeat.h"

struct flake {
    const struct result *result; /* the gravest */
    const struct repeated *repeated;
};

struct flakes {
    struct flake *items; /* in the order of the results */
    size_t count;
    size_t waiting; /* others, which were judged alike, or blocked because a case that they wait for did not pass */
};

/* Returns them, in the arena; none of a run that played everything once. */
struct flakes flakes_of(const struct run *run, struct arena *arena);

/* Returns "3 assertions did not come out alike in 5 rounds", or that all did, in the arena; empty: one round. */
struct str flakes_sentence(const struct run *run, const struct flakes *flakes, struct arena *arena);

/* Returns "4 x pass, 1 x fail", of a result of the run; empty if it was the same each time. */
struct str flakes_counts(const struct run *run, const struct result *result, struct arena *arena);
