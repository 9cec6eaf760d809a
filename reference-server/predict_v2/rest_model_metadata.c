/* Model metadata over REST (000, "Model Metadata"): GET v2/models/NAME[/versions/VERSION]. */
#include "predict_v2/rest.h"

#include "json/writer.h"

/* Properties are what config.pbtxt says of the model for people and tools: its parameters whose names begin with
 * "property.". They are texts in a map of texts (the official schema, metadata_model_response).
 * v2-rest.metadata-properties */
static void write_properties(struct buf *out, const struct parameters *settings)
{
    static const struct str prefix = {"property.", sizeof("property.") - 1};
    bool has_any = false;
    for (size_t i = 0; i < settings->count; i++) {
        const struct parameter *setting = &settings->list[i];
        if (!str_starts(setting->name, prefix) || setting->kind != PARAMETER_STRING)
            continue;
        if (!has_any)
            buf_append_literal(out, ",\"properties\":{");
        json_write_name(out, str_from(setting->name, prefix.size));
        json_write_string(out, setting->string);
        has_any = true;
    }
    if (has_any)
        buf_append_byte(out, '}');
}

/* Writes a $metadata_tensor, which may have parameters (001), as may the model.
 * v2-rest.metadata-datatype v2-rest.metadata-tensor-parameters */
static struct status write_tensor(struct buf *out, const struct tensor_spec *spec, struct arena *arena)
{
    json_write_next(out);
    buf_append_byte(out, '{');
    json_write_member(out, "name", spec->name);
    json_write_member(out, "datatype", str_of(datatype_name(spec->datatype)));
    buf_append_literal(out, ",\"shape\":");
    rest_write_shape(spec->shape, spec->rank, out);
    struct status status = rest_write_parameters(&spec->parameters, out, arena);
    buf_append_byte(out, '}');
    return status;
}

static struct status write_tensors(struct buf *out, const struct tensor_spec *specs, size_t count, struct arena *arena)
{
    struct status status = STATUS_IS_OK;
    buf_append_byte(out, '[');
    for (size_t i = 0; i < count && is_ok(status); i++)
        status = write_tensor(out, &specs[i], arena);
    buf_append_byte(out, ']');
    return status;
}

static void write_strings(struct buf *out, const struct str *list, size_t count)
{
    buf_append_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        json_write_next(out);
        json_write_string(out, list[i]);
    }
    buf_append_byte(out, ']');
}

/* Writes $metadata_model_response.
 * v2-rest.metadata-name v2-rest.metadata-versions v2-rest.metadata-platform v2-rest.metadata-inputs
 * v2-rest.metadata-outputs v2-rest.metadata-parameters */
static struct status write_model(struct rest_call *call, const struct model *model, struct buf *out)
{
    struct str *versions;
    size_t count = repository_versions(call->shared->repository, model->name, call->arena, &versions);
    buf_append_byte(out, '{');
    json_write_member(out, "name", model->name);
    buf_append_literal(out, ",\"versions\":");
    write_strings(out, versions, count);
    json_write_member(out, "platform", model->platform);
    buf_append_literal(out, ",\"inputs\":");
    struct status status = write_tensors(out, model->inputs, model->input_count, call->arena);
    buf_append_literal(out, ",\"outputs\":");
    if (is_ok(status))
        status = write_tensors(out, model->outputs, model->output_count, call->arena);
    if (is_ok(status))
        status = rest_write_parameters(&model->parameters, out, call->arena);
    write_properties(out, &model->settings);
    buf_append_byte(out, '}');
    return status;
}

/* v2-rest.model-metadata v2-rest.metadata-versioned v2-rest.metadata-versionless v2-rest.metadata-model-known
 * v2-rest.metadata-version-known v2-rest.metadata-while-loading */
void rest_model_metadata(struct rest_call *call)
{
    struct model_hold hold;
    struct status status =
        predict_v2_find_described(call->shared->repository, call->model, call->version, call->arena, &hold);
    if (is_ok(status))
        status = write_model(call, hold.model, &call->http->answer_buf);
    model_release(&hold);
    rest_answer(call, status);
}
