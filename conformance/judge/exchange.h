/* One exchange of a play: sent, received, decoded, judged. */
#ifndef JUDGE_EXCHANGE_H
#define JUDGE_EXCHANGE_H

#include "judge/verdict.h"
#include "protocols/answer.h"

struct exchange {
    struct str not_applicable; /* the encoding cannot carry the request: nothing was sent */
    struct str fault;          /* of the suite: nothing was sent */
    struct request request;
    struct answer answer;
    struct tree *tree;           /* answer_tree(); NULL unless answered */
    const struct tree *standard; /* set by who plays: what "agrees" compares with (assertion.standard); or NULL */
    struct str trouble;
};

/* Sends the play's request and decodes the answer. `extra` (may be NULL) is one more header. Everything lies in the
 * arena. */
void exchange_make(struct client *client, const struct play *play, const struct plan_target *target,
                   const struct header *extra, struct arena *arena, struct exchange *exchange);

/* The play whose answer this one must agree with; NULL if there is none. */
const struct play *play_standard(const struct play *play);

/* Decides the assertions of a play that was sent: `results` has assertion_count of them. `base` is the tree of the
 * base's answer, NULL for a base. A row of a refusal, where another key allowed the request to be accepted, is not
 * applicable. A key whose control is another key of the same exchange that did not pass is blocked. */
void exchange_judge(const struct play *play, const struct assertion *assertions, size_t count,
                    const struct exchange *exchange, const struct tree *base, bool strict, struct arena *arena,
                    struct result *results);

/* Whether what builds on this play needs that assertion of it: those that its `control` names of the same exchange,
 * else every MUST. */
bool play_needs(const struct play *base, const struct assertion *assertion);

/* Whether a base was accepted, so that its neighbours mean something: answered, what they need of it held, and an
 * inference succeeded. */
bool play_accepted(const struct play *base, const struct exchange *exchange, const struct result *results);

#endif
