/* What is wrong with the suite, collected: a fault has a file, a pointer into it, the rule it breaks, and a sentence.
 */
#ifndef SUITE_FAULTS_H
#define SUITE_FAULTS_H

#include "support/memory.h"

struct fault {
    struct str file;    /* "v2/infer/sum.json" */
    struct str pointer; /* "/neighbours/input-missing"; empty: the whole file */
    const char *rule;   /* static storage */
    struct str sentence;
};

struct faults {
    struct arena *arena;
    struct list list; /* struct fault */
};

void fault_add(struct faults *faults, struct str file, struct str pointer, const char *rule, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* "v2/infer/sum.json: /neighbours/x: [rule] sentence", in the arena. */
struct str fault_line(const struct fault *fault, struct arena *arena);

#endif
