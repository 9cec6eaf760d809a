/* Which models there are is read once, on the caller's thread; then a few threads load one after another. The list does
 * not change afterwards, so a look-up takes no lock: a hash of the name, then its versions from the highest down. What
 * changes is each model's state. */
#include "models/repository.h"

#include "models/backends.h"
#include "models/defaults.h"
#include "models/file.h"
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#define LOADERS_MAX ((size_t)8)

struct entry {
    struct str name;
    const char *directory;
    struct model *models; /* one a version, ascending */
    size_t model_count;
    struct model_config config;
    struct str fault; /* of config.pbtxt; empty: none */
};

struct repository {
    struct arena arena; /* entries and models; each model's own things are in its arena */
    struct entry *entries;
    size_t entry_count;
    struct entry **slots; /* open addressing; slot_mask + 1 of them */
    size_t slot_mask;
    struct model **models; /* all, by name and version */
    size_t model_count;

    pthread_t loaders[LOADERS_MAX];
    size_t loader_count;
    pthread_mutex_t mutex;
    pthread_cond_t loaded; /* `loading` fell */
    size_t next;           /* the first model that no loader has taken */
    size_t loading;
    bool closing;
};

/* --- Reading directories --- */

struct names {
    struct str *list;
    size_t count;
};

static int by_text(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* Versions are numbers without leading zeros: the longer is the higher. */
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

/* Names of the folders in `path`, sorted. */
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

static struct str read_config(struct entry *entry, struct arena *arena)
{
    struct str path = arena_printf(arena, "%s/config.pbtxt", entry->directory), text;
    entry->config = config_default();
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
    if (is_ok(status) && !backend_for(&entry->config))
        status =
            status_error(arena, STATUS_UNIMPLEMENTED,
                         "this server has no backend '%s' (platform '%s'); it has \"onnxruntime\" and \"oip\"",
                         str_printable(arena, entry->config.backend), str_printable(arena, entry->config.platform));
    return status.message;
}

static struct status read_entry(struct entry *entry, struct arena *arena)
{
    entry->fault = read_config(entry, arena);
    const struct backend *backend = entry->fault.size ? &backend_onnx : backend_for(&entry->config);

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
        versions = (struct names){backend == &backend_oip ? &first : &none, 1};
        if (backend != &backend_oip && !entry->fault.size)
            entry->fault = STR("its folder holds no version to serve, such as 1/model.onnx");
    }

    entry->model_count = versions.count;
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
        model->backend = backend;
        model->arena = arena_new(ARENA_NO_BUDGET);
        atomic_init(&model->state, MODEL_LOADING);
    }
    return STATUS_IS_OK;
}

static struct status read_repository(struct repository *repository, const char *directory, struct names *folders)
{
    struct arena *arena = &repository->arena;
    struct entry *entries = arena_alloc_zero(arena, repository->entry_count + folders->count, sizeof(*entries));
    if (!entries)
        return status_no_memory();
    if (repository->entry_count)
        memcpy(entries, repository->entries, repository->entry_count * sizeof(*entries));
    repository->entries = entries;
    for (size_t i = 0; i < folders->count; i++) {
        struct entry *entry = &entries[repository->entry_count];
        struct str path = arena_printf(arena, "%s/%.*s", directory, STR_ARG(folders->list[i]));
        entry->name = folders->list[i];
        entry->directory = path.data;
        struct status status = path.data ? STATUS_IS_OK : status_no_memory();
        for (size_t j = 0; j < repository->entry_count && is_ok(status); j++)
            if (str_equal(entries[j].name, entry->name))
                status =
                    status_error(arena, STATUS_ALREADY_EXISTS, "model '%s' is in two repositories: %s and %s",
                                 str_printable(arena, entry->name), str_printable(arena, str_of(entries[j].directory)),
                                 str_printable(arena, str_of(entry->directory)));
        if (!is_ok(status))
            return status;
        repository->entry_count++;
    }
    return STATUS_IS_OK;
}

