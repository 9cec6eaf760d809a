/* What a play needs beside itself. */
#pragma once

#include "plan/plan.h"

struct client;
struct client_options;
struct exchange;
struct request;
struct result;
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
    const struct plan_target *target;
    bool strict;
    const struct tree *standard; /* the answer that "agrees" compares with; NULL: none */
    bool commands;               /* results that do not pass get commands that show it again */
    const struct called *called; /* NULL: that is not known, and no command calls the program */
    struct history *histories;   /* of the client's connections, by the endpoint's index; NULL: nobody looks at them */
    bool transcripts;            /* they get the transcript of the exchange, too */
    const char *evidence;        /* directory for bodies that a command cannot hold; NULL: none */
    const char *protos;          /* folder of the .proto files, for commands; NULL: none */
    const struct play *attempt;  /* that did not pass, and is tried once more; NULL: this is no such attempt */
    size_t flight;               /* the number of those that are sent at once, from 1; 0: it is alone */
    const struct header *extra;  /* one more header of every request; may be NULL */
    struct arena *arena;         /* everything of the play lies here */
    volatile int *interrupted;   /* set by a signal; may be NULL */
    /* Called after every exchange, by the thread that made it; may be NULL. */
    void (*seen)(void *context, const struct play *play, const struct exchange *exchange);
    /* Why the request is not sent; empty if it is. NULL: all are. */
    struct str (*gone)(void *context, const struct play *play, const struct request *request);
    void *context;
    /* Of a play that changes models: what does not hold is asked again for so many seconds, and for up to
     * `load_timeout` seconds as long as the target says that it loads or unloads. 0: it is asked once. */
    double patience, load_timeout;
    double within_most;            /* seconds for which a step is asked again at most; 0: as long as it says */
    bool (*settles)(void *keeper); /* whether the target still loads or unloads; NULL if there is no patience */
    void *keeper;
    /* The same for a transcript: also after bytes, messages of a stream, and what `finally` sends. */
    void (*exchanged)(void *context, const struct play *play, const struct exchange *exchange,
                      const struct result *results);
    void *exchanged_context;
};
