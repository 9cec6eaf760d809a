/* The files of an edition of a document: one that is named, all of a folder, or those of a commit of a repository. */
#pragma once

#include "base/arena.h"
#include "base/status.h"

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

/* The same of a commit, of what lies below `folder`, which is part of a repository. git is asked. */
struct status edition_files_of_commit(const char *commit, const char *folder, struct arena *arena,
                                      struct edition_files *files);
