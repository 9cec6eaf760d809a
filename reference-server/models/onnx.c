#include "engine/network.h"
#include "models/backends.h"
#include "models/file.h"
#include <stdio.h>

static struct status load(struct model *model)
{
    struct str file = model->config->default_model_filename;
    struct str path = arena_printf(&model->arena, "%s/%s", model->directory, file.size ? file.data : "model.onnx");
    if (!path.data)
        return status_no_memory();
    if (file.size && (memchr(file.data, '/', file.size) || memchr(file.data, '\0', file.size)))
        return status_error(&model->arena, STATUS_INVALID_ARGUMENT, "default_model_filename '%s' is no file name",
                            str_printable(&model->arena, file));

    struct arena scratch = arena_new(ARENA_NO_BUDGET);
    struct str content;
    struct network *network = NULL;
    struct status status = file_read(path.data, &scratch, &content);
    if (!is_ok(status))
        status.message = arena_copy(&model->arena, status.message);
    else
        status = network_load(content, model, &network);
    arena_free(&scratch);
    model->implementation = network;
    model->platform = STR("onnx_onnxv1");
    return status;
}

static void execute(struct model *model, struct execution *execution)
{
    execution->status = network_run(model->implementation, execution);
    execution->done(execution);
}

static void unload(struct model *model)
{
    network_free(model->implementation);
}

const struct backend backend_onnx = {.name = "onnxruntime", .load = load, .execute = execute, .unload = unload};
