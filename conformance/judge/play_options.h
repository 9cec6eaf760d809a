/* What a play needs beside itself. */
#pragma once

#include "judge/run.h"

struct history;

/* How the program was called, for commands that call it again. */
struct called {
    const char *program; /* "build/oip-conformance" */
    struct str flags;    /* those that decide what a case sends, to whom, and what is expected, each behind a blank */
};

/* Which server a play asks, what its answer is compared with, and where its answers lie. */
struct play_options {
    struct client *client;                       /* of the server that is asked */
    const struct client_options *client_options; /* the options of that client, for further connections */
    const struct run_options *run;               /* what is the same for all plays */
    const struct tree *standard;                 /* the answer that "agrees" compares with; NULL: none */
    bool commands;                               /* results that do not pass get commands that show it again */
    struct history *histories;  /* of the client's connections, by the endpoint's index; NULL: nobody looks at them */
    const struct play *attempt; /* that did not pass, and is tried once more; NULL: this is no such attempt */
    size_t flight;              /* the number of those that are sent at once, from 1; 0: it is alone */
    const struct header *extra; /* one more header of every request; may be NULL */
    struct arena *arena;        /* everything of the play lies here */
    /* Called after every exchange, by the thread that made it; may be NULL. */
    void (*seen)(void *context, const struct play *play, const struct exchange *exchange);
    /* Why the request is not sent; empty if it is. NULL: all are. */
    struct str (*gone)(void *context, const struct play *play, const struct request *request);
    void *context;
    /* Of a play that changes models: what does not hold is asked again for so many seconds, and for up to the run's
     * `load_timeout` as long as the target says that it loads or unloads. 0: it is asked once. */
    double patience;
    double within_most;            /* seconds for which a step is asked again at most; 0: as long as it says */
    bool (*settles)(void *keeper); /* whether the target still loads or unloads; NULL if there is no patience */
    void *keeper;
};
