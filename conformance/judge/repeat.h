/* A run that plays the plan several times, to find what a server does only now and then. */
#pragma once

#include "judge/run.h"

/* What became of one assertion in all rounds. */
struct repeated {
    size_t counts[VERDICT_COUNT];
    const struct result *first[VERDICT_COUNT]; /* of each verdict, if there are several; else NULL */
};

/* Whether the verdict was not the same in each round. */
bool repeated_differs(const struct repeated *repeated);

/* Plays the plan `rounds` times. Of each assertion the run has the gravest result, so that its exit code is that of the
 * worst that was seen, and in `repeated` what became of it each time; exchanges, inferences and seconds are those of
 * all rounds. No round follows one that was interrupted or found the target unresponsive. An interrupted round after
 * the first is not counted. Else as run_plan. */
struct status repeat_plan(const struct suite *suite, const struct plan *plan, const struct run_options *options,
                          size_t rounds, struct run *run);
