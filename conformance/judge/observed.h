/* Observations: whether what an assertion expects is true of the answer. The verdict follows (judge/verdict.h). */
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

/* How similar answers to the same request must be: equal for a model of the kit; as similar as discovery found them for
 * a probed model. */
enum likeness play_likeness(const struct play *play);

/* Whether the answer is a refusal, by the profile's pattern. */
bool observed_is_refusal(const struct observed *observed, struct arena *arena);

/* Whether the observation, or one of its choices, is about HTTP/2 below gRPC, which can also be judged if no gRPC
 * answer came. */
bool observation_looks_below(const struct tree *observation);

/* Whether the answer must be a success for the pattern to hold, although the pattern does not mention the outcome. */
bool observation_implies_success(const struct assertion *assertion, const struct tree *pattern,
                                 const struct profile *profile);

struct seen {
    bool holds;
    bool weak;       /* it holds, but proves little; `why` says why */
    struct str why;  /* the difference, if it does not hold; match_is_suite_fault says whether it is a fault of the
                        suite */
    struct str name; /* the name of the $any choice that holds; or empty */
};

/* Decides whether the observation of the assertion is true. Texts lie in the arena. */
struct seen observe(const struct observed *observed, const struct assertion *assertion, struct arena *arena);
