/* What an earlier run found out, requirement by requirement, read from its report (--json). */
#pragma once

#include "base/status.h"
#include "support/memory.h"
#include "support/values.h"
#include "tree/tree.h"

/* How a server meets a requirement: the gravest verdict that says anything. */
enum stand { STAND_FAILS, STAND_WAIVED, STAND_WARNS, STAND_HOLDS, STAND_UNKNOWN, STANDS };

struct past_row {
    struct str key, level, layer, says;
    enum stand stand;
    size_t counts[STANDS];    /* of results; of STAND_UNKNOWN those that came to no verdict */
    const struct tree *first; /* the result of its finding, or else the first one of this stand; NULL: none */
    struct list observed;     /* struct str: the observations of an open row, each name once */
};

struct past_run {
    struct str name; /* of the server, with its version; else the name of the file */
    struct str conclusion;
    const struct tree *report;
    struct past_row *rows; /* sorted by key */
    size_t count;
};

/* Reads a report. INVALID_ARGUMENT: the file is none. Everything lies in the arena. */
struct status past_run_read(const char *file, struct arena *arena, struct past_run *run);

/* The same for the text of a report; `file` is the name of a server that has none. */
struct status past_run_parse(struct str text, const char *file, struct arena *arena, struct past_run *run);

/* Reads several reports, up to the first that is none. */
struct status past_runs_read(const struct values *files, struct arena *arena, struct past_run **runs);

/* Returns the row of that key; NULL if the report has none. */
const struct past_row *past_run_row(const struct past_run *run, struct str key);
