/* Checks the objects of fixtures: required members are there, and no unknown ones are. */
#pragma once

#include "suite/faults.h"
#include "tree/tree.h"

enum grammar {
    GRAMMAR_CASE,
    GRAMMAR_LEDGER_ROW,
    GRAMMAR_DOCUMENT,
    GRAMMAR_DEVIATION,
    GRAMMAR_STATE,
    GRAMMAR_PROBLEM,
    GRAMMAR_SECTION,
    GRAMMAR_MEMBER,
    GRAMMAR_MODEL,
    GRAMMAR_WATCHED
};

/* Checks the form of a tree, which stands at `pointer` in its file. Returns false after adding faults of the rules
 * member-once, member-known, member-required, member-type or act. */
bool grammar_check(enum grammar grammar, const struct tree *tree, struct str file, struct str pointer,
                   struct faults *faults);

/* Returns "pointer/name", escaped as RFC 6901 demands, in the arena. */
struct str pointer_child(struct arena *arena, struct str pointer, struct str name);
