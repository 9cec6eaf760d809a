/* A generation is what one load makes of a model: its configuration and all its versions. A model that is loaded again
 * gets a new generation; requests that hold the old one finish with that.
 *
 * A model that is not loaded has a generation too, which *rests*: its versions are UNAVAILABLE and have a reason. So a
 * look-up always finds a generation. */
#pragma once

#include "base/tally.h"
#include "models/backend.h"
#include "models/config.h"
#include "models/file.h"
#include "models/statistics.h"

struct order;
struct root;

struct generation {
    struct tally holders; /* of all versions */
    struct arena arena;   /* holds everything below; each model has an arena of its own */
    struct str name;
    struct str repository; /* the name of its repository */
    struct source source;  /* the files; files that came with a request are there only while the models load */
    struct model_config config;
    const struct backend *backend; /* the first of the table if the config is wrong */
    struct status fault;           /* what is wrong with the configuration or the folder; OK if nothing is */
    struct model *models;          /* one for each version, ascending; at least one */
    struct statistics *statistics; /* of each model */
    size_t version_count;
    bool is_wanted; /* it is loaded, or should be; the readiness of the server does not count the others */

    /* For loaders.c and order_thread.c */
    struct generation *next;         /* in the list of what is to be loaded, is loaded, or is retired */
    struct generation *next_loading; /* in the list of those that the loaders have */
    struct generation **at_loading;  /* what points to this one there */
    size_t taken, unfinished;        /* models that loaders have taken, and that are not loaded yet */
    bool is_listed;                  /* it is in the catalog, or was */
    struct order *order;             /* the order that it is loaded for; NULL: none waits for it */
    struct generation *successor;    /* rests in its place until the last holder has left; or NULL */
};

/* Opens the generation of the model in that repository. The configuration and the files that an order (NULL: none)
 * brings stand for those of the folder; they must stay until the models are loaded. Reads the configuration and chooses
 * the backend and the versions; every model is LOADING then. A faulty configuration is no failure: `fault` is set, and
 * the load will fail. Fails if the folder cannot be read, with a message in `arena`, or without memory. The caller
 * frees the generation. */
struct status generation_open(const struct backend *const *backends, const struct root *root, struct str name,
                              const struct order *order, struct arena *arena, struct generation **generation);

/* Makes a generation rest: nothing loads it, and its models are in that state. `reason` is static. */
void generation_rest(struct generation *generation, enum model_state state, const char *reason);

/* Returns a generation with the names and versions of another one, in that state. It rests. `reason` is static. Returns
 * NULL without memory. */
struct generation *generation_resting(const struct generation *like, enum model_state state, const char *reason);

/* Unloads the models: the requests that wait in them fail with UNAVAILABLE. */
void generation_unload(struct generation *generation);

/* Unloads the models and frees everything; nobody may hold one. */
void generation_free(struct generation *generation);
