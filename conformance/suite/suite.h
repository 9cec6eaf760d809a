/* The body of knowledge, read: ledger, families (one file each), tables, encodings, deviations, server states.
 * Everything lies in the suite's arena and is never changed after loading. */
#ifndef SUITE_SUITE_H
#define SUITE_SUITE_H

#include "suite/registry.h"

struct family {
    struct str path; /* "v2/infer/sum-and-difference": file path below fixtures/, without ".json" */
    const struct tree *tree;
};

/* A file of the suite, as it was read. */
struct suite_file {
    struct str path; /* below fixtures/, with ".json" */
    struct str text;
    const struct tree *tree;
};

struct deviation {
    struct str name;
    struct str file;   /* "deviations/v2-rest.json" */
    struct str breaks; /* key */
    const struct tree *tree;
    bool process;          /* needs a server of its own */
    struct str equivalent; /* why it cannot be noticed; empty for most */
};

/* A model that cases may use: a folder fixtures/models/REPOSITORY/NAME. */
struct suite_model {
    struct str repository; /* "kit", "builtin", or the folder of a state */
    struct str name;
};

struct suite {
    struct arena arena;
    struct str directory;     /* as given to suite_load; where $file looks */
    struct suite_file *files; /* every one, in the order of reading */
    size_t file_count;
    struct suite_model *models; /* sorted by repository, then name */
    size_t model_count;
    struct ledger ledger;
    struct family *families; /* sorted by path */
    size_t family_count;
    const struct tree *tables; /* an object: name of the file in fixtures/tables -> {label: value} or [value] */
    struct registry registry;
    const struct tree *documents; /* documents.json: the texts of the ledger, NAME: {title, address}; NULL: no file */
    const struct tree *states;    /* servers.json */
    const struct tree *problems; /* interop.json: a list of known problems between servers and clients; NULL: no file */
    struct deviation *deviations; /* sorted by name; fixtures/deviations/PROFILE.json: {NAME: deviation} */
    size_t deviation_count;
};

/* Reads every *.json below `directory`. Fails (exit 4) with file and byte of the first file that is no JSON or lacks
 * what loading needs; the rules beyond that are lint's. The suite is to be freed then too: the message lies in it. */
struct status suite_load(const char *directory, struct suite *suite);
void suite_free(struct suite *suite);

/* The model of that name; NULL if no repository has it. */
const struct suite_model *suite_model(const struct suite *suite, struct str name);

/* NULL if there is none. */
const struct family *suite_family(const struct suite *suite, struct str path);

#endif
