/* The answer to an inference: an InferResponseHeader, and the bytes of each output. The outputs come in the order of
 * the request. */
#include "trtis_v1/infer.h"

#include "base/search.h"
#include "inference/classify.h"
#include "models/config.h"

#include <assert.h>

typedef V1__InferResponseHeader__Output Output;

V1__InferResponseHeader *v1_infer_empty_response(const struct v1_infer *asked)
{
    V1__InferResponseHeader *response = structs_new(asked->request.arena, &v1__infer_response_header__descriptor);
    if (response && asked->header)
        response->id = asked->header->id;
    return response;
}

/* --- Classes --- */

static V1__InferResponseHeader__Output__Classes *classes_of_row(const struct classes *classes, size_t row,
                                                                const struct tensor_spec *spec, struct arena *arena)
{
    V1__InferResponseHeader__Output__Classes *all =
        structs_new(arena, &v1__infer_response_header__output__classes__descriptor);
    V1__InferResponseHeader__Output__Class **list =
        structs_list(arena, &v1__infer_response_header__output__class__descriptor, classes->kept);
    if (!all || !list)
        return NULL;
    for (size_t i = 0; i < classes->kept; i++) {
        size_t index = classes->indices[row * classes->kept + i];
        list[i]->idx = (int32_t)index;
        list[i]->value = classes->values[row * classes->kept + i];
        if (index < spec->label_count)
            list[i]->label = structs_bytes(v1_shown(arena, spec->labels[index]));
    }
    all->cls = list;
    all->n_cls = classes->kept;
    return all;
}

/* trtis-v1-http.classification trtis-v1-http.classification-labels trtis-v1-http.classification-batch, and the
 * same over gRPC */
static struct status add_classes(const struct v1_infer *asked, const struct tensor *tensor,
                                 const struct tensor_spec *spec, uint32_t count, Output *output)
{
    struct arena *arena = asked->request.arena;
    struct classes classes;
    bool is_batched = asked->hold.model->config->max_batch_size > 0 && tensor->rank > 0;
    NEED(classes_find(tensor, is_batched, count, arena, &classes));
    output->batch_classes = arena_alloc(arena, classes.rows * sizeof(*output->batch_classes));
    NEED(output->batch_classes);
    for (size_t row = 0; row < classes.rows; row++)
        NEED((output->batch_classes[output->n_batch_classes++] = classes_of_row(&classes, row, spec, arena)));
    return STATUS_IS_OK;
}

/* --- Raw outputs --- */

/* trtis-v1-http.output-shape trtis-v1-http.output-size, and the same over gRPC */
static struct status add_raw(const struct v1_infer *asked, const struct tensor *tensor, const struct tensor_spec *spec,
                             Output *output)
{
    V1__InferResponseHeader__Output__Raw *raw =
        structs_new(asked->request.arena, &v1__infer_response_header__output__raw__descriptor);
    NEED(raw);
    struct v1_tensor shown = v1_output(asked->hold.model, spec);
    bool has_batch = asked->hold.model->config->max_batch_size > 0 && tensor->rank > 0;
    raw->n_dims = shown.is_reshaped ? shown.rank : tensor->rank - has_batch;
    raw->dims = (int64_t *)(uintptr_t)(shown.is_reshaped ? shown.dims : tensor->shape + has_batch);
    raw->batch_byte_size = tensor->size;
    output->raw = raw;
    return STATUS_IS_OK;
}

/* --- The whole --- */

static struct status add_output(struct v1_infer *asked, const struct infer_response *response, size_t i, Output *output)
{
    const V1__InferRequestHeader__Output *wanted = asked->header->output[i];
    const struct model *model = asked->hold.model;
    struct str name = structs_str(wanted->name);
    const struct tensor_spec *spec = tensor_spec_named(model->outputs, model->output_count, name);
    const struct model_output *found =
        FIND(response->outputs, k, response->output_count, str_equal(response->outputs[k].tensor.name, name));
    assert(found); /* the request asks for outputs that exist */
    const struct tensor *tensor = &found->tensor;
    output->name = wanted->name;
    asked->raw[i] = (struct str){0};
    if (wanted->cls)
        return add_classes(asked, tensor, spec, wanted->cls->count, output);
    asked->raw[i] = (struct str){tensor->data, tensor->size};
    return add_raw(asked, tensor, spec, output);
}

/* trtis-v1-http.meta-data trtis-v1-http.id-echoed trtis-v1-http.version-named, and the same over gRPC */
struct status v1_infer_respond(struct infer_request *request, const struct infer_response *response)
{
    struct v1_infer *asked = (struct v1_infer *)request;
    size_t count = asked->header->n_output;
    V1__InferResponseHeader *header = v1_infer_empty_response(asked);
    Output **outputs = structs_list(request->arena, &v1__infer_response_header__output__descriptor, count);
    asked->raw = arena_alloc(request->arena, count * sizeof(*asked->raw));
    NEED(header && outputs && asked->raw);
    header->model_name = structs_bytes(asked->hold.model->name);
    header->model_version = v1_version_number(response->model->version);
    header->batch_size = asked->header->batch_size;
    header->output = outputs;
    header->n_output = count;
    for (size_t i = 0; i < count; i++)
        TRY(add_output(asked, response, i, outputs[i]));
    asked->response = header;
    return STATUS_IS_OK;
}
