/* Inside of the model repository: what was found below its directories (entries.c), and the threads that load it
 * (loaders.c). */
#ifndef MODELS_ENTRIES_H
#define MODELS_ENTRIES_H

#include "models/config.h"
#include "models/repository.h"

#include <pthread.h>

#define LOADERS_MAX ((size_t)8)

/* One version of a name: its model, and who holds it (hold.h). */
struct version {
    struct str name;
    struct model *model;
    struct tally holders;
};

struct entry {
    struct str name;
    struct str repository; /* the name of the repository that it is in */
    const char *directory;
    struct model *models;     /* as they were found, one a version, ascending */
    struct version *versions; /* the same, once there is an index */
    size_t version_count;
    struct model_config config;
    const struct backend *backend; /* the first of the table if its config has a fault */
    struct str fault;              /* of config.pbtxt; empty: none */
};

struct repository {
    struct arena arena; /* entries and models; each model's own things are in its arena */
    const struct backend *const *backends;
    struct entry *entries;
    size_t entry_count;
    struct entry **slots; /* open addressing; slot_mask + 1 of them */
    size_t slot_mask;
    struct version *versions; /* all, by name and version; each entry's are a part of them */
    size_t version_count;

    pthread_t loaders[LOADERS_MAX];
    size_t loader_count;
    pthread_mutex_t mutex;
    size_t next; /* the first version that no loader has taken */
    bool closing;
};

/* Fills entries and entry_count; every model is LOADING then. The message of a failure lies in the repository's arena.
 */
struct status entries_read(struct repository *repository, const char *const *paths, size_t count);

/* Starts to load repository->versions; loaders_cancel gives up what is not loaded and waits for the threads. */
struct status loaders_start(struct repository *repository);
void loaders_cancel(struct repository *repository);

#endif
