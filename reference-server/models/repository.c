/* Which models there are is read once, on the caller's thread; then a few threads load one after another. The list does
 * not change afterwards, so a look-up takes no lock: a hash of the name, then its versions from the highest down. What
 * changes is each model's state. */
#include "models/backend.h"
#include "models/entries.h"

#include <stdlib.h>

/* --- Look-up --- */

static size_t hash_of(struct str name)
{
    uint64_t hash = 14695981039346656037U; /* FNV-1a */
    for (size_t i = 0; i < name.size; i++)
        hash = (hash ^ (unsigned char)name.data[i]) * 1099511628211U;
    return (size_t)(hash ^ hash >> 32);
}

static struct status make_index(struct repository *repository)
{
    size_t slots = 16, next = 0;
    while (slots < repository->entry_count * 2)
        slots *= 2;
    repository->slot_mask = slots - 1;
    repository->slots = arena_alloc_zero(&repository->arena, slots, sizeof(struct entry *));
    repository->models = arena_alloc_zero(&repository->arena, repository->model_count, sizeof(struct model *));
    if (!repository->slots || !repository->models)
        return status_no_memory();
    for (size_t i = 0; i < repository->entry_count; i++) {
        struct entry *entry = &repository->entries[i];
        size_t slot = hash_of(entry->name) & repository->slot_mask;
        while (repository->slots[slot])
            slot = (slot + 1) & repository->slot_mask;
        repository->slots[slot] = entry;
        for (size_t j = 0; j < entry->model_count; j++)
            repository->models[next++] = &entry->models[j];
    }
    return STATUS_IS_OK;
}

static const struct entry *entry_named(const struct repository *repository, struct str name)
{
    const struct entry *entry;
    for (size_t slot = hash_of(name) & repository->slot_mask; (entry = repository->slots[slot]);
         slot = (slot + 1) & repository->slot_mask)
        if (str_equal(entry->name, name))
            return entry;
    return NULL;
}

static struct model *choose_version(const struct entry *entry)
{
    for (size_t i = entry->model_count; i-- > 0;)
        if (atomic_load(&entry->models[i].state) == MODEL_READY)
            return &entry->models[i];
    return &entry->models[entry->model_count - 1];
}

static struct model *version_named(const struct entry *entry, struct str version)
{
    for (size_t i = 0; i < entry->model_count; i++)
        if (str_equal(entry->models[i].version, version))
            return &entry->models[i];
    return NULL;
}

static const char *versions_text(const struct entry *entry, struct arena *arena)
{
    struct str text = {0};
    for (size_t i = 0; i < entry->model_count; i++)
        text = arena_printf(arena, "%s%s'%s'", text.data ? text.data : "", i ? ", " : "",
                            str_printable(arena, entry->models[i].version));
    return text.data ? text.data : "(no memory to list them)";
}

struct status repository_find(struct repository *repository, struct str name, struct str version, struct arena *arena,
                              struct model **model)
{
    const struct entry *entry = entry_named(repository, name);
    if (!entry)
        return status_broken(arena, STATUS_NOT_FOUND, "model-known", "there is no model '%s'",
                             str_printable(arena, name));
    struct model *found = version.size ? version_named(entry, version) : choose_version(entry);
    if (version.size && !found)
        return status_broken(arena, STATUS_NOT_FOUND, "version-known", "model '%s' has no version '%s'; it has %s",
                             str_printable(arena, name), str_printable(arena, version), versions_text(entry, arena));
    *model = found;
    return STATUS_IS_OK;
}

struct model *repository_next(struct repository *repository, size_t *position)
{
    if (*position >= repository->model_count)
        return NULL;
    return repository->models[(*position)++];
}

size_t repository_versions(struct repository *repository, struct str name, struct arena *arena, struct str **versions)
{
    const struct entry *entry = entry_named(repository, name);
    size_t count = 0;
    *versions = entry ? arena_alloc_zero(arena, entry->model_count, sizeof(**versions)) : NULL;
    for (size_t i = 0; *versions && i < entry->model_count; i++)
        if (atomic_load(&entry->models[i].state) == MODEL_READY)
            (*versions)[count++] = entry->models[i].version;
    return count;
}

bool repository_ready(struct repository *repository)
{
    for (size_t i = 0; i < repository->model_count; i++)
        if (atomic_load(&repository->models[i]->state) != MODEL_READY)
            return false;
    return true;
}

bool repository_is_loading(struct repository *repository)
{
    for (size_t i = 0; i < repository->model_count; i++)
        if (atomic_load(&repository->models[i]->state) == MODEL_LOADING)
            return true;
    return false;
}

/* --- Open and close --- */

struct status repository_open(const char *const *paths, size_t count, const struct backend *const *backends,
                              struct arena *arena, struct repository **repository)
{
    struct repository *opened = calloc(1, sizeof(*opened));
    if (!opened)
        return status_no_memory();
    opened->arena = arena_new(ARENA_NO_BUDGET);
    opened->backends = backends;
    pthread_mutex_init(&opened->mutex, NULL);
    struct status status = entries_read(opened, paths, count);
    if (is_ok(status))
        status = make_index(opened);
    if (is_ok(status))
        status = loaders_start(opened);
    if (is_ok(status)) {
        *repository = opened;
    } else {
        status.message = arena_copy(arena, status.message);
        repository_close(opened);
    }
    return status;
}

void repository_close(struct repository *repository)
{
    if (!repository)
        return;
    loaders_cancel(repository);
    for (size_t i = 0; i < repository->model_count && repository->models; i++) {
        struct model *model = repository->models[i];
        if (model->implementation)
            model->backend->unload(model);
        arena_free(&model->arena);
    }
    pthread_mutex_destroy(&repository->mutex);
    arena_free(&repository->arena);
    free(repository);
}
