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

/* Checks the form of a tree, which stands at that place. Returns false after adding faults of the rules
 * member-once, member-known, member-required, member-type or act. */
bool grammar_check(enum grammar grammar, const struct tree *tree, struct place place);
