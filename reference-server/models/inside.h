/* Internals of the model repository, which several files of this folder share.
 *
 * The catalog says what is served. Everybody reads it without a lock (readers.h). Only the order thread
 * (order_thread.c) replaces it, once the repository is open. Loaders (loaders.c) load the generations that the order
 * thread gives them, and give them back. */
#pragma once

#include "models/generation.h"
#include "models/order.h"
#include "models/readers.h"
#include "models/repository.h"

#include <pthread.h>

#define LOADERS_MAX ((size_t)8)

/* The catalog: one generation for each name, the one that is served or rests. A catalog never changes. Whoever adds or
 * removes a generation makes another catalog. */
struct catalog {
    size_t count;
    struct generation *generations[]; /* by name */
};

/* A directory of models, and its name. */
struct root {
    struct str name;
    const char *directory;
};

struct repository {
    struct readers readers;
    _Atomic(struct catalog *) catalog;

    struct arena arena; /* holds the roots */
    struct root *roots;
    size_t root_count;
    const struct backend *const *backends;

    pthread_t order_thread, loaders[LOADERS_MAX];
    bool has_order_thread;
    size_t loader_count;
    pthread_mutex_t mutex; /* for what follows, up to closing */
    pthread_cond_t news;   /* for the order thread: orders, loaded, closing */
    pthread_cond_t work;   /* for the loaders: to_load, closing */
    struct order *orders, **last_order;
    struct generation *loaded;
    struct generation *to_load, **last_to_load;
    bool closing;

    /* Only the order thread uses these. */
    struct order *waiting;      /* orders that wait until their model is loaded */
    struct generation *loading; /* generations that the loaders have */
    struct generation *retired; /* generations that left the catalog and are still held */
};

/* --- roots.c --- */

/* Reads the names and paths of the repositories. */
struct status roots_read(struct repository *repository, const char *const *paths, size_t count);

/* Says whether a name can be that of a folder in a repository: it is no path and is not hidden. */
bool is_folder_name(struct str name);

/* Opens a generation for each folder of the roots, and makes the first catalog of them. Only those that `loads` names
 * are wanted, or all if it names none. */
struct status roots_open_all(struct repository *repository, const char *const *loads, size_t load_count);

/* --- repository.c --- */

/* Lists all versions in the catalog, of all repositories or of the one of that name. Fails without memory. */
struct status repository_rows(struct repository *repository, struct str root, struct arena *arena,
                              struct model_row **rows, size_t *count);

/* --- loaders.c --- */

struct status loaders_start(struct repository *repository);

/* Gives a generation to the loaders. The mutex must be held. */
void loaders_add(struct repository *repository, struct generation *generation);

/* Makes the loads of a generation that do not end by themselves end soon. */
void loaders_cancel(const struct generation *generation);

/* Waits for the loaders to end. `closing` is set, and the loads that still run are cancelled. */
void loaders_join(struct repository *repository);

/* --- catalog.c --- */

/* Returns a catalog with the generations of another one (NULL: none), without `gone` (NULL: without none) and with
 * `come` (NULL: no other). Returns NULL without memory. The caller frees it with free. */
struct catalog *catalog_with(const struct catalog *old, const struct generation *gone, struct generation *come);

/* Returns the generation of that name, or NULL. */
struct generation *catalog_find(const struct catalog *catalog, struct str name);

/* Only the thread that changes the catalog calls these. */
struct generation *catalog_listed(const struct repository *repository, struct str name);

/* Puts a generation into the catalog, or takes one out, or both. */
struct status catalog_replace(struct repository *repository, struct generation *old, struct generation *with);

/* Frees the retired generations without holders. What rests in the place of one is no longer UNLOADING then. */
void catalog_free_retired(struct repository *repository);

/* --- carry_out.c; only the same thread calls it --- */

/* Begins the load of an order, which ends in order_finish_load. Fails if it cannot begin. */
struct status order_begin_load(struct repository *repository, struct order *order);
void order_finish_load(struct repository *repository, struct generation *generation);
struct status order_unload(struct repository *repository, const struct order *order);
struct status order_index(struct repository *repository, struct order *order);

/* Lets the loaders load a generation, for the order or, where that is NULL, at the start. */
void order_give_to_loaders(struct repository *repository, struct generation *generation, struct order *order);

/* --- order_thread.c --- */

struct status order_thread_start(struct repository *repository);

/* Waits for the order thread and the loaders to end, and refuses the orders that are left. `closing` is set.
 * Generations that are not in the catalog are freed, except retired ones. */
void order_thread_join(struct repository *repository);
