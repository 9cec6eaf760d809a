/* What each kind of order does: a load, an unload, the index. Only the order thread calls this, and at the start the
 * thread that opens the repository. */
#include "models/inside.h"

#include "base/search.h"
#include "models/folder.h"

/* --- Loads --- */

static const struct root *root_named(const struct repository *repository, struct str name)
{
    return FIND(repository->roots, i, repository->root_count, str_equal(repository->roots[i].name, name));
}

static struct status check_repository(const struct repository *repository, const struct order *order)
{
    if (order->repository.size == 0 || root_named(repository, order->repository))
        return STATUS_IS_OK;
    return status_error(order->arena, STATUS_NOT_FOUND, "there is no repository '%s'",
                        str_printable(order->arena, order->repository));
}

static bool holds_model(const struct root *root, struct str name, struct arena *arena)
{
    struct str path = arena_printf(arena, "%s/%.*s", root->directory, STR_ARG(name));
    return path.data && is_directory(path.data);
}

/* Chooses the root from which a model is loaded: the one that is asked for, or that it was loaded from before, or the
 * first that holds it. A model that comes with its files needs no folder. Returns NULL if there is none. */
static const struct root *root_for(const struct repository *repository, const struct order *order)
{
    const struct generation *before = catalog_listed(repository, order->model);
    struct str wanted = order->repository.size ? order->repository : before ? before->repository : (struct str){0};
    const struct root *root = root_named(repository, wanted);
    if (!is_folder_name(order->model))
        return NULL;
    if (root && (order->file_count || holds_model(root, order->model, order->arena)))
        return root;
    if (order->repository.size)
        return NULL;
    return FIND(repository->roots, i, repository->root_count,
                order->file_count || holds_model(&repository->roots[i], order->model, order->arena));
}

static struct status no_such_model(const struct order *order)
{
    struct arena *arena = order->arena;
    const char *where = order->repository.size ? str_printable(arena, order->repository) : NULL;
    return status_error(arena, STATUS_NOT_FOUND, "failed to load '%s': %s%s%s such a model",
                        str_printable(arena, order->model), where ? "the repository '" : "no repository has",
                        where ? where : "", where ? "' has no" : "");
}

static bool brings_something(const struct order *order)
{
    return order->config.size || order->file_count;
}

static bool any_is_ready(const struct generation *generation)
{
    return generation && ANY(i, generation->version_count, atomic_load(&generation->models[i].state) == MODEL_READY);
}

void order_give_to_loaders(struct repository *repository, struct generation *generation, struct order *order)
{
    generation->order = order;
    generation->next_loading = repository->loading;
    generation->at_loading = &repository->loading;
    if (repository->loading)
        repository->loading->at_loading = &generation->next_loading;
    repository->loading = generation;
    pthread_mutex_lock(&repository->mutex);
    loaders_add(repository, generation);
    pthread_mutex_unlock(&repository->mutex);
}

/* The fault lies in what the order brought, if it brought anything, otherwise in the folder; or there is no memory. */
static struct status fault_of_order(const struct order *order, enum status_code code, struct str fault)
{
    if (fault.size == 0) /* there was no memory even for the reason */
        return status_no_memory();
    if (code != STATUS_RESOURCE_EXHAUSTED)
        code = brings_something(order) ? STATUS_INVALID_ARGUMENT : STATUS_FAILED_PRECONDITION;
    return status_error(order->arena, code, "failed to load '%s': %.*s", str_printable(order->arena, order->model),
                        STR_ARG(fault));
}

/* Begins a load. If nothing is served under the name, the catalog shows the new generation while it loads. Otherwise it
 * is loaded aside, and what is served stays. */
struct status order_begin_load(struct repository *repository, struct order *order)
{
    TRY(check_repository(repository, order));
    const struct root *root = root_for(repository, order);
    struct generation *generation;
    if (!root)
        return no_such_model(order);
    TRY(generation_open(repository->backends, root, order->model, order, order->arena, &generation));
    struct status status = STATUS_IS_OK;
    if (!is_ok(generation->fault) && brings_something(order))
        status = fault_of_order(order, generation->fault.code, generation->fault.message);
    struct generation *before = catalog_listed(repository, order->model);
    if (is_ok(status) && !any_is_ready(before))
        status = catalog_replace(repository, before, generation);
    if (!is_ok(status)) {
        generation_free(generation);
        return status;
    }
    order_give_to_loaders(repository, generation, order);
    return STATUS_IS_OK;
}

