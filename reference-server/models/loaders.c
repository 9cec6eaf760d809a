/* A few threads load the models, one after another. A load has three steps: the backend loads the model, config.pbtxt
 * is compared with the model's tensors, and the defaults are read. */
#include "models/entries.h"

#include "models/backend.h"
#include "models/defaults.h"
#include "models/file.h"
#include <errno.h>

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

/* config.pbtxt may say less than the model, but must not contradict it. */
static struct status check_tensors(struct model *model, const char *kind, const struct config_tensor *tensors,
                                   size_t count, struct tensor_spec *specs, size_t spec_count)
{
    struct arena *arena = &model->arena;
    for (size_t i = 0; i < count; i++) {
        const struct tensor_spec *spec = tensor_spec_named(specs, spec_count, tensors[i].name);
        if (!spec)
            return status_error(arena, STATUS_INVALID_ARGUMENT, "config.pbtxt has the %s '%s', the model has not", kind,
                                str_printable(arena, tensors[i].name));
        if (tensors[i].datatype != DATATYPE_NONE && tensors[i].datatype != spec->datatype)
            return status_error(arena, STATUS_INVALID_ARGUMENT,
                                "config.pbtxt says that the %s '%s' is %s, but it is %s", kind,
                                str_printable(arena, tensors[i].name), datatype_name(tensors[i].datatype),
                                datatype_name(spec->datatype));
        struct status status = tensors[i].label_filename.size
                                   ? read_labels(model, &specs[spec - specs], tensors[i].label_filename)
                                   : STATUS_IS_OK;
        if (!is_ok(status))
            return status;
    }
    return STATUS_IS_OK;
}

/* If the model takes batches, the first dimension of each tensor is the batch, which has any size. */
static struct status check_batches(struct model *model, const char *kind, const struct tensor_spec *specs, size_t count)
{
    for (size_t i = 0; i < count && model->config->max_batch_size > 0; i++)
        if (specs[i].rank == 0 || specs[i].shape[0] != -1)
            return status_error(&model->arena, STATUS_INVALID_ARGUMENT,
                                "config.pbtxt has max_batch_size %d, but the first dimension of the %s '%s' is fixed",
                                model->config->max_batch_size, kind, str_printable(&model->arena, specs[i].name));
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
    if (is_ok(status))
        status = check_batches(model, "input", model->inputs, model->input_count);
    if (is_ok(status))
        status = check_batches(model, "output", model->outputs, model->output_count);
    return is_ok(status) ? defaults_read(model) : status;
}

static struct model *take_model(struct repository *repository)
{
    pthread_mutex_lock(&repository->mutex);
    bool any = !repository->closing && repository->next < repository->version_count;
    struct model *model = any ? repository->versions[repository->next++].model : NULL;
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
        enum model_state loading = MODEL_LOADING; /* the state is UNLOADING if the repository closes, and stays so */
        atomic_compare_exchange_strong(&model->state, &loading, is_ok(status) ? MODEL_READY : MODEL_UNAVAILABLE);
    }
    return NULL;
}

struct status loaders_start(struct repository *repository)
{
    size_t wanted = repository->version_count < LOADERS_MAX ? repository->version_count : LOADERS_MAX;
    for (size_t i = 0; i < wanted; i++) {
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

void loaders_cancel(struct repository *repository)
{
    pthread_mutex_lock(&repository->mutex);
    repository->closing = true;
    pthread_mutex_unlock(&repository->mutex);
    for (size_t i = 0; i < repository->version_count; i++) {
        struct model *model = repository->versions[i].model;
        enum model_state loading = MODEL_LOADING;
        if (atomic_compare_exchange_strong(&model->state, &loading, MODEL_UNLOADING) && model->backend->cancel)
            model->backend->cancel(model);
    }
    for (size_t i = 0; i < repository->loader_count; i++)
        pthread_join(repository->loaders[i], NULL);
    repository->loader_count = 0;
}
