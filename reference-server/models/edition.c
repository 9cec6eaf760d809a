/* Reads what one load makes of a model: config.pbtxt, or what a request brings in its place, and the folders of the
 * versions, in Triton's layout. */
#include "models/edition.h"

#include "models/folder.h"
#include <stdlib.h>

#define VERSIONS_MAX ((size_t)1024) /* of one model; each takes memory even if it cannot be loaded */

static struct edition *edition_new(void)
{
    struct edition *edition = aligned_alloc(_Alignof(struct edition), sizeof(*edition));
    if (edition) {
        memset(edition, 0, sizeof(*edition));
        edition->arena = arena_new(ARENA_NO_BUDGET);
    }
    return edition;
}

/* --- Versions --- */

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

/* Lists the folders of the files that a request brought. A folder may come several times. */
static struct status folders_of_files(const struct source *source, struct arena *arena, struct names *folders)
{
    for (size_t i = 0; i < source->file_count; i++) {
        struct str path = source->files[i].path;
        const char *slash = memchr(path.data, '/', path.size);
        struct str folder = {path.data, slash ? (size_t)(slash - path.data) : 0};
        struct str name = slash ? arena_copy(arena, folder) : (struct str){0};
        if (slash && (!name.data || !names_add(folders, name, arena)))
            return status_no_memory();
    }
    return STATUS_IS_OK;
}

/* Keeps the names that are versions, ascending, each once. */
static void keep_versions(struct names *folders)
{
    size_t kept = 0;
    for (size_t i = 0; i < folders->count; i++)
        if (is_version(folders->list[i]))
            folders->list[kept++] = folders->list[i];
    folders->count = kept;
    if (kept)
        qsort(folders->list, kept, sizeof(*folders->list), by_number);
    for (size_t i = folders->count = 0; i < kept; i++)
        if (i == 0 || !str_equal(folders->list[i], folders->list[i - 1]))
            folders->list[folders->count++] = folders->list[i];
}

static struct status apply_policy(const struct model_config *config, struct arena *arena, struct names *versions)
{
    if (config->version_policy == VERSIONS_LATEST && versions->count > config->latest) {
        versions->list += versions->count - config->latest;
        versions->count = config->latest;
    } else if (config->version_policy == VERSIONS_SPECIFIC) {
        struct names specific = {0};
        for (size_t i = 0; i < config->version_count; i++) {
            struct str name = arena_printf(arena, "%lld", (long long)config->versions[i]);
            if (!name.data || !names_add(&specific, name, arena))
                return status_no_memory();
        }
        keep_versions(&specific);
        *versions = specific;
    }
    return STATUS_IS_OK;
}

static struct status find_versions(struct edition *edition, struct names *versions)
{
    static struct str first = {"1", 1}, none = {"", 0};
    struct status status = edition->source.file_count
                               ? folders_of_files(&edition->source, &edition->arena, versions)
                               : read_folders(edition->source.directory, &edition->arena, versions);
    if (!is_ok(status))
        return status;
    keep_versions(versions);
    status = apply_policy(&edition->config, &edition->arena, versions);
    if (is_ok(status) && versions->count > VERSIONS_MAX) {
        versions->count = 1;
        edition->fault = (struct status){STATUS_INVALID_ARGUMENT, STR("it has more than 1024 versions to serve"), NULL};
    }
    if (!is_ok(status) || versions->count)
        return status;
    *versions = (struct names){edition->backend->without_files ? &first : &none, 1};
    if (!edition->backend->without_files && is_ok(edition->fault))
        edition->fault = (struct status){STATUS_INVALID_ARGUMENT,
                                         STR("its folder holds no version to serve, such as 1/model.onnx"), NULL};
    return STATUS_IS_OK;
}

/* --- Configuration --- */

/* Reads the configuration and chooses the backend. */
static struct status read_config(const struct backend *const *backends, struct edition *edition, struct str json)
{
    struct arena *arena = &edition->arena;
    struct str text = {0};
    edition->config = config_default();
    edition->backend = backends[0];
    struct status status = json.size ? STATUS_IS_OK : source_read(&edition->source, STR("config.pbtxt"), arena, &text);
    if (status.code == STATUS_NOT_FOUND)
        return STATUS_IS_OK;
    if (is_ok(status))
        status =
            json.size ? config_read_json(json, arena, &edition->config) : config_read(text, arena, &edition->config);
    if (is_ok(status) && edition->config.name.size && !str_equal(edition->config.name, edition->name))
        status =
            status_error(arena, STATUS_INVALID_ARGUMENT, "config.pbtxt names the model '%s', but its folder is '%s'",
                         str_printable(arena, edition->config.name), str_printable(arena, edition->name));
    if (is_ok(status) && edition->config.max_batch_size < 0)
        status = status_error(arena, STATUS_INVALID_ARGUMENT, "config.pbtxt: max_batch_size is %d, and less than 0",
                              (int)edition->config.max_batch_size);
    if (is_ok(status))
        status = backend_choose(backends, &edition->config, arena, &edition->backend);
    return status;
}

