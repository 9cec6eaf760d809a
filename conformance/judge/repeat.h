/* A run that plays the plan several times, to find what a server does only now and then. */
#pragma once

#include "judge/run.h"

/* The verdicts of one assertion in all rounds. */
struct repeated {
    size_t counts[VERDICT_COUNT];
    const struct result *first[VERDICT_COUNT]; /* the first result with each verdict, if the assertion had several
                                                  verdicts; else NULL */
};

/* Whether the verdict was not the same in each round. */
bool repeated_differs(const struct repeated *repeated);

/* Plays the plan `rounds` times, otherwise like run_plan. The run has the gravest result of each assertion, which
 * decides the exit code, and in `repeated` its verdicts of each round; exchanges, inferences and seconds are summed
 * over all rounds. No further round begins after one that was interrupted or found the target unresponsive. An
 * interrupted round after the first is not counted. */
struct status repeat_plan(const struct suite *suite, const struct plan *plan, const struct run_options *options,
                          size_t rounds, struct run *run);
