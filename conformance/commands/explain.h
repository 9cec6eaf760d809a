/* Internal to `explain`: what its files print. Without `all`, everything fits two screens. */
#ifndef COMMANDS_EXPLAIN_H
#define COMMANDS_EXPLAIN_H

#include "commands/nominal.h"

#define EXPLAIN_INDENT 12 /* columns before what a label stands for */

struct explaining {
    const struct nominal *nominal;
    struct arena *arena;
    struct buf *out;
    bool all; /* nothing is left out */
};

/* Appends a text behind a label, wrapped, in at most so many lines; with `all` in as many as it takes. An empty text is
 * left out. */
void explain_member(struct explaining *explaining, const char *label, struct str text, size_t lines);

/* Appends what a play sends and expects; `key` (may be empty) chooses one of its requirements. (explain_case.c) */
void explain_play(struct explaining *explaining, const struct play *play, struct str key);

/* Appends the same in brief: what is sent, and what is expected for one requirement. (explain_case.c) */
void explain_exchange(struct explaining *explaining, const struct assertion *assertion);

/* Appends what a row of the ledger demands, the simplest exchange that asks for it, its cases and its deviations.
 * (explain_row.c) */
void explain_row(struct explaining *explaining, const struct requirement *row);

/* Appends what a deviation does and breaks. (explain_row.c) */
void explain_deviation(struct explaining *explaining, const struct deviation *deviation);

/* Appends what a model of the suite does, an inference on it, and its cases. (explain_model.c) */
void explain_model(struct explaining *explaining, const struct suite_model *model);

#endif
