/* Model metadata over REST (000, "Model Metadata"): GET v2/models/NAME[/versions/VERSION]. */
#include "predict_v2/rest.h"

#include "http/document.h"

/* Metadata may have parameters (001); the member is written only if there are any. */
static struct status add_parameters(struct document *document, struct cJSON *parent,
                                    const struct parameters *parameters, struct arena *arena)
{
    if (parameters->count == 0)
        return STATUS_IS_OK;
    struct status status = rest_write_parameters(parameters, document_text(document), arena);
    document_add_text(document, parent, "parameters");
    return status;
}

/* Writes a list of $metadata_tensor.
 * v2-rest.metadata-datatype v2-rest.metadata-tensor-parameters */
static struct status add_tensors(struct document *document, const char *name, const struct tensor_spec *specs,
                                 size_t count, struct arena *arena)
{
    struct cJSON *list = document_add_array(document, document->root, name);
    struct status status = STATUS_IS_OK;
    for (size_t i = 0; i < count && is_ok(status); i++) {
        struct cJSON *tensor = document_add_object(document, list, NULL);
        document_add_string(document, tensor, "name", specs[i].name);
        document_add_string(document, tensor, "datatype", str_of(datatype_name(specs[i].datatype)));
        rest_write_shape(specs[i].shape, specs[i].rank, document_text(document));
        document_add_text(document, tensor, "shape");
        status = add_parameters(document, tensor, &specs[i].parameters, arena);
    }
    return status;
}

/* Writes $metadata_model_response.
 * v2-rest.metadata-name v2-rest.metadata-versions v2-rest.metadata-platform v2-rest.metadata-inputs
 * v2-rest.metadata-outputs v2-rest.metadata-parameters */
static struct status describe(struct rest_call *call, const struct model *model, struct document *document)
{
    struct str *versions;
    size_t count = repository_versions(call->v2->repository, model->name, call->arena, &versions);
    document_add_string(document, document->root, "name", model->name);
    struct cJSON *list = document_add_array(document, document->root, "versions");
    for (size_t i = 0; i < count; i++)
        document_add_string(document, list, NULL, versions[i]);
    document_add_string(document, document->root, "platform", model->platform);
    struct status status = add_tensors(document, "inputs", model->inputs, model->input_count, call->arena);
    if (is_ok(status))
        status = add_tensors(document, "outputs", model->outputs, model->output_count, call->arena);
    if (is_ok(status))
        status = add_parameters(document, document->root, &model->parameters, call->arena);
    return status;
}

/* v2-rest.model-metadata v2-rest.metadata-versioned v2-rest.metadata-versionless v2-rest.metadata-model-known
 * v2-rest.metadata-version-known v2-rest.metadata-while-loading */
void rest_model_metadata(struct rest_call *call)
{
    struct model_hold hold;
    struct document document = document_begin();
    struct status status =
        predict_v2_find_described(call->v2->repository, call->model, call->version, call->arena, &hold);
    if (is_ok(status))
        status = describe(call, hold.model, &document);
    model_release(&hold);
    rest_answer_document(call, status, &document);
}
