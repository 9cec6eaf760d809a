/* What an editor of a specification wants to know of a new edition, the gravest first. Internal to commands/: the steps
 * of `spec-check`. */
#pragma once

#include "commands/spec/edition_files.h"
#include "editions/edition.h"
#include "suite/suite.h"

enum spec_group {
    SPEC_CHANGED, /* requirements whose sentence changed */
    SPEC_LOST,    /* requirements that lost a sentence */
    SPEC_NEW,     /* what looks like a requirement, on which none stands: words, a member that came or went */
    SPEC_OTHER,   /* headings, braces, examples, what only moved */
    SPEC_GROUPS
};

struct spec_finding {
    enum spec_group group;
    const char *what; /* "changed", "gone", "moved" or "new" */
    struct str text;  /* "000" */
    struct str place; /* a section; of a schema a field, a path */
    bool is_behind;   /* it stands behind that place */
    const struct requirement **rows;
    size_t row_count;
    struct str why;       /* why no row stands on it; empty: a row does, or nobody knows the words */
    struct str was, now;  /* the words, with marks; empty: unknown, or gone */
    struct str neighbour; /* the words before those that are new, gone or moved */
    struct str file;      /* where it stands now */
    size_t line;          /* from 1; 0: nowhere */
    struct str beside;    /* what still says the same, if the requirement stands on several sentences */
};

struct spec_findings {
    struct spec_finding *items;
    size_t count;
    size_t counts[TEXT_NEW + 1]; /* sentences, lines and members, by what became of them */
    struct str title;            /* "a.md b.md, as text 000" */
    bool shows_all;              /* also what is else only counted */
};

/* Files of an edition that are prose, joined. */
struct spec_edition {
    struct edition edition;
    struct edition_files files;
    size_t *starts;
};

struct spec_edition spec_edition_of(const struct edition_files *files, struct arena *arena);

/* Appends what the comparison of prose found. `old` is the earlier edition, or NULL. */
void spec_find(const struct suite *suite, const struct text *text, const struct spec_edition *edition,
               const struct spec_edition *old, const struct comparison *comparison, struct arena *arena,
               struct spec_findings *findings);

/* Appends a finding. */
void spec_add(struct spec_findings *findings, const struct spec_finding *finding, struct arena *arena);

/* Sorts the findings: by group, then by the level of the gravest requirement, then as they were found. */
void spec_sort(struct spec_findings *findings);

/* Write `struct spec_findings` for a person, for a pull request, and for programs (commands/forms.h). */
void spec_print_text(const void *findings, struct buf *out);
void spec_print_markdown(const void *findings, struct buf *out);
void spec_print_json(const void *findings, struct buf *out);
