/* What became of an assertion, and how it is decided. */
#ifndef JUDGE_VERDICT_H
#define JUDGE_VERDICT_H

#include "client/client.h"
#include "pattern/match.h"
#include "plan/plan.h"

enum verdict {
    VERDICT_PASS,
    VERDICT_PASS_WEAK, /* only zeros or emptiness were compared: passes, but covers no row */
    VERDICT_WARN,
    VERDICT_FAIL,
    VERDICT_TIMEOUT,
    VERDICT_ERROR, /* the suite's fault */
    VERDICT_BLOCKED,
    VERDICT_NOT_APPLICABLE,
    VERDICT_DISABLED,
    VERDICT_WAIVED,
    VERDICT_COUNT
};

const char *verdict_name(enum verdict verdict); /* "not-applicable" */

/* Whether what was expected came. */
static inline bool verdict_passes(enum verdict verdict)
{
    return verdict == VERDICT_PASS || verdict == VERDICT_PASS_WEAK;
}

/* Whether an answer was compared with what was expected, whatever came of it. */
bool verdict_is_judged(enum verdict verdict);

/* Whether one verdict outweighs another, where several make one. */
bool verdict_is_graver(enum verdict verdict, enum verdict other);

struct result {
    const struct assertion *assertion;
    enum verdict verdict;
    struct str observed;   /* the $any name, for the atlas; or empty */
    struct str expected;   /* one line, for a person */
    struct str received;   /* decoded answer, for a person */
    struct str why;        /* the difference, or why it was not judged */
    struct str command;    /* reproduces it */
    struct str refused_by; /* from OIP-Refused-By, if the target says it */
    bool replay;           /* failed in the replay of the base after this neighbour */
    double seconds;
};

/* A copy whose texts lie in the arena. */
struct result result_keep(struct arena *arena, const struct result *result);

/* Whether the result makes a run fail: a failed or timed-out MUST, with `strict` a SHOULD too, or a failed replay. */
bool result_fails(const struct result *result, bool strict);

/* One exchange as it is judged. */
struct observed {
    const struct answer *answer;
    const struct tree *tree;       /* answer_tree(); NULL unless answered */
    struct str trouble;            /* of decoding */
    const struct tree *base;       /* the base's answer, for "same"; NULL in the base's own play */
    const struct tree *standard;   /* the answer that "agrees" compares with; NULL if there is none */
    const struct profile *profile; /* what success and refusal are */
    bool strict;
};

/* How alike the answers to the same request must be: exactly, of a model of the kit; of any other (the model "*") as
 * discovery found them. */
enum likeness play_likeness(const struct play *play);

/* Whether the answer is a refusal by the profile's own pattern. */
bool is_refusal(const struct observed *observed, struct arena *arena);

/* Decides one assertion: sets verdict, observed, why, refused_by and seconds; unless it passes, expected and received
 * too. All text lies in the arena. A row of a refusal (of_refusal) on an answer that is none is BLOCKED. */
void judge_assertion(const struct assertion *assertion, const struct observed *observed, struct arena *arena,
                     struct result *result);

#endif
