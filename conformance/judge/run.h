/* A run: the plan played by `jobs` threads against a target, every assertion given its verdict. */
#ifndef JUDGE_RUN_H
#define JUDGE_RUN_H

#include "client/exchange.h"
#include "judge/verdict.h"

struct run_options {
    struct client_options client;
    const struct plan_target *target;
    const char *const *states; /* "NAME=URL" */
    size_t state_count;
    size_t jobs;
    bool strict;               /* a SHOULD fails */
    const char *evidence;      /* directory for bodies of commands; NULL: none */
    void (*progress)(size_t done, size_t planned, const struct result *result, void *context); /* one thread at a time */
    void *context;
    volatile int *interrupted; /* set by a signal: stop soon, the rest is blocked */
};

struct run {
    struct arena arena;
    struct result *results; /* in the plan's order; replays that failed are added behind their play's */
    size_t result_count;
    bool unresponsive; /* 2 x jobs exchanges in a row timed out, were refused or closed */
    bool unreachable;  /* not one answer in the whole run */
    size_t exchanges;
    double seconds;
};

struct status run_plan(const struct suite *suite, const struct plan *plan, const struct run_options *options,
                       struct run *run);
void run_free(struct run *run);

/* DESIGN's exit codes, from the results. */
int run_exit_code(const struct run *run, size_t minimum, bool interrupted);

#endif
