/* The steps of `spec-check`. Internal to commands/. */
#pragma once

#include "base/arena.h"
#include "base/status.h"
#include "editions/edition.h"
#include "suite/suite.h"
#include "support/values.h"

/* --- The files of an edition: one that is named, all of a folder, or those of a commit of a repository --- */

enum edition_kind { EDITION_PROSE, EDITION_PROTO, EDITION_OPENAPI };

struct edition_file {
    struct str name; /* for people: the path; of a file in a folder or commit, as it is called there */
    struct str text;
    enum edition_kind kind; /* by its suffix */
};

struct edition_files {
    struct edition_file *items;
    size_t count;
};

/* Appends the file at `path`, or each file below it that is prose (.md, .rst, .txt, .html) or a schema (.proto, .yaml,
 * .yml), in the order of their names. INVALID_ARGUMENT: nothing can be read there, or nothing of these lies there. */
struct status edition_files_at(const char *path, struct arena *arena, struct edition_files *files);

/* The same for a commit: the files below `folder`, which is part of a repository. It calls git. */
struct status edition_files_of_commit(const char *commit, const char *folder, struct arena *arena,
                                      struct edition_files *files);

/* --- What an editor of a specification wants to know of a new edition, the gravest first --- */

enum spec_group {
    SPEC_CHANGED, /* requirements whose sentence changed */
    SPEC_LOST,    /* requirements that lost a sentence */
    SPEC_NEW,     /* new text that looks like a requirement, and that no requirement is based on: words, a member that
                     came or went */
    SPEC_OTHER,   /* headings, braces, examples, what only moved */
    SPEC_GROUPS
};

struct spec_finding {
    enum spec_group group;
    const char *what; /* "changed", "gone", "moved" or "new" */
    struct str text;  /* "000" */
    struct str place; /* a section; of a schema a field, a path */
    bool is_behind;   /* it follows that place */
    const struct requirement **rows;
    size_t row_count;
    struct str why;       /* why no row is based on it; empty: a row is, or the words are new */
    struct str was, now;  /* the words, with marks; empty: unknown, or gone */
    struct str neighbour; /* the words before those that are new, gone or moved */
    struct str file;      /* where it stands now */
    size_t line;          /* from 1; 0: nowhere */
    struct str beside;    /* another sentence of the requirement that did not change; or empty */
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

/* --- The schemas of an edition beside those that the ledger knows, or those of an earlier edition --- */

/* Appends what changed in the schemas of the edition: since the earlier one, or, if `old` is NULL, since the schemas
 * that the ledger knows. INVALID_ARGUMENT: one cannot be read; the message names the file and the line. */
struct status spec_find_schemas(const struct suite *suite, const struct edition_files *files,
                                const struct edition_files *old, struct arena *arena, struct spec_findings *findings);

/* Whether the ledger knows the schema in one of the files. One that cannot be read is not known. */
bool spec_knows_schema(const struct suite *suite, const struct edition_files *files, struct arena *arena);

/* Prints fixtures/schemas/NAME.json from a schema; a member that the fixtures know keeps what they say of it. */
struct status spec_print_members(const struct suite *suite, const char *file, struct arena *arena);

/* --- What an edition would mean for servers that were judged before --- */

/* Appends, for each requirement that the findings touch, which servers the edition would newly break, which it would
 * excuse, and about which the reports say too little. `reports` are files that runs wrote with --json.
 * INVALID_ARGUMENT: one of them is not. */
struct status spec_what_if(const struct spec_findings *findings, const struct values *reports, struct arena *arena,
                           struct buf *out);
