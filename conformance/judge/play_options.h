/* What a play is played with. */
#pragma once

#include "judge/run.h"

struct history;

/* How the program was called, for commands that call it again. */
struct called {
    const char *program; /* "build/oip-conformance" */
    struct str flags;    /* flags that decide what is sent, to whom, and what is expected, each after a blank */
};

/* Which server a play asks, what its answer is compared with, and who is told of its exchanges. */
struct play_options {
    struct client *client;                       /* of the server that is asked */
    const struct client_options *client_options; /* the options of that client, for further connections */
    const struct run_options *run;               /* the options of the whole run */
    const struct tree *standard;                 /* the answer that "agrees" compares with; NULL: none */
    bool commands;                               /* results that do not pass get commands that show it again */
    struct history *histories;  /* of the client's connections, by the endpoint's index; NULL: none are kept */
    const struct play *attempt; /* the play that did not pass, if this only tries it once more; else NULL */
    size_t flight;              /* its number, from 1, among requests that are sent at the same time; 0: it is sent
                                   alone */
    const struct header *extra; /* one more header of every request; may be NULL */
    struct arena *arena;        /* everything of the play lies here */
    /* Called after every exchange, by the thread that made it; may be NULL. */
    void (*seen)(void *context, const struct play *play, const struct exchange *exchange);
    /* Returns why the request must not be sent; empty if it may. NULL: every request may. */
    struct str (*given_up)(void *context, const struct play *play, const struct request *request);
    void *context;
    /* For a play that changes models: seconds during which a step is repeated until its expectation holds; longer, up
     * to the run's `load_timeout`, while the target says that it loads or unloads. 0: no step is repeated for that. */
    double settles_within;
    double within_most;            /* an upper limit, in seconds, for `within` of the steps; 0: none */
    bool (*settles)(void *keeper); /* whether the target still loads or unloads; NULL if `settles_within` is 0 */
    void *keeper;
};
