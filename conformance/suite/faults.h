/* Faults of the suite, collected. A fault names a file, a pointer into it, the rule of the lint that is broken, and
 * says in a sentence what is wrong. */
#pragma once

#include "support/memory.h"
#include "tree/tree.h"

struct fault {
    struct str file;    /* below fixtures/: "v2/infer/sum.json" */
    struct str pointer; /* "/neighbours/input-missing"; empty: the whole file */
    const char *rule;   /* name of the lint rule, static storage */
    struct str sentence;
};

struct faults {
    struct arena *arena;
    struct list list; /* struct fault */
};

/* A place in a file where a fault can be, and the list that it goes to. */
struct place {
    struct faults *faults;
    struct str file, pointer; /* as in struct fault */
};

struct place place_in(struct faults *faults, struct str file, struct str pointer);

/* These return the place of a member, and of an element, of what stands at the place. */
struct place place_below(struct place place, struct str name);
struct place place_at(struct place place, size_t position);
struct place place_of_child(struct place place, const struct tree *parent, const struct tree *child);

/* Adds a fault, unless it is there already. Its texts are copied into the arena, except `rule`. Always returns
 * false. */
bool fault_add(struct place place, const char *rule, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Writes "v2/infer/sum.json: /neighbours/x: [rule] sentence" into the arena. */
struct str fault_line(const struct fault *fault, struct arena *arena);
