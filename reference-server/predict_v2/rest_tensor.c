/* The data of an input (000, "Tensor Data"). Members may come in any order. Data that comes before its datatype or
 * shape is skipped and only checked as text; a second reader reads it when the input is complete. */
#include "predict_v2/rest_binary.h"

#include "tensor/half.h"
#include "tensor/json_tensor.h"
#include "tree/tree.h"
#include "json/number.h"

#define ZEROS_MAX ((size_t)1 << 24) /* the most elements made up for missing data while its row is off */

/* --- Elements of another type, while their rows are off: v2-rest.element-type v2-rest.element-null
 * v2-rest.element-range -- */

static bool coerces(const struct decode *decode)
{
    return decode->request->switches &&
           (!stands(decode, "element-type") || !stands(decode, "element-null") || !stands(decode, "element-range"));
}

static void append_number(const struct tree *element, enum datatype datatype, struct buf *out)
{
    struct str text = element->type == TREE_NUMBER || element->type == TREE_STRING ? element->text : STR("0");
    int64_t whole = element->type == TREE_BOOL && element->boolean;
    uint64_t large;
    double real = (double)whole;
    if (number_read_double(text, &real) && real > -9.2e18 && real < 9.2e18)
        whole = (int64_t)real;
    if (!number_read_int64(text, &whole) && number_read_uint64(text, &large))
        whole = (int64_t)large;
    if (element->type == TREE_BOOL)
        real = (double)(whole = element->boolean);
    float single = (float)real;
    uint16_t half = datatype == DATATYPE_BF16 ? bfloat16_from_double(real) : half_from_double(real);
    switch (datatype) {
    case DATATYPE_BOOL:
        buf_append_byte(out, real != 0 || whole != 0);
        break;
    case DATATYPE_FP16:
    case DATATYPE_BF16:
        buf_append(out, &half, sizeof(half));
        break;
    case DATATYPE_FP32:
        buf_append(out, &single, sizeof(single));
        break;
    case DATATYPE_FP64:
        buf_append(out, &real, sizeof(real));
        break;
    default:
        buf_append(out, &whole, datatype_size(datatype)); /* the low bytes: 300 becomes 44 in a UINT8 */
    }
}

static void append_element(const struct tree *element, enum datatype datatype, struct buf *out)
{
    if (datatype != DATATYPE_BYTES) {
        append_number(element, datatype, out);
        return;
    }
    struct str text = element->type == TREE_BOOL ? (element->boolean ? STR("true") : STR("false")) : element->text;
    uint32_t size = (uint32_t)text.size;
    buf_append(out, &size, sizeof(size));
    buf_append_str(out, text);
}

static struct status coerce(struct decode *decode, struct tensor *tensor, struct str data)
{
    const struct tree *open[JSON_DEPTH + 1];
    size_t depth = 1;
    struct tree *root;
    struct buf out = {0};
    struct status status = tree_parse(data, decode->arena, &root);
    if (!is_ok(status))
        return status;
    open[0] = root->first;
    tensor->count = 0;
    while (depth > 0) {
        const struct tree *element = open[depth - 1];
        if (!element) {
            depth--;
            continue;
        }
        open[depth - 1] = element->next;
        if (element->type == TREE_ARRAY && depth <= JSON_DEPTH) {
            open[depth++] = element->first;
        } else {
            append_element(element, tensor->datatype, &out);
            tensor->count++;
        }
    }
    tensor->size = out.size;
    tensor->data = arena_alloc(decode->arena, out.size + 4096); /* large enough to be aligned for vector instructions */
    if (tensor->data && out.size)
        memcpy(tensor->data, out.data, out.size);
    status = tensor->data && !out.failed ? STATUS_IS_OK : status_no_memory();
    buf_free(&out);
    return status;
}

/* --- Data --- */

/* Checks that the data is flat or nested as its shape says. Other brackets are refused, except if the data does not
 * fill the shape: the duty data-count of inference/ finds that. v2-rest.data-flat v2-rest.data-nested
 * v2-rest.data-nesting */
static bool nesting_fits(struct decode *decode, const struct tensor *tensor, enum nesting nesting)
{
    size_t count;
    if (nesting != NESTING_OTHER || !stands(decode, "data-nesting") ||
        !shape_count(tensor->shape, tensor->rank, &count) || count != tensor->count)
        return true;
    return refuse(decode, "data-nesting", "the brackets in the data of input '%s' do not follow its shape %s",
                  str_printable(decode->arena, tensor->name), shape_text(decode->arena, tensor->shape, tensor->rank));
}

