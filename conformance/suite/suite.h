/* The suite: everything in fixtures/, loaded: ledger, families (one file each), tables, registry, deviations and server
 * states.
 *
 * The folder suite/ reads these files, checks and lays out their form, and looks things up in them. It sends nothing,
 * expands no case and judges nothing. It uses notation/ (what a codec is), client/endpoint.h (what an endpoint is),
 * editions/ (what a fingerprint is) and support/; it may not include pattern/, protocols/, probe/, plan/, judge/ or any
 * folder that uses these.
 *
 * Everything lies in the suite's arena and does not change after loading. */
#pragma once

#include "suite/registry.h"
#include "suite/schemas.h"
#include "suite/texts.h"

struct family {
    struct str path; /* path below fixtures/ without ".json": "v2/infer/sum-and-difference" */
    const struct tree *tree;
    bool is_written; /* the file has the whole case, without `like` (suite/like.h) */
};

/* Returns the place of the whole case. */
struct place family_place(const struct family *family, struct faults *faults);

/* A file of the suite, as it was read. */
struct suite_file {
    struct str path; /* path below fixtures/, with ".json" */
    struct str text;
    const struct tree *tree;
};

struct deviation {
    struct str name;
    struct str file;   /* "deviations/v2-rest.json" */
    struct str breaks; /* the key of the requirement that it breaks */
    const struct tree *tree;
    bool process;          /* it needs a server process of its own */
    struct str equivalent; /* why no assertion can notice it; empty for most */
};

/* A model that cases may use: the folder fixtures/models/REPOSITORY/NAME. */
struct suite_model {
    int64_t batch;         /* the largest batch that it takes (models/models.json); 0: not given */
    struct str repository; /* "kit", "builtin", or the folder of a state */
    struct str name;
    struct str folder;      /* where it lies */
    struct str takes, does; /* its inputs, and what it computes, for people; or empty (models/models.json) */
};

struct suite {
    struct arena arena;
    struct str directory;     /* as given to suite_load; $file looks here */
    struct suite_file *files; /* all files, in the order of reading */
    size_t file_count;
    struct suite_model *models; /* sorted by repository, then name */
    size_t model_count;
    struct ledger ledger;
    struct texts texts;
    struct known_schemas schemas;
    struct family *families; /* sorted by path */
    size_t family_count;
    const struct tree *tables; /* {name of the file in fixtures/tables: {label: value} or [value]} */
    struct registry registry;
    /* documents.json: {NAME: {title, address}} of the texts that the ledger cites; NULL: no file */
    const struct tree *documents;
    const struct tree *told;     /* models/models.json: {REPOSITORY/NAME: {takes, does, batch}}; NULL: no file */
    const struct tree *states;   /* servers.json; NULL: no file */
    const struct tree *problems; /* interop.json: a list of known problems between servers and clients; NULL: no file */
    const struct tree *watched;  /* watch.json: the rules for the traffic of others; NULL: no file */
    struct deviation *deviations; /* sorted by name; fixtures/deviations/PREFIX.json: {NAME: deviation} */
    size_t deviation_count;
};

/* Reads every *.json below `directory`. It fails if a file is no JSON or lacks what loading needs; the message names
 * the file, the line and the column (the program then exits with 4). All other rules are checked by the lint. The
 * caller frees the suite after a failure too, because the message lies in its arena. */
struct status suite_load(const char *directory, struct suite *suite);
void suite_free(struct suite *suite);

/* Returns "sha256:" and the digest of all files of the suite, in the arena: two suites with the same digest judge
 * alike. (digest.c) */
struct str suite_digest(const struct suite *suite, struct arena *arena);

/* Whether the suite is the one inside the program (support/inside.h). The arena is for what it reads. (digest.c) */
bool suite_is_own(const struct suite *suite, struct arena *arena);

/* Returns {NAME: "sha256:..."}: the documents whose sentences the ledger is based on, each with the digest of its file
 * texts/NAME.json, which has the fingerprint of every sentence: two suites with the same digest have read the same
 * document alike. The tree lies in the arena. */
struct tree *suite_document_digests(const struct suite *suite, struct arena *arena);

/* Sorts families and deviations, so that they can be found. suite_load does it. (find.c) */
void suite_sort(struct suite *suite);

/* The model of that name; NULL if no repository has it. */
const struct suite_model *suite_model(const struct suite *suite, struct str name);

/* The family of that path; NULL if there is none. */
const struct family *suite_family(const struct suite *suite, struct str path);
