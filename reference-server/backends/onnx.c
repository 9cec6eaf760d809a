/* The backend for ONNX: engine/ runs <version folder>/model.onnx. In config.pbtxt it has the names that Triton uses, so
 * the same repository loads in both servers. */
#include "backends/backends.h"

#include "engine/network.h"
#include "models/compute.h"
#include "models/config.h"
#include "models/file.h"

#define MODEL_MAX ((size_t)INT32_MAX) /* bytes; protobuf reads no larger message */

static struct status load(struct model *model)
{
    struct str file = model->config->default_model_filename;
    struct arena scratch = arena_new(ARENA_NO_BUDGET);
    struct str content;
    struct network *network = NULL;
    struct status status = source_read_named(model->source, model->version, "default_model_filename",
                                             file.size ? file : STR("model.onnx"), MODEL_MAX, &scratch, &content);
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
    struct status status = network_run(model->implementation, execution, compute_is_alone());
    if (is_ok(status))
        execution->emit(execution);
    execution->done(execution, status);
}

static void unload(struct model *model)
{
    network_free(model->implementation);
}

const struct backend backend_onnx = {.name = "onnxruntime",
                                     .platform = "onnxruntime_onnx",
                                     .is_rowwise = true,
                                     .load = load,
                                     .execute = execute,
                                     .unload = unload};
