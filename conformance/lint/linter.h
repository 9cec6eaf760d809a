/* The parts of the lint, and what they share. */
#ifndef LINT_LINTER_H
#define LINT_LINTER_H

#include "plan/plan.h"
#include "suite/faults.h"

struct linter {
    const struct suite *suite;
    const struct plan *plan; /* nominal: everything hosted and offered */
    struct arena *arena;
    struct faults *faults;
};

/* One file's case, in the form the grammar wants: names, acts, changes, models (case.c). */
void lint_case(struct linter *linter, const struct family *family, struct str file);

/* Steps, watchers and edits of bytes (steps.c); `tree` is the base of an edit. */
void lint_steps(struct linter *linter, const struct family *family, struct str file);
void lint_watcher(struct linter *linter, const struct family *family, struct str file);
void lint_edit(struct linter *linter, const struct tree *tree, const struct tree *edit, struct str file,
               struct str pointer);

/* Its expectations: observations and patterns, and those that the family names (pattern.c). */
void lint_expect(struct linter *linter, const struct tree *expect, struct str file, struct str pointer);
void lint_observations(struct linter *linter, const struct tree *tree, struct str file);

/* What a case of any model may say, and who may say "agrees" (probe.c). */
void lint_probe(struct linter *linter, const struct tree *tree, struct str file);

/* Ledger, deviations and server states (ledger.c). */
void lint_ledger(struct linter *linter);

/* interop.json: known problems and the cases that catch them (problems.c). */
void lint_problems(struct linter *linter);

/* A link, or a text or list of them (`seen`): whether it leads to more than a repository (link.c). NULL: none. */
void lint_link(struct linter *linter, const struct tree *link, struct str file, struct str pointer);
void lint_links(struct linter *linter, const struct tree *links, struct str file, struct str pointer);

/* How the files are laid out (format.c). */
void lint_format(struct linter *linter);

/* Every expectation against answers of servers that do nothing (null_servers.c). */
void lint_null_servers(struct linter *linter);

#endif
