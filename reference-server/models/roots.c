/* Reads the directories of the repositories: each has a folder for each model. */
#include "models/inside.h"

#include "base/search.h"
#include "models/folder.h"
#include <unistd.h>

/* "NAME=DIR" or "DIR". Without a NAME the path is the name, because a protocol that asks for the models of one of
 * several repositories needs a name for each and the user knows this one. */
static struct root root_of(const char *path)
{
    const char *equals = strchr(path, '='), *slash = strchr(path, '/');
    if (equals && (!slash || equals < slash))
        return (struct root){{path, (size_t)(equals - path)}, equals + 1};
    return (struct root){str_of(path), path};
}

struct status roots_read(struct repository *repository, const char *const *paths, size_t count)
{
    struct arena *arena = &repository->arena;
    struct root *roots = arena_alloc_zero(arena, count, sizeof(*roots));
    NEED(roots);
    for (size_t i = 0; i < count; i++) {
        struct root root = root_of(paths[i]);
        roots[i].name = arena_copy(arena, root.name);
        roots[i].directory = arena_copy(arena, str_of(root.directory)).data;
        NEED(roots[i].name.data && roots[i].directory);
        for (size_t j = 0; j < i; j++)
            if (str_equal(roots[i].name, roots[j].name))
                return status_error(arena, STATUS_ALREADY_EXISTS, "two repositories have the name '%s'",
                                    str_printable(arena, root.name));
    }
    repository->roots = roots;
    repository->root_count = count;
    return STATUS_IS_OK;
}

bool is_folder_name(struct str name)
{
    return name.size && name.data[0] != '.' && !str_has(name, '/') && !str_has(name, '\0');
}

/* --- The start --- */

static struct status fault_of_two(const struct generation *one, const struct generation *other, struct arena *arena)
{
    return status_error(arena, STATUS_ALREADY_EXISTS, "model '%s' is in two repositories: in '%s' as %s, in '%s' as %s",
                        str_printable(arena, one->name), str_printable(arena, one->repository),
                        str_printable(arena, str_of(one->source.directory)), str_printable(arena, other->repository),
                        str_printable(arena, str_of(other->source.directory)));
}

/* Puts a new generation into the first catalog. */
static struct status add(struct repository *repository, struct generation *generation)
{
    const struct generation *same = catalog_listed(repository, generation->name);
    struct status status =
        same ? fault_of_two(same, generation, &repository->arena) : catalog_replace(repository, NULL, generation);
    if (!is_ok(status))
        generation_free(generation);
    return status;
}

/* Whether the directory is the folder of a model, because it holds a version: people give it in place of the one above
 * it. */
static bool is_of_model(const char *directory, const struct names *folders, struct arena *arena)
{
    unsigned long long version;
    for (size_t i = 0; i < folders->count; i++) {
        const char *file = arena_printf(arena, "%s/%.*s/model.onnx", directory, STR_ARG(folders->list[i])).data;
        if (str_to_uint64(folders->list[i], &version) && file && access(file, F_OK) == 0)
            return true;
    }
    return false;
}

static struct status open_root(struct repository *repository, const struct root *root, const char *const *loads,
                               size_t load_count)
{
    struct arena *arena = &repository->arena;
    struct names folders = {0};
    TRY(read_folders(root->directory, arena, &folders));
    if (folders.count == 0)
        return status_error(arena, STATUS_NOT_FOUND,
                            "%s holds no model: a repository has a folder for each model, such as simple/1/model.onnx",
                            str_printable(arena, str_of(root->directory)));
    if (is_of_model(root->directory, &folders, arena))
        return status_invalid(arena, "%s is the folder of one model: name the folder above it, which is the repository",
                              str_printable(arena, str_of(root->directory)));
    for (size_t i = 0; i < folders.count; i++) {
        struct generation *generation;
        TRY(generation_open(repository->backends, root, folders.list[i], NULL, arena, &generation));
        if (load_count && !ANY(k, load_count, str_is(generation->name, loads[k])))
            generation_rest(generation, MODEL_UNAVAILABLE, "never loaded");
        TRY(add(repository, generation));
    }
    return STATUS_IS_OK;
}

struct status roots_open_all(struct repository *repository, const char *const *loads, size_t load_count)
{
    atomic_store(&repository->catalog, catalog_with(NULL, NULL, NULL));
    const struct catalog *catalog = atomic_load(&repository->catalog);
    NEED(catalog);
    for (size_t i = 0; i < repository->root_count; i++)
        TRY(open_root(repository, &repository->roots[i], loads, load_count));
    catalog = atomic_load(&repository->catalog);
    for (size_t i = 0; i < load_count; i++)
        if (!catalog_find(catalog, str_of(loads[i])))
            return status_error(&repository->arena, STATUS_NOT_FOUND, "no repository has a model '%s' to load",
                                str_printable(&repository->arena, str_of(loads[i])));
    return STATUS_IS_OK;
}
