/* A few threads load the models of the generations that the order thread gives them. A load has four steps: the
 * backend loads the model, config.pbtxt is compared with the model's tensors, the defaults are read, and the batcher is
 * opened. */
#include "models/inside.h"

#include "base/search.h"
#include "models/batcher.h"
#include "models/defaults.h"

#define LABELS_FILE_MAX ((size_t)64 << 20) /* bytes */
#define LABELS_MAX      ((size_t)1 << 20) /* in one file; each takes sixteen times as much memory as its shortest line */

static struct status read_labels(struct model *model, struct tensor_spec *spec, struct str file)
{
    struct arena *arena = &model->arena;
    struct str text = {0};
    TRY(source_read_named(model->source, STR(""), "label_filename", file, LABELS_FILE_MAX, arena, &text));
    size_t lines = SUM(i, text.size, text.data[i] == '\n' || i + 1 == text.size);
    if (lines > LABELS_MAX)
        return status_invalid(arena, "config.pbtxt: label_filename '%s' has %zu lines; this server takes %zu",
                              str_printable(arena, file), lines, LABELS_MAX);
    struct str *labels = arena_alloc_zero(arena, lines, sizeof(*labels));
    NEED(labels);
    for (size_t line = 0; line < lines; line++) {
        labels[line] = str_take(&text, '\n');
        labels[line].size -= str_ends(labels[line], STR("\r"));
    }
    spec->labels = labels;
    spec->label_count = lines;
    return STATUS_IS_OK;
}

/* config.pbtxt may say less than the model, but must not contradict it. */
static struct status check_tensors(struct model *model, const char *kind, const struct config_tensor *tensors,
                                   size_t count, struct tensor_spec *specs, size_t spec_count)
{
    struct arena *arena = &model->arena;
    for (size_t i = 0; i < count; i++) {
        const struct tensor_spec *spec = tensor_spec_named(specs, spec_count, tensors[i].name);
        if (!spec)
            return status_invalid(arena, "config.pbtxt has the %s '%s', but the model does not", kind,
                                  str_printable(arena, tensors[i].name));
        if (tensors[i].datatype != DATATYPE_NONE && tensors[i].datatype != spec->datatype)
            return status_invalid(arena, "config.pbtxt says that the %s '%s' is %s, but it is %s", kind,
                                  str_printable(arena, tensors[i].name), datatype_name(tensors[i].datatype),
                                  datatype_name(spec->datatype));
        if (tensors[i].label_filename.size)
            TRY(read_labels(model, &specs[spec - specs], tensors[i].label_filename));
    }
    return STATUS_IS_OK;
}

/* If the model takes batches, the first dimension of each tensor is the batch, which has any size. */
static struct status check_batches(struct model *model, const char *kind, const struct tensor_spec *specs, size_t count)
{
    for (size_t i = 0; i < count && model->config->max_batch_size > 0; i++)
        if (specs[i].rank == 0 || specs[i].shape[0] != -1)
            return status_invalid(&model->arena,
                                  "config.pbtxt has max_batch_size %d, but the first dimension of the %s '%s' is fixed",
                                  model->config->max_batch_size, kind, str_printable(&model->arena, specs[i].name));
    return STATUS_IS_OK;
}

static struct status load_model(const struct generation *generation, struct model *model)
{
    TRY(generation->fault);
    TRY(model->backend->load(model));
    const struct model_config *config = model->config;
    TRY(check_tensors(model, "input", config->inputs, config->input_count, model->inputs, model->input_count));
    TRY(check_tensors(model, "output", config->outputs, config->output_count, model->outputs, model->output_count));
    TRY(check_batches(model, "input", model->inputs, model->input_count));
    TRY(check_batches(model, "output", model->outputs, model->output_count));
    TRY(defaults_read(model));
    return batcher_open(model, &model->batcher);
}

/* Waits for a model to load. Returns NULL when the repository closes. */
static struct model *take_model(struct repository *repository, struct generation **of)
{
    pthread_mutex_lock(&repository->mutex);
    while (!repository->closing && !repository->to_load)
        pthread_cond_wait(&repository->work, &repository->mutex);
    struct model *model = NULL;
    if (!repository->closing) {
        struct generation *generation = *of = repository->to_load;
        model = &generation->models[generation->taken++];
        if (generation->taken == generation->version_count) {
            repository->to_load = generation->next;
            if (!repository->to_load)
                repository->last_to_load = &repository->to_load;
        }
    }
    pthread_mutex_unlock(&repository->mutex);
    return model;
}

/* Gives the generation back to the order thread when its last model is loaded. */
static void give_back(struct repository *repository, struct generation *generation)
{
    pthread_mutex_lock(&repository->mutex);
    if (--generation->unfinished == 0) {
        generation->next = repository->loaded;
        repository->loaded = generation;
        pthread_cond_signal(&repository->news);
    }
    pthread_mutex_unlock(&repository->mutex);
}

static void *load_models(void *argument)
{
    struct repository *repository = argument;
    struct generation *generation;
    struct model *model;
    while ((model = take_model(repository, &generation))) {
        struct status status = load_model(generation, model);
        model->reason = status.message;
        model->fault = status.code;
        atomic_store(&model->state, is_ok(status) ? MODEL_READY : MODEL_UNAVAILABLE);
        give_back(repository, generation);
    }
    return NULL;
}

void loaders_add(struct repository *repository, struct generation *generation)
{
    generation->next = NULL;
    *repository->last_to_load = generation;
    repository->last_to_load = &generation->next;
    pthread_cond_broadcast(&repository->work);
}

struct status loaders_start(struct repository *repository)
{
    for (size_t i = 0; i < LOADERS_MAX; i++) {
        int fault = pthread_create(&repository->loaders[i], NULL, load_models, repository);
        if (fault && i == 0)
            return status_error(&repository->arena, STATUS_RESOURCE_EXHAUSTED,
                                "cannot start a thread to load models: %s", strerror(fault));
        if (fault)
            break; /* the threads that were started do the work */
        repository->loader_count++;
    }
    return STATUS_IS_OK;
}

void loaders_cancel(const struct generation *generation)
{
    for (size_t i = 0; i < generation->version_count; i++) {
        struct model *model = &generation->models[i];
        enum model_state loading = MODEL_LOADING;
        if (generation->backend->cancel && atomic_compare_exchange_strong(&model->state, &loading, MODEL_UNLOADING))
            generation->backend->cancel();
    }
}

void loaders_join(struct repository *repository)
{
    for (size_t i = 0; i < repository->loader_count; i++)
        pthread_join(repository->loaders[i], NULL);
    repository->loader_count = 0;
}
