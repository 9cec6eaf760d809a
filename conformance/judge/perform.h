/* A play from its first byte to its verdicts: one exchange, or the steps of a case that has them. */
#ifndef JUDGE_PERFORM_H
#define JUDGE_PERFORM_H

#include "judge/player.h"

struct stage_hand {
    struct client *client;                /* of the server that is asked */
    const struct client_options *options; /* of that client, for more connections */
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
void perform(const struct stage_hand *hand, const struct play *play, const struct tree *base, struct exchange *exchange,
             struct result *results);

#endif
