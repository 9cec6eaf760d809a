/* Verdicts: what an assertion can result in, and how that is decided. */
#pragma once

#include "judge/observed.h"

enum verdict {
    VERDICT_PASS,
    VERDICT_PASS_WEAK, /* what was seen proves little, as `why` says: it passes, but meets no row of the ledger */
    VERDICT_WARN,
    VERDICT_FAIL,
    VERDICT_TIMEOUT,
    VERDICT_ERROR, /* a fault of the suite */
    VERDICT_BLOCKED,
    VERDICT_NOT_APPLICABLE,
    VERDICT_DISABLED,
    VERDICT_WAIVED,
    VERDICT_COUNT
};

const char *verdict_name(enum verdict verdict); /* "not-applicable" */

/* Whether the expectation was met. */
static inline bool verdict_passes(enum verdict verdict)
{
    return verdict == VERDICT_PASS || verdict == VERDICT_PASS_WEAK;
}

/* Whether an answer was compared with the expectation, with any result. */
bool verdict_is_judged(enum verdict verdict);

/* Whether `verdict` outweighs `other` when several verdicts are merged into one. */
bool verdict_is_graver(enum verdict verdict, enum verdict other);

struct result {
    const struct assertion *assertion;
    enum verdict verdict;
    struct str observed;       /* the name of the $any choice, for the list of open rows in reports; or empty */
    struct str expected;       /* one line in words, for a person */
    struct str pattern;        /* the same as the case has it, if that is more than a word; or empty */
    struct str received;       /* the decoded answer, for a person */
    struct str why;            /* the difference, or why it was not judged */
    struct str sent;           /* the decoded request, for a person, unless the command shows it */
    struct str asked;          /* "POST /v2/models/add/infer", or the name of the rpc; or empty */
    struct str outcome;        /* "404" or "NOT_FOUND", if there was an answer; or empty */
    struct str command;        /* a shell command that sends the request again */
    struct str replay_command; /* one that plays the whole case again; or empty */
    struct str grpcurl;        /* one that does so with grpcurl; or empty */
    bool unserved;             /* it does not pass, and there was no answer, or none that is a success */
    struct str transcript;     /* what went to and fro (judge/transcript.h), if the options ask for it; or empty */
    /* the header OIP-Refused-By, if the target sends it: the requirement that the request broke */
    struct str refused_by;
    const struct play *exchange;  /* the play whose exchange was judged, if it is another one: for a watcher the play at
                                     which it looked, for a replay the neighbour; else NULL */
    const struct play *waits_for; /* of a result that was not judged: the play that had to pass before; or NULL */
    bool replay;                  /* the base, replayed after this neighbour, failed */
    double seconds;
};

/* Copies the result; its texts lie in the arena, with secrets hidden. Everything that a run reports of an exchange
 * passes through this function. */
struct result result_keep(struct arena *arena, const struct secrets *secrets, const struct result *result);

/* The verdict of an expectation of that requirement that does not hold: FAIL for a MUST, WARN for all else; FAIL for a
 * SHOULD too if `strict`. */
enum verdict verdict_of_level(const struct requirement *requirement, bool strict);

/* Returns the play whose exchange the result is about. */
const struct play *result_exchange(const struct result *result);

/* Whether the requirement is broken: a MUST failed or timed out, with `strict` also a SHOULD, or a replay failed. */
bool result_fails(const struct result *result, bool strict);

/* Which broken requirements make a run fail. */
struct demands {
    bool strict;         /* a SHOULD counts as a MUST */
    bool layers[LAYERS]; /* the layers whose broken requirements make it fail */
};

/* Whether the result makes a run fail. */
bool result_counts(const struct result *result, const struct demands *demands);

/* Decides one assertion. Sets verdict, observed, why, refused_by and seconds; if it does not pass, expected and
 * received too. All texts lie in the arena. A row about refusals (of_refusal) is BLOCKED if the answer is no
 * refusal. */
void judge_assertion(const struct assertion *assertion, const struct observed *observed, struct arena *arena,
                     struct result *result);
