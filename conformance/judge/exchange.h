/* One exchange of a play: sends the request, decodes the answer and judges it. */
#pragma once

#include "judge/play_options.h"
#include "judge/verdict.h"
#include "protocols/answer.h"

struct exchange {
    struct str not_applicable; /* why the encoding cannot carry the request: nothing was sent; else empty */
    struct str fault;          /* a fault of the suite: nothing was sent; else empty */
    struct str given_up;       /* why requests of this kind are given up: nothing was sent; else empty */
    struct request request;
    struct answer answer;
    struct tree *tree;           /* answer_tree(); NULL if there was no answer */
    const struct tree *standard; /* the answer that "agrees" compares with; or NULL */
    struct str trouble;
};

/* Whether it was sent. */
static inline bool exchange_is_made(const struct exchange *exchange)
{
    return !exchange->not_applicable.size && !exchange->fault.size && !exchange->given_up.size;
}

/* Sends the request of the play, decodes the answer and judges it. Repeats this until every assertion passes, for at
 * most `within` seconds; 0: does it once. `base` and `results` as for exchange_judge. Everything lies in the arena of
 * the options. If exchange->not_applicable or ->fault is set, nothing was judged. */
void exchange_until(const struct play_options *options, const struct play *play, const struct tree *base, double within,
                    struct exchange *exchange, struct result *results);

/* Decodes the answer to a request of the group. */
void exchange_decode(const struct group *group, struct exchange *exchange, struct arena *arena);

/* Whether every result passes. */
bool exchange_passes(const struct result *results, size_t count);

/* Passes the exchange to on_exchange of the run, with the results of the play's assertions (NULL: none was judged). */
void exchange_report(const struct play_options *options, const struct play *play, const struct exchange *exchange,
                     const struct result *results);

/* Returns the name under which a tape keeps the exchanges of the play. */
struct str play_on_tape(const struct play_options *options, const struct play *play);

/* The play of the plan that the play of a step belongs to; the play itself, if it is no step's. */
const struct play *play_whole(const struct play *own);

/* The play whose answer is the standard of this one; NULL if there is none. */
const struct play *play_standard(const struct play *play);

/* Blocks the other keys of a play if a key fails that its `control` names as "#KEY"; of several such keys the first
 * that fails blocks the others. `results` are those of the play's assertions; the reason lies in the arena. */
void exchange_own_controls(const struct play *play, struct arena *arena, struct result *results);

/* Decides the assertions of a play that was sent; `results` has room for them. `base` is the tree of the base's answer,
 * or NULL in a base. A row about refusals is not applicable if the request was accepted and another key allows that. If
 * a key that does not pass is a control of its own exchange, the other keys are blocked. */
void exchange_judge(const struct play *play, const struct exchange *exchange, const struct tree *base, bool strict,
                    struct arena *arena, struct result *results);

/* Whether a base was accepted, so that its neighbours and the cases that have it as a control can be played. It must be
 * answered, and the assertions that others build on (plan_builds_on) must hold. An inference must have succeeded; if
 * its `control` names none of its keys, an answer with outputs is enough, whatever else is wrong with it. */
bool play_accepted(const struct play *base, const struct exchange *exchange, const struct result *results);
