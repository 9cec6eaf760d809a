/* Checks the objects of fixtures: required members are there, and no unknown ones are. What they are is said by
 * case.schema.json, a JSON Schema (draft 2020-12) whose root describes a case; the other objects stand below $defs. */
#pragma once

#include "suite/faults.h"
#include "tree/tree.h"

/* Returns the text of the schema, which `oip-conformance lint --schema` prints. */
struct str grammar_schema(void);

/* Checks the form of a tree, which stands at that place, by the definition of that name: "case", "ledger-row",
 * "document", "deviation", "state", "problem", "section", "model", "member of a schema" or "watched". Returns false
 * after adding faults of the rules member-once, member-known, member-required, member-type or act. */
bool grammar_check(const char *what, const struct tree *tree, struct place place);
