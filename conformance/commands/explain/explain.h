/* Internal to `explain`: what its files print. Without `all`, everything fits two screens. */
#pragma once

#include "commands/nominal.h"

/* The form of the output: for a terminal, Markdown or HTML. */
struct explaining;
struct explain_form {
    void (*title)(struct explaining *explaining, unsigned level, struct str id, struct str text);
    void (*member)(struct explaining *explaining, const char *label, struct str text, size_t lines);
    void (*block)(struct explaining *explaining, const char *label, struct str text, size_t lines);
};
extern const struct explain_form form_text, form_markdown, form_html;

struct explaining {
    const struct nominal *nominal;
    struct arena *arena;
    struct buf *out;
    bool all; /* nothing is left out */
    const struct explain_form *form;
    unsigned open; /* of HTML: the elements that are still to be ended, as bits of the level that began them */
};

/* Prints what `act` appends, for a terminal; returns the exit code. (explain.c) */
int explain_print(struct nominal *nominal, const struct options *options,
                  int (*act)(struct explaining *explaining, const struct options *options));

/* Appends a title: of a chapter (level 2), of its subject, such as a requirement (3), or of a part of that (4). Links
 * lead to `id`, which parts do not have. A part with an empty title is only separated. */
void explain_title(struct explaining *explaining, unsigned level, struct str id, struct str text);

/* Appends a label and a text, wrapped, in at most so many lines; with `all` in as many as it takes. An empty text is
 * left out. An empty label continues the previous one. */
void explain_member(struct explaining *explaining, const char *label, struct str text, size_t lines);

/* The same of a text that is printed. */
void explain_say(struct explaining *explaining, const char *label, size_t lines, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends a text whose lines stay as they are, on a terminal without `all` so many of them (0: all). */
void explain_block(struct explaining *explaining, const char *label, struct str text, size_t lines);

/* Appends what ends the elements of HTML that are open. */
void explain_end(struct explaining *explaining);

/* Appends what a play sends and expects; `key` (may be empty) chooses one of its requirements. (explain_case.c) */
void explain_play(struct explaining *explaining, const struct play *play, struct str key);

/* Appends the correct exchange of a play that has an `answer`: the request and the answer in at most so many lines each
 * (0: all). (explain_case.c) */
void explain_right(struct explaining *explaining, const struct play *play, size_t lines);

/* Appends the same in brief: what is sent, and what is expected for one requirement. (explain_case.c) */
void explain_exchange(struct explaining *explaining, const struct assertion *assertion);

/* Appends the case of a group: its base, and each neighbour with its change. (explain_case.c) */
void explain_case(struct explaining *explaining, const struct group *group);

/* Appends how one builds a server for a profile that has a guide. (guide.c) */
void explain_guide(struct explaining *explaining, const struct profile *profile);

/* Appends what a row of the ledger demands, the simplest exchange that asks for it, its cases and its deviations.
 * (explain_row.c) */
void explain_row(struct explaining *explaining, const struct requirement *row);

/* Appends what a deviation does and breaks. (explain_row.c) */
void explain_deviation(struct explaining *explaining, const struct deviation *deviation);

/* Appends what a model of the suite does, an inference on it, and its cases. (explain_model.c) */
void explain_model(struct explaining *explaining, const struct suite_model *model);