/* --- Editions --- */

static struct status make_models(struct edition *edition, const struct names *versions)
{
    edition->models = arena_alloc_zero(&edition->arena, versions->count, sizeof(*edition->models));
    edition->statistics = arena_alloc_zero(&edition->arena, versions->count, sizeof(*edition->statistics));
    if (!edition->models || !edition->statistics)
        return status_no_memory();
    edition->version_count = edition->to_load = versions->count;
    for (size_t i = 0; i < versions->count; i++) {
        struct model *model = &edition->models[i];
        model->name = edition->name;
        model->version = versions->list[i];
        model->source = &edition->source;
        model->config = &edition->config;
        model->settings = edition->config.parameters;
        model->backend = edition->backend;
        model->statistics = &edition->statistics[i];
        model->arena = arena_new(ARENA_NO_BUDGET);
        atomic_init(&model->state, MODEL_LOADING);
        if (!statistics_open(model->statistics))
            return status_no_memory();
    }
    return STATUS_IS_OK;
}

static struct status fill(struct edition *edition, const struct backend *const *backends,
                          const struct edition_request *request)
{
    edition->name = arena_copy(&edition->arena, request->name);
    edition->repository = arena_copy(&edition->arena, request->repository);
    edition->source.directory = arena_copy(&edition->arena, str_of(request->directory)).data;
    edition->source.files = request->files;
    edition->source.file_count = request->file_count;
    edition->is_wanted = true;
    if (!edition->name.data || !edition->repository.data || !edition->source.directory)
        return status_no_memory();
    edition->fault = read_config(backends, edition, request->config);
    struct names versions = {0};
    struct status status = find_versions(edition, &versions);
    return is_ok(status) ? make_models(edition, &versions) : status;
}

struct status edition_open(const struct backend *const *backends, const struct edition_request *request,
                           struct arena *arena, struct edition **edition)
{
    struct edition *opened = edition_new();
    struct status status = opened ? fill(opened, backends, request) : status_no_memory();
    if (is_ok(status)) {
        *edition = opened;
        return status;
    }
    status.message = arena_copy(arena, status.message);
    if (opened)
        edition_free(opened);
    return status.message.data ? status : status_no_memory();
}

static void put_to_rest(struct edition *edition, enum model_state state, const char *reason)
{
    edition->is_wanted = false;
    for (size_t i = 0; i < edition->version_count; i++) {
        edition->models[i].reason = str_of(reason);
        atomic_store(&edition->models[i].state, state);
    }
}

void edition_rest(struct edition *edition, const char *reason)
{
    put_to_rest(edition, MODEL_UNAVAILABLE, reason);
}

struct edition *edition_resting(const struct edition *like, enum model_state state, const char *reason)
{
    struct edition *edition = edition_new();
    if (!edition)
        return NULL;
    struct arena *arena = &edition->arena;
    struct names versions = {0};
    edition->name = arena_copy(arena, like->name);
    edition->repository = arena_copy(arena, like->repository);
    edition->source.directory = arena_copy(arena, str_of(like->source.directory)).data;
    edition->config = config_default();
    edition->backend = like->backend;
    bool is_filled = edition->name.data && edition->repository.data && edition->source.directory;
    for (size_t i = 0; i < like->version_count && is_filled; i++) {
        struct str version = arena_copy(arena, like->models[i].version);
        is_filled = version.data && names_add(&versions, version, arena);
    }
    if (!is_filled || !is_ok(make_models(edition, &versions))) {
        edition_free(edition);
        return NULL;
    }
    put_to_rest(edition, state, reason);
    return edition;
}

void edition_unload(struct edition *edition)
{
    for (size_t i = 0; i < edition->version_count; i++) {
        struct model *model = &edition->models[i];
        if (model->implementation)
            model->backend->unload(model);
        model->implementation = NULL;
    }
}

static void end_model(struct model *model)
{
    if (model->statistics)
        statistics_close(model->statistics);
    arena_free(&model->arena);
}

void edition_free(struct edition *edition)
{
    edition_unload(edition);
    for (size_t i = 0; i < edition->version_count; i++)
        end_model(&edition->models[i]);
    arena_free(&edition->arena);
    free(edition);
}