/* "NAME=DIR" or "DIR"; what stands before a "=" is a name if no "/" is in it. */
static const char *directory_of(const char *path)
{
    const char *equals = strchr(path, '='), *slash = strchr(path, '/');
    return equals && (!slash || equals < slash) ? equals + 1 : path;
}

static struct status read_paths(struct repository *repository, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *directory = directory_of(paths[i]);
        struct names folders = {0};
        struct status status = read_folders(directory, &repository->arena, &folders);
        if (is_ok(status) && folders.count == 0)
            status = status_error(&repository->arena, STATUS_NOT_FOUND,
                                  "%s holds no model: a repository has a folder for each model, such as "
                                  "simple/1/model.onnx",
                                  str_printable(&repository->arena, str_of(directory)));
        if (is_ok(status))
            status = read_repository(repository, directory, &folders);
        if (!is_ok(status))
            return status;
    }
    for (size_t i = 0; i < repository->entry_count; i++) {
        struct status status = read_entry(&repository->entries[i], &repository->arena);
        if (!is_ok(status))
            return status;
        repository->model_count += repository->entries[i].model_count;
    }
    return STATUS_IS_OK;
}

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

/* --- Loading --- */

static struct tensor_spec *spec_named(struct tensor_spec *specs, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(specs[i].name, name))
            return &specs[i];
    return NULL;
}

static struct status read_labels(struct model *model, struct tensor_spec *spec, struct str file)
{
    struct arena *arena = &model->arena;
    struct str folder = arena_printf(arena, "%s/..", model->directory), text = {0};
    const char *path;
    struct status status =
        folder.data ? file_below(folder.data, "label_filename", file, arena, &path) : status_no_memory();
    if (is_ok(status))
        status = file_read(path, arena, &text);
    if (!is_ok(status))
        return status;
    size_t lines = 0;
    for (size_t i = 0; i < text.size; i++)
        lines += text.data[i] == '\n' || i + 1 == text.size;
    struct str *labels = arena_alloc_zero(arena, lines, sizeof(*labels));
    if (!labels)
        return status_no_memory();
    for (size_t line = 0; line < lines; line++) {
        const char *end = memchr(text.data, '\n', text.size);
        size_t size = end ? (size_t)(end - text.data) : text.size;
        labels[line] = (struct str){text.data, size && text.data[size - 1] == '\r' ? size - 1 : size};
        text = str_from(text, end ? size + 1 : size);
    }
    spec->labels = labels;
    spec->label_count = lines;
    return STATUS_IS_OK;
}

/* config.pbtxt may say less than the model, but nothing else. */
static struct status check_tensors(struct model *model, const char *kind, const struct config_tensor *tensors,
                                   size_t count, struct tensor_spec *specs, size_t spec_count)
{
    struct arena *arena = &model->arena;
    for (size_t i = 0; i < count; i++) {
        struct tensor_spec *spec = spec_named(specs, spec_count, tensors[i].name);
        if (!spec)
            return status_error(arena, STATUS_INVALID_ARGUMENT, "config.pbtxt has the %s '%s', the model has not", kind,
                                str_printable(arena, tensors[i].name));
        if (tensors[i].datatype != DATATYPE_NONE && tensors[i].datatype != spec->datatype)
            return status_error(arena, STATUS_INVALID_ARGUMENT,
                                "config.pbtxt says that the %s '%s' is %s, but it is %s", kind,
                                str_printable(arena, tensors[i].name), datatype_name(tensors[i].datatype),
                                datatype_name(spec->datatype));
        struct status status =
            tensors[i].label_filename.size ? read_labels(model, spec, tensors[i].label_filename) : STATUS_IS_OK;
        if (!is_ok(status))
            return status;
    }
    return STATUS_IS_OK;
}

static struct status load_model(struct repository *repository, struct model *model)
{
    for (size_t i = 0; i < repository->entry_count; i++)
        if (repository->entries[i].fault.size && model->config == &repository->entries[i].config)
            return (struct status){STATUS_INVALID_ARGUMENT, repository->entries[i].fault, NULL};
    struct status status = model->backend->load(model);
    const struct model_config *config = model->config;
    if (is_ok(status))
        status = check_tensors(model, "input", config->inputs, config->input_count, model->inputs, model->input_count);
    if (is_ok(status))
        status =
            check_tensors(model, "output", config->outputs, config->output_count, model->outputs, model->output_count);
    return is_ok(status) ? defaults_read(model) : status;
}

