/* The requirement ledger, fixtures/requirements/PREFIX.json: one row for each normative statement of the documents (000
 * to 004, and the texts that they build on; fixtures/documents.json lists them). */
#pragma once

#include "base/arena.h"
#include "base/status.h"
#include "tree/tree.h"

enum level { LEVEL_MUST, LEVEL_SHOULD, LEVEL_MAY, LEVEL_OPEN };

/* What a row is about, the gravest first. A server that breaks a row about answers is useless to correct clients. */
enum layer {
    LAYER_ANSWERS,   /* how a correct request is answered */
    LAYER_REFUSALS,  /* how a wrong request is treated */
    LAYER_TRANSPORT, /* what HTTP, HTTP/2 and gRPC demand, and JSON or proto3 alone */
    LAYERS
};

struct keys {
    struct str *items;
    size_t count;
};

struct requirement {
    struct str key;    /* "v2-rest.data-count" */
    struct str prefix; /* "v2-rest" */
    struct str under;  /* the name under which reports count it: the prefix; for a row about the transport in a profile
                          the text of its first source, by documents.json, such as "json" */
    struct str slug;   /* "data-count" */
    enum level level;
    enum layer layer;
    struct str binds;    /* "server" or "client" */
    struct str says;     /* our paraphrase, one sentence */
    struct str status;   /* "tested", "untestable" or "erratum" */
    struct str why;      /* why the row is not tested; empty for a tested one */
    struct keys owns;    /* members of answers that belong to it: "/id", "ModelInfer /code" (report/causes.h) */
    struct keys implies; /* keys of rows whose cases fail too where this one is broken */
    const struct tree *sources;
    struct str source;       /* for reports, made from `sources`: title, name, sections and address of each text */
    struct str cites;        /* the same without addresses */
    struct str file;         /* "requirements/v2-rest.json" */
    size_t position;         /* index in the file's list */
    const struct tree *tree; /* the row as it was read */
};

struct ledger {
    struct requirement *rows; /* sorted by key */
    size_t count;
};

/* Reads the rows of all ledger files (each is a list of rows) and sorts them by key. `documents` is documents.json, an
 * object {NAME: {title, address}}, or NULL. Rows point into the trees of the files; texts that are made here lie in the
 * arena. INVALID_ARGUMENT names the file and the row if a row has no key of the form PREFIX.SLUG, or no known level or
 * layer. */
struct ledger_file {
    struct str name; /* "requirements/v2-rest.json" */
    const struct tree *tree;
};
struct status ledger_read(const struct ledger_file *files, size_t file_count, const struct tree *documents,
                          struct arena *arena, struct ledger *ledger);

/* NULL if the ledger has no such key. */
const struct requirement *ledger_find(const struct ledger *ledger, struct str key);

/* Whether an earlier source of the list has the same text and, if `sections`, the same section too. */
bool source_is_repeated(const struct tree *sources, const struct tree *source, bool sections);

const char *level_name(enum level level); /* "must" */
const char *layer_name(enum layer layer); /* "answers" */
