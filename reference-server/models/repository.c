/* The catalog is read by everybody and replaced by the order thread alone. A look-up takes no lock: it finds the
 * generation by its name, looks at its versions from the highest down, and holds it. */
#include "models/inside.h"

#include "base/search.h"

#include <stdlib.h>
#include <time.h>

/* --- Look-up --- */

/* Returns the highest version that is ready, or the highest if none is. */
static struct model *best_version(const struct generation *generation)
{
    for (size_t i = generation->version_count; i-- > 0;)
        if (atomic_load(&generation->models[i].state) == MODEL_READY)
            return &generation->models[i];
    return &generation->models[generation->version_count - 1];
}

static struct model *version_named(const struct generation *generation, struct str version)
{
    return FIND(generation->models, i, generation->version_count, str_equal(generation->models[i].version, version));
}

static const char *versions_text(const struct generation *generation, struct arena *arena)
{
    struct str text = {0};
    for (size_t i = 0; i < generation->version_count; i++)
        text = arena_printf(arena, "%s%s'%s'", text.data ? text.data : "", i ? ", " : "",
                            str_printable(arena, generation->models[i].version));
    return text.data ? text.data : "(no memory to list them)";
}

/* The caller is a reader of the catalog. */
static struct status find(const struct repository *repository, size_t here, struct str name, struct str version,
                          struct arena *arena, struct model_hold *hold)
{
    struct generation *generation = catalog_find(atomic_load(&repository->catalog), name);
    if (!generation)
        return status_broken(arena, STATUS_NOT_FOUND, "model-known", "Request for unknown model: '%s' is not found",
                             str_printable(arena, name));
    struct model *model = NULL;
    if (version.size == 0)
        model = best_version(generation);
    else if (!(model = version_named(generation, version)))
        return status_broken(arena, STATUS_NOT_FOUND, "version-known", "model '%s' has no version '%s'; it has %s",
                             str_printable(arena, name), str_printable(arena, version),
                             versions_text(generation, arena));
    *hold = (struct model_hold){model, tally_enter_at(&generation->holders, here)};
    return STATUS_IS_OK;
}

struct status repository_find(struct repository *repository, struct str name, struct str version, struct arena *arena,
                              struct model_hold *hold)
{
    *hold = (struct model_hold){0};
    size_t here = tally_here();
    struct tally_place *place = readers_enter(&repository->readers, here);
    struct status status = find(repository, here, name, version, arena, hold);
    readers_leave(place);
    return status;
}

/* Returns the first generation of that root that is wanted, or NULL. */
static struct generation *first_of(const struct catalog *catalog, const struct root *root)
{
    return FIRST(i, catalog->count,
                 catalog->generations[i]->is_wanted && str_equal(catalog->generations[i]->repository, root->name),
                 catalog->generations[i], NULL);
}

bool repository_find_first(struct repository *repository, struct model_hold *hold)
{
    size_t here = tally_here();
    struct tally_place *place = readers_enter(&repository->readers, here);
    struct generation *first = NULL;
    for (size_t i = 0; i < repository->root_count && !first; i++)
        first = first_of(atomic_load(&repository->catalog), &repository->roots[i]);
    *hold = (struct model_hold){0};
    if (first)
        *hold = (struct model_hold){best_version(first), tally_enter_at(&first->holders, here)};
    readers_leave(place);
    return first;
}

size_t repository_versions(struct repository *repository, struct str name, struct arena *arena, struct str **versions)
{
    struct tally_place *place = readers_enter(&repository->readers, tally_here());
    const struct generation *generation = catalog_find(atomic_load(&repository->catalog), name);
    size_t count = 0;
    *versions = generation ? arena_alloc_zero(arena, generation->version_count, sizeof(**versions)) : NULL;
    for (size_t i = 0; *versions && i < generation->version_count; i++)
        if (atomic_load(&generation->models[i].state) == MODEL_READY)
            (*versions)[count++] = arena_copy(arena, generation->models[i].version);
    readers_leave(place);
    return count;
}

/* --- Lists --- */

#define IN(state) (1U << (state))

