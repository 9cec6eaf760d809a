/* Reads the directories of a repository in Triton's layout: a folder for each model, in it a folder for each version
 * and perhaps config.pbtxt, which says which versions are served. */
#include "models/entries.h"

#include "models/backend.h"
#include "models/file.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

/* --- Names of folders --- */

struct names {
    struct str *list;
    size_t count;
};

static int by_text(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* Compares versions. They are numbers without leading zeros, so the longer one is higher. */
static int by_number(const void *a, const void *b)
{
    const struct str *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size ? -1 : 1) : str_compare(*x, *y);
}

static bool is_version(struct str name)
{
    unsigned long long number;
    return str_to_uint64(name, &number) && number > 0;
}

static bool is_directory(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Lists the folders in `path`, sorted by name. */
static struct status read_folders(const char *path, struct arena *arena, struct names *names)
{
    DIR *directory = opendir(path);
    if (!directory)
        return status_error(arena, STATUS_NOT_FOUND, "cannot read the folder %s: %s",
                            str_printable(arena, str_of(path)), strerror(errno));
    struct status status = STATUS_IS_OK;
    size_t room = 0;
    struct dirent *found;
    *names = (struct names){0};
    while (is_ok(status) && (found = readdir(directory))) {
        struct str inside = arena_printf(arena, "%s/%s", path, found->d_name);
        if (found->d_name[0] == '.' || (inside.data && !is_directory(inside.data)))
            continue;
        if (names->count == room) {
            size_t more = room ? room * 2 : 16;
            struct str *list = arena_alloc_zero(arena, more, sizeof(*list));
            if (list && room)
                memcpy(list, names->list, room * sizeof(*list));
            names->list = list;
            room = more;
        }
        if (!inside.data || !names->list)
            status = status_no_memory();
        else
            names->list[names->count++] = arena_copy(arena, str_of(found->d_name));
    }
    closedir(directory);
    if (is_ok(status) && names->count)
        qsort(names->list, names->count, sizeof(*names->list), by_text);
    return status;
}

/* --- Which versions of a model are to be served --- */

static void keep_versions(struct names *folders)
{
    size_t kept = 0;
    for (size_t i = 0; i < folders->count; i++)
        if (is_version(folders->list[i]))
            folders->list[kept++] = folders->list[i];
    folders->count = kept;
    if (kept)
        qsort(folders->list, kept, sizeof(*folders->list), by_number);
}

static struct status apply_policy(const struct model_config *config, struct arena *arena, struct names *versions)
{
    if (config->version_policy == VERSIONS_LATEST && versions->count > config->latest) {
        versions->list += versions->count - config->latest;
        versions->count = config->latest;
    } else if (config->version_policy == VERSIONS_SPECIFIC) {
        struct str *list = arena_alloc_zero(arena, config->version_count, sizeof(*list));
        if (!list)
            return status_no_memory();
        for (size_t i = 0; i < config->version_count; i++)
            list[i] = arena_printf(arena, "%lld", (long long)config->versions[i]);
        *versions = (struct names){list, config->version_count};
        qsort(list, versions->count, sizeof(*list), by_number);
    }
    return STATUS_IS_OK;
}

/* Reads the config of the entry and chooses its backend. Returns what is wrong with them, or an empty str. */
static struct str read_config(const struct repository *repository, struct entry *entry, struct arena *arena)
{
    struct str path = arena_printf(arena, "%s/config.pbtxt", entry->directory), text;
    entry->config = config_default();
    entry->backend = repository->backends[0];
    if (!path.data)
        return status_no_memory().message;
    struct status status = file_read(path.data, arena, &text);
    if (status.code == STATUS_NOT_FOUND)
        return (struct str){0};
    if (is_ok(status))
        status = config_read(text, arena, &entry->config);
    if (is_ok(status) && entry->config.name.size && !str_equal(entry->config.name, entry->name))
        status =
            status_error(arena, STATUS_INVALID_ARGUMENT, "config.pbtxt names the model '%s', but its folder is '%s'",
                         str_printable(arena, entry->config.name), str_printable(arena, entry->name));
    if (is_ok(status))
        status = backend_choose(repository->backends, &entry->config, arena, &entry->backend);
    return status.message;
}

static struct status read_entry(struct repository *repository, struct entry *entry)
{
    struct arena *arena = &repository->arena;
    entry->fault = read_config(repository, entry, arena);

    struct names versions = {0};
    struct status status = read_folders(entry->directory, arena, &versions);
    if (!is_ok(status))
        return status;
    keep_versions(&versions);
    status = apply_policy(&entry->config, arena, &versions);
    if (!is_ok(status))
        return status;
    static struct str first = {"1", 1}, none = {"", 0};
    if (versions.count == 0) {
        versions = (struct names){entry->backend->without_files ? &first : &none, 1};
        if (!entry->backend->without_files && !entry->fault.size)
            entry->fault = STR("its folder holds no version to serve, such as 1/model.onnx");
    }

    entry->version_count = versions.count;
    entry->models = arena_alloc_zero(arena, versions.count, sizeof(*entry->models));
    if (!entry->models)
        return status_no_memory();
    for (size_t i = 0; i < versions.count; i++) {
        struct model *model = &entry->models[i];
        struct str directory = arena_printf(arena, "%s/%.*s", entry->directory, STR_ARG(versions.list[i]));
        if (!directory.data)
            return status_no_memory();
        model->name = entry->name;
        model->version = versions.list[i];
        model->directory = directory.data;
        model->config = &entry->config;
        model->settings = entry->config.parameters;
        model->backend = entry->backend;
        model->arena = arena_new(ARENA_NO_BUDGET);
        atomic_init(&model->state, MODEL_LOADING);
    }
    return STATUS_IS_OK;
}

/* A directory of models, and its name. */
struct root {
    struct str name;
    const char *directory;
};

/* Splits "NAME=DIR", where NAME has no "/" in it. Without a name, the name is the path, because an index of
 * repositories needs a name for each and the user knows this one. */
static struct root root_of(const char *path)
{
    const char *equals = strchr(path, '='), *slash = strchr(path, '/');
    if (equals && (!slash || equals < slash))
        return (struct root){{path, (size_t)(equals - path)}, equals + 1};
    return (struct root){str_of(path), path};
}

static struct status fault_of_two(const struct entry *one, const struct entry *other, struct arena *arena)
{
    return status_error(arena, STATUS_ALREADY_EXISTS, "model '%s' is in two repositories: in '%s' as %s, in '%s' as %s",
                        str_printable(arena, one->name), str_printable(arena, one->repository),
                        str_printable(arena, str_of(one->directory)), str_printable(arena, other->repository),
                        str_printable(arena, str_of(other->directory)));
}

static struct status read_root(struct repository *repository, struct root root, struct names *folders)
{
    struct arena *arena = &repository->arena;
    struct entry *entries = arena_alloc_zero(arena, repository->entry_count + folders->count, sizeof(*entries));
    struct str name = arena_copy(arena, root.name);
    if (!entries || !name.data)
        return status_no_memory();
    if (repository->entry_count)
        memcpy(entries, repository->entries, repository->entry_count * sizeof(*entries));
    repository->entries = entries;
    for (size_t i = 0; i < folders->count; i++) {
        struct entry *entry = &entries[repository->entry_count];
        struct str path = arena_printf(arena, "%s/%.*s", root.directory, STR_ARG(folders->list[i]));
        entry->name = folders->list[i];
        entry->repository = name;
        entry->directory = path.data;
        struct status status = path.data ? STATUS_IS_OK : status_no_memory();
        for (size_t j = 0; j < repository->entry_count && is_ok(status); j++)
            if (str_equal(entries[j].name, entry->name))
                status = fault_of_two(&entries[j], entry, arena);
        if (!is_ok(status))
            return status;
        repository->entry_count++;
    }
    return STATUS_IS_OK;
}

struct status entries_read(struct repository *repository, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct root root = root_of(paths[i]);
        struct names folders = {0};
        struct status status = read_folders(root.directory, &repository->arena, &folders);
        if (is_ok(status) && folders.count == 0)
            status = status_error(&repository->arena, STATUS_NOT_FOUND,
                                  "%s holds no model: a repository has a folder for each model, such as "
                                  "simple/1/model.onnx",
                                  str_printable(&repository->arena, str_of(root.directory)));
        if (is_ok(status))
            status = read_root(repository, root, &folders);
        if (!is_ok(status))
            return status;
    }
    for (size_t i = 0; i < repository->entry_count; i++) {
        struct status status = read_entry(repository, &repository->entries[i]);
        if (!is_ok(status))
            return status;
    }
    return STATUS_IS_OK;
}
