/* Observations: whether what an assertion expects is true of the answer. What follows from that is a verdict
 * (judge/verdict.h). */
#pragma once

#include "client/client.h"
#include "pattern/match.h"
#include "plan/plan.h"

/* One exchange as it is judged. */
struct observed {
    const struct answer *answer;
    const struct tree *tree;       /* answer_tree(); NULL if there was no answer */
    struct str trouble;            /* what did not decode */
    const struct tree *base;       /* the base's answer, for "same"; NULL when the base itself is played */
    const struct tree *standard;   /* the answer that "agrees" compares with; NULL: none */
    const struct profile *profile; /* it defines success and refusal */
    bool strict;
};

/* How alike answers to the same request must be: exactly alike for a model of the kit; as alike as discovery found them
 * for a model of "*". */
enum likeness play_likeness(const struct play *play);

/* Whether the answer is a refusal, by the profile's pattern. */
bool observed_is_refusal(const struct observed *observed, struct arena *arena);

/* Whether the observation, or one of its choices, looks at the HTTP/2 below gRPC. That is there to be seen also where
 * no gRPC answer came. */
bool observation_looks_below(const struct tree *observation);

/* Whether a pattern that the assertion expects holds of a success alone, although it does not say so. */
bool observation_implies_success(const struct assertion *assertion, const struct tree *pattern,
                                 const struct profile *profile);

struct seen {
    bool holds;
    bool weak;       /* it holds, but proves little; `why` says why */
    struct str why;  /* the difference, if it does not hold; match_is_suite_fault knows whose fault it is */
    struct str name; /* the name of the $any choice that holds; or empty */
};

/* Looks whether the observation of the assertion is true. Texts lie in the arena. */
struct seen observe(const struct observed *observed, const struct assertion *assertion, struct arena *arena);
