/* The requirement ledger: fixtures/requirements/PREFIX.json, one row for each normative statement of the documents. */
#ifndef SUITE_LEDGER_H
#define SUITE_LEDGER_H

#include "base/arena.h"
#include "base/status.h"
#include "tree/tree.h"

enum level { LEVEL_MUST, LEVEL_SHOULD, LEVEL_MAY, LEVEL_OPEN };

struct requirement {
    struct str key;    /* "v2-rest.data-count" */
    struct str prefix; /* "v2-rest" */
    struct str slug;   /* "data-count" */
    enum level level;
    struct str binds;  /* "server" or "client" */
    struct str says;   /* our paraphrase, one sentence */
    struct str status; /* "tested", "untestable" or "erratum" */
    struct str why;    /* for a row that is not tested */
    const struct tree *sources;
    struct str source;       /* where it stands, for reports: title and name of each text, section and address */
    struct str file;         /* "requirements/v2-rest.json" */
    size_t position;         /* in the file's list */
    const struct tree *tree; /* as read */
};

struct ledger {
    struct requirement *rows; /* sorted by key */
    size_t count;
};

/* Makes the rows of all ledger files (each a list of rows) and sorts them. `documents` is documents.json, an object
 * NAME: {title, address}; it may be NULL. Fails with INVALID_ARGUMENT, naming file and row, if a row has no key of the
 * form PREFIX.SLUG or no known level. */
struct ledger_file {
    struct str name; /* "requirements/v2-rest.json" */
    const struct tree *tree;
};
struct status ledger_read(const struct ledger_file *files, size_t file_count, const struct tree *documents,
                          struct arena *arena, struct ledger *ledger);

/* NULL if there is no such key. */
const struct requirement *ledger_find(const struct ledger *ledger, struct str key);

const char *level_name(enum level level); /* "must" */
bool level_from_name(struct str name, enum level *level);

#endif