static struct model *take_model(struct repository *repository)
{
    pthread_mutex_lock(&repository->mutex);
    bool any = !repository->closing && repository->next < repository->model_count;
    struct model *model = any ? repository->models[repository->next++] : NULL;
    pthread_mutex_unlock(&repository->mutex);
    return model;
}

static void *load_models(void *argument)
{
    struct repository *repository = argument;
    struct model *model;
    while ((model = take_model(repository))) {
        struct status status = load_model(repository, model);
        model->reason = status.message;
        enum model_state loading = MODEL_LOADING; /* or UNLOADING, when the repository closes: then it stays */
        atomic_compare_exchange_strong(&model->state, &loading, is_ok(status) ? MODEL_READY : MODEL_UNAVAILABLE);
        pthread_mutex_lock(&repository->mutex);
        repository->loading--;
        pthread_cond_broadcast(&repository->loaded);
        pthread_mutex_unlock(&repository->mutex);
    }
    return NULL;
}

static struct status start_loaders(struct repository *repository)
{
    size_t wanted = repository->model_count < LOADERS_MAX ? repository->model_count : LOADERS_MAX;
    repository->loading = repository->model_count;
    for (size_t i = 0; i < wanted; i++) {
        int fault = pthread_create(&repository->loaders[i], NULL, load_models, repository);
        if (fault && i == 0)
            return status_error(&repository->arena, STATUS_RESOURCE_EXHAUSTED,
                                "cannot start a thread to load models: %s", strerror(fault));
        if (fault)
            break; /* the others do its work */
        repository->loader_count++;
    }
    return STATUS_IS_OK;
}

void repository_wait(struct repository *repository, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)seconds;
    until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    int fault = 0;
    pthread_mutex_lock(&repository->mutex);
    while (repository->loading && fault == 0)
        fault = pthread_cond_timedwait(&repository->loaded, &repository->mutex, &until);
    pthread_mutex_unlock(&repository->mutex);
}

/* --- Open and close --- */

struct status repository_open(const char *const *paths, size_t count, struct arena *arena,
                              struct repository **repository)
{
    struct repository *opened = calloc(1, sizeof(*opened));
    if (!opened)
        return status_no_memory();
    opened->arena = arena_new(ARENA_NO_BUDGET);
    pthread_mutex_init(&opened->mutex, NULL);
    pthread_cond_init(&opened->loaded, NULL);
    struct status status = read_paths(opened, paths, count);
    if (is_ok(status))
        status = make_index(opened);
    if (is_ok(status))
        status = start_loaders(opened);
    if (is_ok(status)) {
        *repository = opened;
    } else {
        status.message = arena_copy(arena, status.message);
        repository_close(opened);
    }
    return status;
}

static void cancel_loads(struct repository *repository)
{
    pthread_mutex_lock(&repository->mutex);
    repository->closing = true;
    pthread_mutex_unlock(&repository->mutex);
    for (size_t i = 0; i < repository->model_count && repository->models; i++) {
        struct model *model = repository->models[i];
        enum model_state loading = MODEL_LOADING;
        if (atomic_compare_exchange_strong(&model->state, &loading, MODEL_UNLOADING) && model->backend->cancel)
            model->backend->cancel(model);
    }
    for (size_t i = 0; i < repository->loader_count; i++)
        pthread_join(repository->loaders[i], NULL);
}

void repository_close(struct repository *repository)
{
    if (!repository)
        return;
    cancel_loads(repository);
    for (size_t i = 0; i < repository->model_count && repository->models; i++) {
        struct model *model = repository->models[i];
        if (model->implementation)
            model->backend->unload(model);
        arena_free(&model->arena);
    }
    pthread_cond_destroy(&repository->loaded);
    pthread_mutex_destroy(&repository->mutex);
    arena_free(&repository->arena);
    free(repository);
}