static struct status outcome(const struct generation *generation)
{
    for (size_t i = 0; i < generation->version_count; i++)
        if (atomic_load(&generation->models[i].state) != MODEL_READY)
            return fault_of_order(generation->order, generation->models[i].fault, generation->models[i].reason);
    return STATUS_IS_OK;
}

/* A generation that was loaded aside takes the place of the old one if all of it is ready; otherwise it is dropped. */
void order_finish_load(struct repository *repository, struct generation *generation)
{
    struct order *order = generation->order;
    struct status status = order ? outcome(generation) : STATUS_IS_OK;
    generation->order = NULL;
    generation->source.files = NULL;
    generation->source.file_count = 0;
    if (!generation->is_listed && is_ok(status))
        status = catalog_replace(repository, catalog_listed(repository, generation->name), generation);
    if (!generation->is_listed)
        generation_free(generation);
    if (order)
        order->done(order, status);
}

/* --- Unloads --- */

/* From now on look-ups of the model find the generation that rests, until the model is loaded again. */
struct status order_unload(struct repository *repository, const struct order *order)
{
    TRY(check_repository(repository, order));
    struct generation *generation = catalog_listed(repository, order->model);
    if (!generation)
        return status_error(order->arena, STATUS_NOT_FOUND, "there is no model '%s'",
                            str_printable(order->arena, order->model));
    if (order->repository.size && !str_equal(order->repository, generation->repository))
        return status_error(
            order->arena, STATUS_NOT_FOUND, "the model '%s' was loaded from the repository '%s', not from '%s'",
            str_printable(order->arena, order->model), str_printable(order->arena, generation->repository),
            str_printable(order->arena, order->repository));
    if (!generation->is_wanted)
        return STATUS_IS_OK;
    struct generation *rest = generation_resting(generation, MODEL_UNLOADING, "unloaded");
    NEED(rest);
    struct status status = catalog_replace(repository, generation, rest);
    if (is_ok(status))
        generation->successor = rest;
    else
        generation_free(rest);
    return status;
}

/* --- The index --- */

/* A folder that is new is listed from now on. */
static struct status list_folder(struct repository *repository, const struct root *root, struct str name,
                                 struct arena *arena)
{
    struct generation *generation = NULL;
    if (catalog_listed(repository, name))
        return STATUS_IS_OK;
    struct status status = generation_open(repository->backends, root, name, NULL, arena, &generation);
    if (!is_ok(status)) /* a folder that cannot be read, or that has just gone, must not hide the others */
        return status.code == STATUS_NOT_FOUND ? STATUS_IS_OK : status;
    generation_rest(generation, MODEL_UNAVAILABLE, "never loaded");
    status = catalog_replace(repository, NULL, generation);
    if (!is_ok(status))
        generation_free(generation);
    return status;
}

/* A model that is not loaded and whose folder has gone is listed no longer. */
static struct status drop_gone(struct repository *repository)
{
    for (size_t i = 0; i < atomic_load(&repository->catalog)->count;) {
        struct generation *generation = atomic_load(&repository->catalog)->generations[i];
        if (generation->is_wanted || is_directory(generation->source.directory))
            i++;
        else
            TRY(catalog_replace(repository, generation, NULL));
    }
    return STATUS_IS_OK;
}

static struct status look_again(struct repository *repository, struct arena *arena)
{
    TRY(drop_gone(repository));
    for (size_t i = 0; i < repository->root_count; i++) {
        const struct root *root = &repository->roots[i];
        struct names folders;
        TRY(read_folders(root->directory, arena, &folders));
        for (size_t j = 0; j < folders.count; j++)
            TRY(list_folder(repository, root, folders.list[j], arena));
    }
    return STATUS_IS_OK;
}

static void keep_ready(struct order *order)
{
    size_t kept = 0;
    for (size_t i = 0; i < order->row_count; i++)
        if (order->rows[i].state == MODEL_READY)
            order->rows[kept++] = order->rows[i];
    order->row_count = kept;
}

struct status order_index(struct repository *repository, struct order *order)
{
    TRY(check_repository(repository, order));
    TRY(look_again(repository, order->arena));
    TRY(repository_rows(repository, order->repository, order->arena, &order->rows, &order->row_count));
    if (order->only_ready)
        keep_ready(order);
    return STATUS_IS_OK;
}
