/* A play from its first byte to its verdicts: one exchange, or the steps of a case that has them. */
#ifndef JUDGE_PLAY_H
#define JUDGE_PLAY_H

#include "judge/exchange.h"

/* Whom a play asks, what it is compared with, and where its answers lie. */
struct play_options {
    struct client *client;                       /* of the server that is asked */
    const struct client_options *client_options; /* of that client, for more connections */
    const struct plan_target *target;
    bool strict;
    const struct tree *standard; /* what "agrees" compares with; NULL without */
    const struct header *extra;  /* sent with every request; may be NULL */
    struct arena *arena;         /* everything of the play lies here */
    volatile int *interrupted;   /* may be NULL */
    /* Called with every exchange, by the thread that plays; may be NULL. */
    void (*seen)(void *context, const struct play *play, const struct exchange *exchange);
    void *context;
};

/* Sends and judges: `results` has assertion_count of them. `base` is the tree of the base's answer, NULL for a base.
 * `exchange` is the one exchange, or that of the last step that was answered (else the last at all). A key that several
 * steps expect gets the worst of their verdicts. If exchange->not_applicable or ->fault is set, nothing was judged. */
void play_and_judge(const struct play_options *options, const struct play *play, const struct tree *base,
                    struct exchange *exchange, struct result *results);

#endif
