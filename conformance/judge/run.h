/* A run: `jobs` threads play the plan against a target, and every assertion gets its verdict.
 *
 * The folder judge/ sends what the plan holds and decides verdicts. It does not decide what is sent or expected (plan/
 * does), and it prints nothing. It uses plan/, protocols/, pattern/, notation/, client/, suite/ and support/; it may
 * not include report/, mutation/, lint/, flags/, targets/ or commands/. */
#pragma once

#include "client/client.h"
#include "judge/verdict.h"
#include "support/values.h"

struct called;
struct exchange;
struct repeated;

/* What `replay` plays: one play, in the same way as a run plays it. */
struct scene {
    const struct play *play;
    const struct play *const *before; /* plays that are sent right before it, over the same connections, and are not
                                         judged */
    size_t before_count;
    bool base_again; /* after `play`, its base is played again, and must be answered as before */
};

struct run_options {
    struct client_options client;
    const struct plan_target *target;
    size_t jobs;
    bool strict;                 /* a SHOULD that is not met fails */
    bool transcripts;            /* results that do not pass have the transcript of their exchange */
    const char *evidence;        /* directory for the bodies that commands send again; NULL: none */
    const char *protos;          /* folder of the .proto files, for commands; NULL: none */
    const struct called *called; /* for commands that play a case again; NULL: none are made */
    const struct scene *scene;   /* the only play that is wanted; the plan has disabled all others, and results have no
                                    commands. NULL: every play that the plan has not disabled */
    /* Called by one thread at a time, with every result of the plan, in the order in which they are decided. */
    void (*progress)(size_t done, size_t planned, const struct result *result, void *context);
    /* Called after every exchange, and also after bytes, after messages of a stream, and in `finally`. Called on the
     * thread that made the exchange, so on several threads at once; may be NULL. `results` has one result for each
     * assertion of the play; NULL: nothing was judged. */
    void (*on_exchange)(void *context, const struct play *play, const struct exchange *exchange,
                        const struct result *results);
    void *context;             /* of both */
    volatile int *interrupted; /* an enum interruption: the run stops soon and blocks the rest; may be NULL */
};

/* Why a run ends early; 0: it does not. */
enum interruption { INTERRUPTED_BY_SIGNAL = 1, INTERRUPTED_BY_TIME = 2 };

static inline bool run_is_interrupted(const struct run_options *options)
{
    return options->interrupted && *options->interrupted;
}

/* Says why a run ended that was interrupted. */
static inline struct str run_interruption(int interrupted)
{
    return interrupted == INTERRUPTED_BY_TIME ? STR("the time limit of the run was reached")
                                              : STR("the run was interrupted");
}

struct run {
    struct arena arena;
    struct result *results; /* in the order of the plan; failed replays follow the results of their neighbour */
    size_t result_count;
    struct str unresponsive; /* why the run is unresponsive: 2 x jobs exchanges in a row with one server over one
                                endpoint timed out, were refused or were closed; else empty */
    struct str unrestored;   /* which models of the target could not be put back after a case; or empty */
    bool unreachable;        /* the whole run got no answer */
    int interrupted;         /* an enum interruption */
    bool left; /* an interruption has left threads that still play: after the reports, task_exit must end the program */
    struct watchers *watchers; /* what the watchers of the run saw */
    size_t exchanges;
    size_t *inferences; /* by the index of a profile: how many inferences ran. Counted are bases of infer cases that
                           succeeded and passed at least one assertion, also if they were only played as controls; under
                           their profile, and under the profile that their encoding inherits from */
    double seconds;
    size_t rounds;                   /* how often the plan was played: 1, unless judge/repeat.h did it */
    const struct repeated *repeated; /* by the number of the result; NULL: the plan was to be played once */
    struct run *next;                /* a round whose memory the results need; NULL: there is none */
};

/* Plays the plan. Fails only if no thread can be started; all else is in the results. run_free frees the run. */
struct status run_plan(const struct suite *suite, const struct plan *plan, const struct run_options *options,
                       struct run *run);
void run_free(struct run *run);

/* Decides the exit code from the results (support/exit_code.h; SPEC_NOTES.md, note 1). `minimum` is the least number of
 * judged results. The command itself checks whether enough was asked of the target (a usable model). */
int run_exit_code(const struct run *run, size_t minimum, const struct demands *demands);

/* Counts the assertions of the plan that were judged. A failed replay is none of them. */
size_t run_judged(const struct run *run);
