/* Plays one play from its first byte to its verdicts: one exchange, or the steps of a case that has them. */
#ifndef JUDGE_PLAY_H
#define JUDGE_PLAY_H

#include "judge/exchange.h"

/* Which server a play asks, what its answer is compared with, and where its answers lie. */
struct play_options {
    struct client *client;                       /* of the server that is asked */
    const struct client_options *client_options; /* the options of that client, for further connections */
    const struct plan_target *target;
    bool strict;
    const struct tree *standard; /* the answer that "agrees" compares with; NULL: none */
    bool commands;               /* results that do not pass get the command that sends the request again */
    const char *evidence;        /* directory for bodies that a command cannot hold; NULL: none */
    const char *protos;          /* folder of the .proto files, for commands; NULL: none */
    const struct header *extra;  /* one more header of every request; may be NULL */
    struct arena *arena;         /* everything of the play lies here */
    volatile int *interrupted;   /* set by a signal; may be NULL */
    /* Called after every exchange, by the thread that made it; may be NULL. */
    void (*seen)(void *context, const struct play *play, const struct exchange *exchange);
    void *context;
    /* The same for a transcript: also after bytes, messages of a stream, and what `finally` sends. */
    void (*exchanged)(void *context, const struct play *play, const struct exchange *exchange);
    void *exchanged_context;
};

/* Sends the play and judges it. `results` has room for assertion_count results. `base` is the tree of the base's
 * answer, or NULL in a base. `exchange` gets the only exchange, or the one of the last step that was answered (if none
 * was, that of the last step). If several steps expect a key, it gets the gravest of their verdicts. If
 * exchange->not_applicable or ->fault is set, nothing was judged. */
void play_and_judge(const struct play_options *options, const struct play *play, const struct tree *base,
                    struct exchange *exchange, struct result *results);

/* How the request of an exchange is sent again, and what it says (sent.h); each is empty if there is none. */
struct again {
    struct str sent, command, grpcurl;
};

/* Returns that, in the arena of the options. `name` is the name of the file for a body that the command cannot hold. */
struct again play_again(const struct play_options *options, const struct profile *profile,
                        const struct exchange *exchange, struct str name);

/* Gives that to each result that does not pass, if the options ask for commands. */
void play_add_commands(const struct play_options *options, const struct exchange *exchange, struct str name,
                       struct result *results, size_t count);

#endif
