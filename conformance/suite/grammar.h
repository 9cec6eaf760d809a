/* Whether the objects of fixtures have the members that they must and may have. */
#ifndef SUITE_GRAMMAR_H
#define SUITE_GRAMMAR_H

#include "suite/faults.h"
#include "tree/tree.h"

enum grammar { GRAMMAR_CASE, GRAMMAR_LEDGER_ROW, GRAMMAR_DOCUMENT, GRAMMAR_DEVIATION, GRAMMAR_STATE, GRAMMAR_PROBLEM };

/* Checks that the tree has the form. Adds faults of the rules member-once, member-known, member-required, member-type
 * and act. `pointer` is where the tree stands in its file. */
bool grammar_check(enum grammar grammar, const struct tree *tree, struct str file, struct str pointer,
                   struct faults *faults);

/* "pointer/name", escaped as RFC 6901 says. */
struct str pointer_child(struct arena *arena, struct str pointer, struct str name);

#endif
