/* Reads what one load makes of a model: config.pbtxt, or what a request brings in its place, and the folders of the
 * versions, in Triton's layout. */
#include "models/inside.h"

#include "models/batcher.h"
#include "models/folder.h"
#include <stdlib.h>

#define VERSIONS_MAX ((size_t)1024) /* of one model; each takes memory even if it cannot be loaded */

static struct generation *generation_new(void)
{
    struct generation *generation = aligned_alloc(_Alignof(struct generation), sizeof(*generation));
    if (generation) {
        memset(generation, 0, sizeof(*generation));
        generation->arena = arena_new(ARENA_NO_BUDGET);
    }
    return generation;
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
        if (!str_has(path, '/'))
            continue;
        struct str name = arena_copy(arena, str_before(path, '/'));
        NEED(name.data && names_add(folders, name, arena));
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
            NEED(name.data && names_add(&specific, name, arena));
        }
        keep_versions(&specific);
        *versions = specific;
    }
    return STATUS_IS_OK;
}

static struct status find_versions(struct generation *generation, struct names *versions)
{
    static struct str first = {"1", 1}, none = {"", 0};
    TRY(generation->source.file_count ? folders_of_files(&generation->source, &generation->arena, versions)
                                      : read_folders(generation->source.directory, &generation->arena, versions));
    keep_versions(versions);
    TRY(apply_policy(&generation->config, &generation->arena, versions));
    if (versions->count > VERSIONS_MAX) {
        versions->count = 1;
        generation->fault = status_plain(STATUS_INVALID_ARGUMENT, "it has more than 1024 versions to serve");
    }
    if (versions->count)
        return STATUS_IS_OK;
    *versions = (struct names){generation->backend->without_files ? &first : &none, 1};
    if (!generation->backend->without_files && is_ok(generation->fault))
        generation->fault =
            status_plain(STATUS_INVALID_ARGUMENT, "its folder holds no version to serve, such as 1/model.onnx");
    return STATUS_IS_OK;
}

/* --- Configuration --- */

#define CONFIG_MAX ((size_t)4 << 20) /* bytes; what is read takes many times as much memory */

static struct status check_batches(const struct model_config *config, struct arena *arena)
{
    if (config->max_batch_size < 0)
        return status_invalid(arena, "config.pbtxt: max_batch_size is %d, which is less than 0",
                              (int)config->max_batch_size);
    const struct config_batching *batching = &config->batching;
    for (size_t i = 0; i < batching->preferred_count; i++)
        if (batching->preferred[i] < 1 || batching->preferred[i] > config->max_batch_size)
            return status_invalid(
                arena,
                "config.pbtxt: dynamic_batching has the preferred_batch_size %lld, which is not from 1 "
                "to max_batch_size, %d",
                (long long)batching->preferred[i], (int)config->max_batch_size);
    return STATUS_IS_OK;
}

/* Reads the configuration and chooses the backend. */
static struct status read_config(const struct backend *const *backends, struct generation *generation, struct str json)
{
    struct arena *arena = &generation->arena;
    struct str text = {0};
    generation->config = config_default();
    generation->backend = backends[0];
    struct status status =
        json.size ? STATUS_IS_OK : source_read(&generation->source, STR("config.pbtxt"), CONFIG_MAX, arena, &text);
    if (status.code == STATUS_NOT_FOUND)
        return STATUS_IS_OK;
    TRY(status);
    TRY(json.size ? config_read_json(json, arena, &generation->config) : config_read(text, arena, &generation->config));
    if (generation->config.name.size && !str_equal(generation->config.name, generation->name))
        return status_invalid(arena, "config.pbtxt names the model '%s', but its folder is '%s'",
                              str_printable(arena, generation->config.name), str_printable(arena, generation->name));
    TRY(check_batches(&generation->config, arena));
    return backend_choose(backends, &generation->config, arena, &generation->backend);
}

/* --- Generations --- */

