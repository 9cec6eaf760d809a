/* Executions in steps: those of decoupled models, and those that wait for others. A step makes one response, or waits
 * for a while. All steps are done by one thread, each when it is due. An execution whose client does not take responses
 * rests until it does; one for which nobody waits any more is done with CANCELLED. */
#pragma once

#include "backends/builtin/builtin.h"
#include "base/timer.h"

#define STEPS_OVER (-1) /* no further step */

struct stepping {
    struct execution *execution;
    const struct model *model;
    /* Does a step. Returns when the next one is due, by clock_now, 0 meaning at once; or STEPS_OVER, after it has set
     * `status`. */
    int64_t (*step)(struct stepping *stepping);
    struct status status; /* with which the execution is done; OK at first */

    /* The members below belong to steps.c. */
    struct stepping *next, **link; /* all of them: the one after it, and what points to it */
    struct timer timer;
    int64_t due; /* when it is stepped again if it rests */
    bool is_resumed, is_hurried, is_given_up, goes_on;
    struct status why; /* why it is given up */
};

/* Begins an execution. The caller has set the first members of `stepping`, which lies in the arena of the execution.
 * Returns false without memory. */
bool steps_begin(struct stepping *stepping, int64_t due);

/* Emits what is in execution->outputs; called by a step, at most once. */
void steps_emit(struct stepping *stepping);

/* Has an execution that is not done be stepped at that time. Those who call it see to that. */
void steps_hurry(struct stepping *stepping, int64_t due);

/* The functions of a kind whose executions are steps. A kind that has a `load` or `unload` of its own calls these in
 * it. steps_unload fails the executions of the model with UNAVAILABLE, and waits until they are done. */
struct status steps_load(struct model *model);
void steps_unload(struct model *model);
void steps_resume(struct execution *execution);
void steps_give_up(struct execution *execution);
