/* Metadata (000, "Server Metadata" and "Model Metadata"). */
#include "predict_v2/rest.h"

#include "json/writer.h"

/* 000, "Server Metadata": GET v2
 * v2-rest.server-metadata v2-rest.server-name v2-rest.server-version v2-rest.server-extensions */
void rest_server_metadata(struct rest_call *call)
{
    struct buf *out = &call->http->answer_buf;
    buf_append_literal(out, "{\"name\":");
    json_write_string(out, str_of(call->v2->name));
    buf_append_literal(out, ",\"version\":");
    json_write_string(out, str_of(call->v2->version));
    buf_append_literal(out, ",\"extensions\":[");
    for (size_t i = 0; i < call->v2->extension_count; i++) {
        if (i)
            buf_append_byte(out, ',');
        json_write_string(out, str_of(call->v2->extensions[i]));
    }
    buf_append_literal(out, "]}");
    rest_answer_json(call);
}

struct status rest_find_ready(struct rest_call *call, struct model **model)
{
    const char *name = str_printable(call->arena, call->model);
    struct status status = repository_find(call->v2->repository, call->model, call->version, call->arena, model);
    if (!is_ok(status))
        return status;
    enum model_state state = (*model)->state;
    if (state == MODEL_READY)
        return STATUS_IS_OK;
    const char *why = state == MODEL_LOADING       ? "it is still loading"
                      : state == MODEL_UNAVAILABLE ? str_printable(call->arena, (*model)->reason)
                                                   : "it is being unloaded";
    return status_broken(call->arena, STATUS_FAILED_PRECONDITION, "model-ready", "model '%s' is not ready: %s", name,
                         why);
}

static struct status write_tensors(const struct tensor_spec *specs, size_t count, struct buf *out, struct arena *arena)
{
    struct status status = STATUS_IS_OK;
    buf_append_byte(out, '[');
    for (size_t i = 0; i < count && is_ok(status); i++) {
        if (i)
            buf_append_byte(out, ',');
        buf_append_literal(out, "{\"name\":");
        json_write_string(out, specs[i].name);
        buf_printf(out, ",\"datatype\":\"%s\",\"shape\":", datatype_name(specs[i].datatype));
        rest_write_shape(specs[i].shape, specs[i].rank, out);
        if (specs[i].parameters.count > 0) {
            buf_append_literal(out, ",\"parameters\":");
            status = rest_write_parameters(&specs[i].parameters, out, arena);
        }
        buf_append_byte(out, '}');
    }
    buf_append_byte(out, ']');
    return status;
}

/* v2-rest.metadata-name v2-rest.metadata-versions v2-rest.metadata-platform v2-rest.metadata-inputs
 * v2-rest.metadata-outputs */
static struct status write_model(struct rest_call *call, const struct model *model, struct buf *out)
{
    struct str *versions;
    size_t count = repository_versions(call->v2->repository, model->name, call->arena, &versions);
    buf_append_literal(out, "{\"name\":");
    json_write_string(out, model->name);
    buf_append_literal(out, ",\"versions\":[");
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_append_byte(out, ',');
        json_write_string(out, versions[i]);
    }
    buf_append_literal(out, "],\"platform\":");
    json_write_string(out, model->platform);
    buf_append_literal(out, ",\"inputs\":");
    struct status status = write_tensors(model->inputs, model->input_count, out, call->arena);
    buf_append_literal(out, ",\"outputs\":");
    if (is_ok(status))
        status = write_tensors(model->outputs, model->output_count, out, call->arena);
    if (is_ok(status) && model->parameters.count > 0) {
        buf_append_literal(out, ",\"parameters\":");
        status = rest_write_parameters(&model->parameters, out, call->arena);
    }
    buf_append_byte(out, '}');
    return status;
}

/* The key of the requirement depends on what is asked of the model. */
static struct status as_metadata(struct status status)
{
    if (status.broken && strcmp(status.broken, "model-known") == 0)
        status.broken = "metadata-model-known";
    if (status.broken && strcmp(status.broken, "version-known") == 0)
        status.broken = "metadata-version-known";
    return status;
}

/* 000, "Model Metadata": GET v2/models/NAME[/versions/VERSION]
 * v2-rest.model-metadata v2-rest.metadata-versioned v2-rest.metadata-versionless v2-rest.metadata-model-known
 * v2-rest.metadata-version-known */
void rest_model_metadata(struct rest_call *call)
{
    struct model *model;
    struct status status = as_metadata(rest_find_ready(call, &model));
    if (is_ok(status))
        status = write_model(call, model, &call->http->answer_buf);
    if (is_ok(status))
        rest_answer_json(call);
    else
        rest_refuse(call, status);
}
