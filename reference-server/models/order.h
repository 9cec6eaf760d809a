/* An order to the model repository: to list its models, to load one, or to unload one (001, "RepositoryIndex",
 * "RepositoryModelLoad" and "RepositoryModelUnload"). One thread, the order thread, carries out all orders; those about
 * one model one after another, in the order in which they came. */
#pragma once

#include "models/file.h"
#include "models/model.h"

struct repository;

enum order_kind {
    ORDER_INDEX,  /* reads the folders of the repositories again, and lists the models */
    ORDER_LOAD,   /* loads a model, or loads it again; what was served before is served until the new one is ready */
    ORDER_UNLOAD, /* requests in flight finish, and new ones are refused; then the memory is freed */
};

/* One version of one model. */
struct model_row {
    struct str name, version;
    enum model_state state;
    struct str reason; /* of MODEL_UNAVAILABLE */
    bool is_wanted;    /* it is loaded, or should be: not the case after an unload, or if it was never loaded */
};

struct order {
    /* The caller sets these members. All of it must stay until done. */
    enum order_kind kind;
    struct arena *arena;      /* for rows and messages */
    struct str repository;    /* empty: any */
    bool only_ready;          /* of ORDER_INDEX: only versions that are ready are listed */
    struct str model;         /* not of ORDER_INDEX */
    struct str config;        /* of ORDER_LOAD: JSON that stands for config.pbtxt; empty: there is none */
    struct model_file *files; /* of ORDER_LOAD: they stand for the folder of the model, if there are any */
    size_t file_count;
    /* Called exactly once, on the order thread, which must not wait for anything. The order may be freed then. */
    void (*done)(struct order *order, struct status status);
    /* Says whether somebody still waits for it. An order that nobody waits for when its turn comes is not carried out.
     * NULL: always. */
    bool (*is_awaited)(const struct order *order);
    void *context; /* belongs to the caller */

    /* The answer to ORDER_INDEX, by name and version. */
    struct model_row *rows;
    size_t row_count;

    struct order *next; /* belongs to the order thread */
};

/* Gives the order to the order thread. Its status is
 *   OK                   done; after a load, all versions are ready; after an unload, none is
 *   NOT_FOUND            there is no such repository, or no such model in it, or it was not loaded from there
 *   INVALID_ARGUMENT     the configuration or the files of the order are faulty
 *   FAILED_PRECONDITION  the model in the folder cannot be loaded; what was served before is served further
 *   CANCELLED            nobody waited for it, and nothing was done
 *   UNAVAILABLE          the server ends */
void repository_order(struct repository *repository, struct order *order);