static bool read_tensor(struct decode *decode, struct json_reader *json, struct tensor *tensor)
{
    enum nesting nesting = NESTING_FLAT;
    struct status status = json_read_tensor(json, tensor, &nesting, decode->arena);
    if (json_failed(json))
        return false;
    if (!is_ok(status)) {
        decode->status = status;
        return false;
    }
    return nesting_fits(decode, tensor, nesting);
}

bool read_data(struct decode *decode, void *target)
{
    struct input_parts *parts = target;
    parts->has_data = true;
    parts->data = (struct str){0};
    if (parts->has_datatype && parts->has_shape && !coerces(decode))
        return read_tensor(decode, decode->json, &parts->input->tensor);
    return json_skip(decode->json, &parts->data);
}

static bool read_later(struct decode *decode, struct input_parts *parts)
{
    struct rest_kept *kept = rest_kept(decode->call);
    struct tensor *tensor = &parts->input->tensor;
    if (coerces(decode)) {
        decode->status = coerce(decode, tensor, parts->data);
        return is_ok(decode->status);
    }
    if (!kept->second)
        kept->second = json_reader_create(decode->arena->purse);
    if (!kept->second) {
        decode->status = status_no_memory();
        return false;
    }
    json_begin(kept->second, parts->data);
    if (read_tensor(decode, kept->second, tensor))
        return true;
    if (is_ok(decode->status)) /* the second reader failed; its json_end says why */
        decode->status = json_end(kept->second, decode->arena);
    return false;
}

/* --- What is taken from the model when a duty is off --- */

/* Takes the model's shape. Its first open dimension becomes as large as the data needs. */
static bool take_shape(struct decode *decode, struct tensor *tensor, const struct tensor_spec *spec, struct str data)
{
    int64_t *shape = arena_alloc_zero(decode->arena, spec->rank + 1, sizeof(*shape));
    struct tensor counted = {.datatype = tensor->datatype};
    size_t open = spec->rank, rest = 1;
    if (!shape)
        return false;
    if (data.data && !is_ok(coerce(decode, &counted, data)))
        return false;
    for (size_t i = spec->rank; i-- > 0;) {
        shape[i] = spec->shape[i] < 0 ? 1 : spec->shape[i];
        rest *= (size_t)shape[i];
        open = spec->shape[i] < 0 ? i : open;
    }
    if (open < spec->rank && rest > 0 && counted.count > 0)
        shape[open] = (int64_t)(counted.count / rest);
    tensor->shape = shape;
    tensor->rank = spec->rank;
    return true;
}

static bool take_from_the_model(struct decode *decode, struct input_parts *parts)
{
    struct tensor *tensor = &parts->input->tensor;
    struct model_hold hold;
    decode->status = predict_v2_find_ready(decode->request->repository, decode->call->model, decode->call->version,
                                           decode->arena, &hold);
    if (!is_ok(decode->status))
        return false;
    const struct model *model = hold.model;
    const struct tensor_spec *spec = tensor_spec_named(model->inputs, model->input_count, tensor->name);
    if (!spec && decode->index < model->input_count)
        spec = &model->inputs[decode->index];
    bool is_done = spec != NULL;
    if (is_done && !parts->has_name)
        tensor->name = arena_copy(decode->arena, spec->name);
    if (is_done && !parts->has_datatype)
        tensor->datatype = spec->datatype;
    if (is_done && !parts->has_shape)
        is_done = take_shape(decode, tensor, spec, parts->data);
    model_release(&hold);
    if (!is_done)
        decode->status = status_error(decode->arena, STATUS_INVALID_ARGUMENT, "the model has no such input");
    return is_done;
}

static bool make_zeros(struct decode *decode, struct tensor *tensor)
{
    size_t count, size = tensor->datatype == DATATYPE_BYTES ? 4 : datatype_size(tensor->datatype);
    if (!shape_count(tensor->shape, tensor->rank, &count) || count > ZEROS_MAX)
        count = 0;
    tensor->data = arena_alloc_zero(decode->arena, count + 4096, size);
    tensor->count = count;
    tensor->size = count * size;
    return tensor->data != NULL;
}

bool finish_input(struct decode *decode, struct input_parts *parts)
{
    bool is_whole = parts->has_name && parts->has_shape && parts->has_datatype;
    if (!is_whole && !take_from_the_model(decode, parts))
        return false;
    if (is_binary_input(decode, parts))
        return take_binary(decode, parts);
    if (parts->data.data)
        return read_later(decode, parts);
    return parts->has_data || make_zeros(decode, &parts->input->tensor);
}