/* Says whether any version of a model that is wanted is in one of these states. */
static bool any_wanted(struct repository *repository, unsigned states)
{
    struct tally_place *place = readers_enter(&repository->readers, tally_here());
    const struct catalog *catalog = atomic_load(&repository->catalog);
    bool any = false;
    for (size_t i = 0; i < catalog->count && !any; i++) {
        const struct generation *generation = catalog->generations[i];
        for (size_t j = 0; j < generation->version_count && generation->is_wanted && !any; j++)
            any = states & IN(atomic_load(&generation->models[j].state));
    }
    readers_leave(place);
    return any;
}

bool repository_ready(struct repository *repository)
{
    return !any_wanted(repository, ~IN(MODEL_READY));
}

bool repository_is_loading(struct repository *repository)
{
    return any_wanted(repository, IN(MODEL_LOADING));
}

size_t repository_holders(struct repository *repository)
{
    struct tally_place *place = readers_enter(&repository->readers, tally_here());
    const struct catalog *catalog = atomic_load(&repository->catalog);
    size_t holders = SUM(i, catalog->count, tally_sum(&catalog->generations[i]->holders));
    readers_leave(place);
    return holders;
}

/* --- Open and close --- */

static struct repository *make_repository(void)
{
    struct repository *repository = aligned_alloc(_Alignof(struct repository), sizeof(*repository));
    if (!repository)
        return NULL;
    memset(repository, 0, sizeof(*repository));
    repository->arena = arena_new(ARENA_NO_BUDGET);
    repository->last_order = &repository->orders;
    repository->last_to_load = &repository->to_load;
    pthread_mutex_init(&repository->mutex, NULL);
    clock_cond_init(&repository->news);
    pthread_cond_init(&repository->work, NULL);
    return repository;
}

struct status repository_open(const struct repository_options *options, struct arena *arena,
                              struct repository **repository)
{
    struct repository *opened = make_repository();
    NEED(opened);
    opened->backends = options->backends;
    struct status status = roots_read(opened, options->paths, options->path_count);
    if (is_ok(status))
        status = roots_open_all(opened, options->loads, options->load_count);
    if (is_ok(status))
        status = loaders_start(opened);
    if (is_ok(status))
        status = order_thread_start(opened);
    if (is_ok(status)) {
        *repository = opened;
    } else {
        status.message = arena_copy(arena, status.message);
        repository_close(opened);
    }
    return status;
}

/* Fails the requests that wait in the models of all generations, and returns how many holders are left. */
static size_t unload_all(struct repository *repository)
{
    const struct catalog *catalog = atomic_load(&repository->catalog);
    size_t holders = 0;
    for (size_t i = 0; catalog && i < catalog->count; i++)
        generation_unload(catalog->generations[i]);
    for (struct generation *generation = repository->retired; generation; generation = generation->next)
        generation_unload(generation);
    for (size_t i = 0; catalog && i < catalog->count; i++)
        holders += tally_sum(&catalog->generations[i]->holders);
    for (const struct generation *generation = repository->retired; generation; generation = generation->next)
        holders += tally_sum(&generation->holders);
    return holders;
}

size_t repository_close(struct repository *repository)
{
    if (!repository)
        return 0;
    pthread_mutex_lock(&repository->mutex);
    repository->closing = true;
    pthread_cond_broadcast(&repository->news);
    pthread_cond_broadcast(&repository->work);
    pthread_mutex_unlock(&repository->mutex);
    order_thread_join(repository);
    size_t holders = unload_all(repository);
    if (holders > 0)
        return holders;
    struct catalog *catalog = atomic_load(&repository->catalog);
    for (size_t i = 0; catalog && i < catalog->count; i++)
        generation_free(catalog->generations[i]);
    while (repository->retired) {
        struct generation *generation = repository->retired;
        repository->retired = generation->next;
        generation_free(generation);
    }
    free(catalog);
    pthread_cond_destroy(&repository->news);
    pthread_cond_destroy(&repository->work);
    pthread_mutex_destroy(&repository->mutex);
    arena_free(&repository->arena);
    free(repository);
    return 0;
}
