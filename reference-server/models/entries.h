/* Internals of the model repository: what was found in its directories (entries.c), and the threads that load the
 * models (loaders.c). This header is for files of this folder. */
#ifndef MODELS_ENTRIES_H
#define MODELS_ENTRIES_H

#include "models/config.h"
#include "models/repository.h"

#include <pthread.h>

#define LOADERS_MAX ((size_t)8)

/* One version of a model, and its holders (hold.h). */
struct version {
    struct str name;
    struct model *model;
    struct tally holders;
};

struct entry {
    struct str name;
    struct str repository; /* the name of its repository */
    const char *directory;
    struct model *models;     /* as they were found: one for each version, ascending */
    struct version *versions; /* the same models; set when the index is made */
    size_t version_count;
    struct model_config config;
    const struct backend *backend; /* the first of the table if the config is wrong */
    struct str fault;              /* what is wrong with config.pbtxt; empty if nothing is */
};

struct repository {
    struct arena arena; /* holds entries and models; each model has an arena of its own */
    const struct backend *const *backends;
    struct entry *entries;
    size_t entry_count;
    struct entry **slots; /* a hash table with open addressing; it has slot_mask + 1 slots */
    size_t slot_mask;
    struct version *versions; /* all versions, by name and version; each entry points at its part */
    size_t version_count;

    pthread_t loaders[LOADERS_MAX];
    size_t loader_count;
    pthread_mutex_t mutex;
    size_t next; /* the first version that no loader has taken */
    bool closing;
};

/* Fills entries and entry_count; every model is LOADING then. The message of a failure lies in the arena of the
 * repository. */
struct status entries_read(struct repository *repository, const char *const *paths, size_t count);

/* loaders_start starts to load repository->versions. loaders_cancel cancels the loads that still run and waits for the
 * threads. */
struct status loaders_start(struct repository *repository);
void loaders_cancel(struct repository *repository);

#endif
