/* Internal to lint/: the checks, and what they share. */
#pragma once

#include "plan/plan.h"
#include "suite/faults.h"

struct linter {
    const struct suite *suite;
    const struct plan *plan; /* the plan for a nominal target, which hosts and offers everything */
    struct arena *arena;
    struct faults *faults;
};

/* Checks what the grammar cannot: names, acts, changes and models of a case (case.c). */
void lint_case(struct linter *linter, const struct family *family, struct place place);

/* These check steps, request lines among bytes, watchers and edits of bytes (steps.c). `tree`: the edited base. */
void lint_steps(struct linter *linter, const struct family *family, struct place place);
void lint_request_lines(const struct tree *tree, struct place place);
void lint_watcher(const struct family *family, struct place place);
void lint_edit(const struct tree *tree, const struct tree *edit, struct place place);

/* These check observations and patterns, in expectations and in `observations` (pattern.c). */
void lint_expect(struct linter *linter, const struct tree *expect, struct place place);
void lint_observations(struct linter *linter, const struct tree *tree, struct place place);

/* Checks what only a case of the model "*" may contain, and which cases may expect "agrees" (probe.c). */
void lint_probe(const struct tree *tree, struct place place);

/* Checks ledger, deviations and server states (ledger.c). */
void lint_ledger(struct linter *linter);

/* These return where a row of the ledger, and a deviation, stand (ledger.c). */
struct place row_place(const struct requirement *row, struct faults *faults);
struct place deviation_place(const struct deviation *deviation, struct faults *faults);

/* Checks that no MUST demands what a weaker row owns (level.c). */
void lint_levels(struct linter *linter);

/* Checks the documents against the ledger (texts.c). */
void lint_texts(struct linter *linter);

/* Checks the schemas against the ledger (schemas.c). */
void lint_schemas(struct linter *linter);

/* Checks interop.json: known problems and the cases that catch them (problems.c). */
void lint_problems(struct linter *linter);

/* Checks watch.json: its profiles, keys and patterns (watched.c). */
void lint_watched(struct linter *linter);

/* Checks that models.json and the folders of models agree (models.c). */
void lint_models(struct linter *linter);

/* These check that a link, or each of one or several (`seen`), leads to more than a repository (link.c). NULL: none. */
void lint_link(struct linter *linter, const struct tree *link, struct place place);
void lint_links(struct linter *linter, const struct tree *links, struct place place);

/* Checks the layout of the files (format.c). */
void lint_format(struct linter *linter);

/* Judges the answers that cases tell as right ones, and checks the guides that lead through them (answer.c). */
void lint_answers(struct linter *linter);

/* Judges every expectation on the answers of servers that do nothing (null_servers.c). */
void lint_null_servers(struct linter *linter);
