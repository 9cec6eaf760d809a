/* The list of models is read once, on the thread of the caller; then a few threads load the models. The list does not
 * change afterwards, so a look-up takes no lock. It finds the name by its hash, then looks at the versions from the
 * highest down. Only the state of a model changes. */
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

/* Allocates versions, cleared and aligned as tallies need it; an arena aligns so from ARENA_WIDE on. */
static struct version *new_versions(struct arena *arena, size_t count)
{
    size_t size = count * sizeof(struct version);
    return arena_alloc_zero(arena, 1, size < ARENA_WIDE ? ARENA_WIDE : size);
}

static bool make_versions(struct repository *repository)
{
    size_t count = 0;
    for (size_t i = 0; i < repository->entry_count; i++)
        count += repository->entries[i].version_count;
    struct version *version = new_versions(&repository->arena, count);
    if (!version)
        return false;
    repository->versions = version;
    repository->version_count = count;
    for (size_t i = 0; i < repository->entry_count; i++) {
        struct entry *entry = &repository->entries[i];
        entry->versions = version;
        for (size_t j = 0; j < entry->version_count; j++, version++) {
            version->name = entry->models[j].version;
            version->model = &entry->models[j];
        }
    }
    return true;
}

static struct status make_index(struct repository *repository)
{
    size_t slots = 16;
    while (slots < repository->entry_count * 2)
        slots *= 2;
    repository->slot_mask = slots - 1;
    repository->slots = arena_alloc_zero(&repository->arena, slots, sizeof(struct entry *));
    if (!repository->slots || !make_versions(repository))
        return status_no_memory();
    for (size_t i = 0; i < repository->entry_count; i++) {
        struct entry *entry = &repository->entries[i];
        size_t slot = hash_of(entry->name) & repository->slot_mask;
        while (repository->slots[slot])
            slot = (slot + 1) & repository->slot_mask;
        repository->slots[slot] = entry;
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

static struct model_hold hold_version(struct version *version)
{
    struct tally_place *place = tally_enter(&version->holders);
    return (struct model_hold){version->model, place};
}

static enum model_state state_of(struct version *version)
{
    struct model_hold hold = hold_version(version);
    enum model_state state = atomic_load(&hold.model->state);
    model_release(&hold);
    return state;
}

/* Holds the highest version that is ready, or the highest if none is. */
static struct model_hold hold_best(const struct entry *entry)
{
    for (size_t i = entry->version_count; i-- > 0;) {
        struct model_hold hold = hold_version(&entry->versions[i]);
        if (atomic_load(&hold.model->state) == MODEL_READY)
            return hold;
        model_release(&hold);
    }
    return hold_version(&entry->versions[entry->version_count - 1]);
}

static struct model_hold hold_named(const struct entry *entry, struct str version)
{
    for (size_t i = 0; i < entry->version_count; i++)
        if (str_equal(entry->versions[i].name, version))
            return hold_version(&entry->versions[i]);
    return (struct model_hold){0};
}

static const char *versions_text(const struct entry *entry, struct arena *arena)
{
    struct str text = {0};
    for (size_t i = 0; i < entry->version_count; i++)
        text = arena_printf(arena, "%s%s'%s'", text.data ? text.data : "", i ? ", " : "",
                            str_printable(arena, entry->versions[i].name));
    return text.data ? text.data : "(no memory to list them)";
}

struct status repository_find(struct repository *repository, struct str name, struct str version, struct arena *arena,
                              struct model_hold *hold)
{
    const struct entry *entry = entry_named(repository, name);
    *hold = (struct model_hold){0};
    if (!entry)
        return status_broken(arena, STATUS_NOT_FOUND, "model-known", "Request for unknown model: there is no '%s'",
                             str_printable(arena, name));
    *hold = version.size ? hold_named(entry, version) : hold_best(entry);
    if (!hold->model)
        return status_broken(arena, STATUS_NOT_FOUND, "version-known", "model '%s' has no version '%s'; it has %s",
                             str_printable(arena, name), str_printable(arena, version), versions_text(entry, arena));
    return STATUS_IS_OK;
}

bool repository_next(struct repository *repository, size_t *position, struct model_hold *hold)
{
    if (*position >= repository->version_count)
        return false;
    *hold = hold_version(&repository->versions[(*position)++]);
    return true;
}

size_t repository_versions(struct repository *repository, struct str name, struct arena *arena, struct str **versions)
{
    const struct entry *entry = entry_named(repository, name);
    size_t count = 0;
    *versions = entry ? arena_alloc_zero(arena, entry->version_count, sizeof(**versions)) : NULL;
    for (size_t i = 0; *versions && i < entry->version_count; i++)
        if (state_of(&entry->versions[i]) == MODEL_READY)
            (*versions)[count++] = entry->versions[i].name;
    return count;
}

bool repository_ready(struct repository *repository)
{
    for (size_t i = 0; i < repository->version_count; i++)
        if (state_of(&repository->versions[i]) != MODEL_READY)
            return false;
    return true;
}

bool repository_is_loading(struct repository *repository)
{
    for (size_t i = 0; i < repository->version_count; i++)
        if (state_of(&repository->versions[i]) == MODEL_LOADING)
            return true;
    return false;
}

size_t repository_holders(const struct repository *repository)
{
    size_t holders = 0;
    for (size_t i = 0; i < repository->version_count; i++)
        holders += tally_sum(&repository->versions[i].holders);
    return holders;
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

size_t repository_close(struct repository *repository)
{
    if (!repository)
        return 0;
    loaders_cancel(repository);
    for (size_t i = 0; i < repository->version_count; i++) {
        struct model *model = repository->versions[i].model;
        if (model->implementation)
            model->backend->unload(model);
        model->implementation = NULL;
    }
    size_t holders = repository_holders(repository);
    if (holders > 0)
        return holders;
    for (size_t i = 0; i < repository->version_count; i++)
        arena_free(&repository->versions[i].model->arena);
    pthread_mutex_destroy(&repository->mutex);
    arena_free(&repository->arena);
    free(repository);
    return 0;
}
