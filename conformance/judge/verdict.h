/* What became of an assertion. */
#ifndef JUDGE_VERDICT_H
#define JUDGE_VERDICT_H

#include "fixture/plan.h"

enum verdict {
    VERDICT_PASS,
    VERDICT_PASS_WEAK,
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

#endif
