/* What a person sees of a run while it goes on, on standard error: on a terminal a line that changes; elsewhere
 * nothing, unless the run is slow. */
#pragma once

#include "judge/run.h"

#include <stdio.h>

struct progress {
    FILE *transcript;                    /* for --verbose */
    const struct client_options *client; /* whose secrets no transcript shows */
    bool live;                           /* standard error is a terminal */
    size_t jobs;
    size_t planned;           /* progress_planned */
    double inference_seconds; /* seconds that an inference takes if it is the only one; 0: not known */
    double timeout;           /* seconds that an exchange may take */
    double begun;             /* when the run began: seconds_now() */
    /* Only progress_show changes what follows: */
    double told;         /* when a line was last printed; 0: never */
    size_t done, failed; /* results */
    size_t silent;       /* exchanges that took the whole timeout */
    size_t inferences;   /* how many were seen, each of a base */
    double inferring;    /* seconds that all of them took */
};

/* For `progress` of run_options; the context is a struct progress. */
void progress_show(size_t done, size_t planned, const struct result *result, void *context);

/* Counts the assertions whose plays are sent to the target. */
size_t progress_planned(const struct plan *plan);

/* Returns "12 of 40, 1 failed, about 3 min to go", in the arena. `elapsed`: seconds since the run began; the time to go
 * is given only if these are many. */
struct str progress_line(const struct progress *progress, double elapsed, struct arena *arena);

/* Returns what can be done about a run that is slow, in the arena; empty if nothing is known to help. */
struct str progress_hint(const struct progress *progress, struct arena *arena);