static struct status make_models(struct generation *generation, const struct names *versions)
{
    generation->models = arena_alloc_zero(&generation->arena, versions->count, sizeof(*generation->models));
    generation->statistics = arena_alloc_zero(&generation->arena, versions->count, sizeof(*generation->statistics));
    NEED(generation->models && generation->statistics);
    generation->version_count = generation->unfinished = versions->count;
    for (size_t i = 0; i < versions->count; i++) {
        struct model *model = &generation->models[i];
        model->name = generation->name;
        model->version = versions->list[i];
        model->source = &generation->source;
        model->config = &generation->config;
        model->settings = generation->config.parameters;
        model->backend = generation->backend;
        model->statistics = &generation->statistics[i];
        model->arena = arena_new(ARENA_NO_BUDGET);
        atomic_init(&model->state, MODEL_LOADING);
    }
    return STATUS_IS_OK;
}

static struct status fill(struct generation *generation, const struct backend *const *backends, const struct root *root,
                          struct str name, const struct order *order)
{
    struct arena *arena = &generation->arena;
    generation->name = arena_copy(arena, name);
    generation->repository = arena_copy(arena, root->name);
    generation->source.directory = arena_printf(arena, "%s/%.*s", root->directory, STR_ARG(name)).data;
    generation->source.files = order ? order->files : NULL;
    generation->source.file_count = order ? order->file_count : 0;
    generation->is_wanted = true;
    NEED(generation->name.data && generation->repository.data && generation->source.directory);
    generation->fault = read_config(backends, generation, order ? order->config : STR(""));
    struct names versions = {0};
    TRY(find_versions(generation, &versions));
    return make_models(generation, &versions);
}

struct status generation_open(const struct backend *const *backends, const struct root *root, struct str name,
                              const struct order *order, struct arena *arena, struct generation **generation)
{
    struct generation *opened = generation_new();
    struct status status = opened ? fill(opened, backends, root, name, order) : status_no_memory();
    if (is_ok(status)) {
        *generation = opened;
        return status;
    }
    status.message = arena_copy(arena, status.message);
    if (opened)
        generation_free(opened);
    return status.message.data ? status : status_no_memory();
}

void generation_rest(struct generation *generation, enum model_state state, const char *reason)
{
    generation->is_wanted = false;
    for (size_t i = 0; i < generation->version_count; i++) {
        generation->models[i].reason = str_of(reason);
        atomic_store(&generation->models[i].state, state);
    }
}

struct generation *generation_resting(const struct generation *like, enum model_state state, const char *reason)
{
    struct generation *generation = generation_new();
    if (!generation)
        return NULL;
    struct arena *arena = &generation->arena;
    struct names versions = {0};
    generation->name = arena_copy(arena, like->name);
    generation->repository = arena_copy(arena, like->repository);
    generation->source.directory = arena_copy(arena, str_of(like->source.directory)).data;
    generation->config = config_default();
    generation->backend = like->backend;
    bool is_filled = generation->name.data && generation->repository.data && generation->source.directory;
    for (size_t i = 0; i < like->version_count && is_filled; i++) {
        struct str version = arena_copy(arena, like->models[i].version);
        is_filled = version.data && names_add(&versions, version, arena);
    }
    if (!is_filled || !is_ok(make_models(generation, &versions))) {
        generation_free(generation);
        return NULL;
    }
    generation_rest(generation, state, reason);
    return generation;
}

void generation_unload(struct generation *generation)
{
    for (size_t i = 0; i < generation->version_count; i++) {
        struct model *model = &generation->models[i];
        batcher_close(model->batcher);
        model->batcher = NULL;
        if (model->implementation)
            model->backend->unload(model);
        model->implementation = NULL;
    }
}

void generation_free(struct generation *generation)
{
    generation_unload(generation);
    for (size_t i = 0; i < generation->version_count; i++) {
        statistics_close(&generation->statistics[i]);
        arena_free(&generation->models[i].arena);
    }
    arena_free(&generation->arena);
    free(generation);
}
