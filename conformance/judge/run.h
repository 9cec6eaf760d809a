/* A run: the plan played by `jobs` threads against a target, every assertion given its verdict. */
#ifndef JUDGE_RUN_H
#define JUDGE_RUN_H

#include "client/client.h"
#include "judge/verdict.h"

struct run_options {
    struct client_options client;
    const struct plan_target *target;
    struct str gone[ENDPOINTS_MAX]; /* by the endpoint's index: why one that was asked for is not played at all (it
                                     * never answered); or empty */
    const char *const *states;      /* "NAME=URL" */
    size_t state_count;
    size_t jobs;
    bool strict;          /* a SHOULD fails */
    const char *evidence; /* directory for bodies of commands; NULL: none */
    /* Called by one thread at a time, with every result of the plan in the order in which they come to be. */
    void (*progress)(size_t done, size_t planned, const struct result *result, void *context);
    void *context;
    volatile int *interrupted; /* set by a signal: stop soon, the rest is blocked; may be NULL */
};

static inline bool run_is_interrupted(const struct run_options *options)
{
    return options->interrupted && *options->interrupted;
}

struct run {
    struct arena arena;
    struct result *results; /* in the plan's order; replays that failed stand behind their play's */
    size_t result_count;
    struct str unresponsive; /* what was said when 2 x jobs exchanges with one server and transport in a row timed out,
                              * were refused or closed; or empty */
    bool unreachable;        /* not one answer in the whole run */
    bool interrupted;
    struct watch *watch; /* what its watchers saw */
    size_t exchanges;
    double seconds;
};

/* Fails only if it cannot start (a client cannot be made); what happens in the run is in its results. */
struct status run_plan(const struct suite *suite, const struct plan *plan, const struct run_options *options,
                       struct run *run);
void run_free(struct run *run);

/* DESIGN's exit codes, from the results. Whether enough was asked of the target (a usable model) is the command's to
 * say. */
int run_exit_code(const struct run *run, size_t minimum, bool strict);

/* Results that were judged at all, and those of them that pass and are inferences over the endpoint. */
size_t run_judged(const struct run *run);
size_t run_inferences(const struct run *run, const struct endpoint *endpoint);

#endif
