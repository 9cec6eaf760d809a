/* Reads the initializers of an ONNX graph into tensors. */
#include "base/search.h"
#include "engine/operator.h"

static const enum datatype datatypes[] = {
    [ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT] = DATATYPE_FP32,
    [ONNX__TENSOR_PROTO__DATA_TYPE__UINT8] = DATATYPE_UINT8,
    [ONNX__TENSOR_PROTO__DATA_TYPE__INT8] = DATATYPE_INT8,
    [ONNX__TENSOR_PROTO__DATA_TYPE__UINT16] = DATATYPE_UINT16,
    [ONNX__TENSOR_PROTO__DATA_TYPE__INT16] = DATATYPE_INT16,
    [ONNX__TENSOR_PROTO__DATA_TYPE__INT32] = DATATYPE_INT32,
    [ONNX__TENSOR_PROTO__DATA_TYPE__INT64] = DATATYPE_INT64,
    [ONNX__TENSOR_PROTO__DATA_TYPE__STRING] = DATATYPE_BYTES,
    [ONNX__TENSOR_PROTO__DATA_TYPE__BOOL] = DATATYPE_BOOL,
    [ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16] = DATATYPE_FP16,
    [ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE] = DATATYPE_FP64,
    [ONNX__TENSOR_PROTO__DATA_TYPE__UINT32] = DATATYPE_UINT32,
    [ONNX__TENSOR_PROTO__DATA_TYPE__UINT64] = DATATYPE_UINT64,
    [ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16] = DATATYPE_BF16,
};

enum datatype datatype_of_onnx(int32_t type)
{
    return type >= 0 && (size_t)type < COUNT_OF(datatypes) ? datatypes[type] : DATATYPE_NONE;
}

/* A list of elements in the message: the list, how many elements it has, and how many bytes lie from one to the next.
 * The first bytes of each are the value, because hosts are little-endian. */
struct listed {
    void *data;
    size_t count, stride;
};

static struct listed list_of(const Onnx__TensorProto *source, enum datatype datatype)
{
    switch (datatype) {
    case DATATYPE_FP32:
        return (struct listed){source->float_data, source->n_float_data, 4};
    case DATATYPE_FP64:
        return (struct listed){source->double_data, source->n_double_data, 8};
    case DATATYPE_INT64:
        return (struct listed){source->int64_data, source->n_int64_data, 8};
    case DATATYPE_UINT32:
    case DATATYPE_UINT64:
        return (struct listed){source->uint64_data, source->n_uint64_data, 8};
    default:
        return (struct listed){source->int32_data, source->n_int32_data, 4};
    }
}

static struct status count_fault(const Onnx__TensorProto *source, struct arena *arena, const struct tensor *tensor,
                                 size_t have)
{
    return status_invalid(arena, "initializer '%s' has %zu elements, but its shape %s holds %zu",
                          str_printable(arena, str_of(source->name)), have,
                          shape_text(arena, tensor->shape, tensor->rank), tensor->count);
}

bool texts_write(const ProtobufCBinaryData *list, const size_t *order, size_t count, struct arena *arena,
                 struct tensor *tensor)
{
    tensor->size = SUM(i, count, 4 + list[order ? order[i] : i].len);
    char *at = tensor->data = arena_alloc(arena, tensor->size);
    for (size_t i = 0; at && i < count; i++) {
        const ProtobufCBinaryData *text = &list[order ? order[i] : i];
        const uint32_t length = (uint32_t)text->len;
        at = mempcpy(at, &length, 4);
        if (length)
            at = mempcpy(at, text->data, length);
    }
    return at != NULL;
}

static struct status read_strings(const Onnx__TensorProto *source, struct arena *arena, struct tensor *tensor)
{
    if (source->n_string_data != tensor->count)
        return count_fault(source, arena, tensor, source->n_string_data);
    return texts_write(source->string_data, NULL, tensor->count, arena, tensor) ? STATUS_IS_OK : status_no_memory();
}

static struct status read_data(const Onnx__TensorProto *source, struct arena *arena, struct tensor *tensor)
{
    size_t element = datatype_size(tensor->datatype);
    struct listed listed = list_of(source, tensor->datatype);
    if (source->has_raw_data)
        listed = (struct listed){source->raw_data.data, source->raw_data.len / element, element};
    if (listed.count != tensor->count || (source->has_raw_data && source->raw_data.len % element))
        return count_fault(source, arena, tensor, listed.count);

    tensor->size = tensor->count * element; /* cannot overflow, because the message has at least as many bytes */
    if (listed.stride == element && tensor->datatype != DATATYPE_BOOL) {
        tensor->data = listed.data;
        return STATUS_IS_OK;
    }
    char *data = arena_alloc(arena, tensor->size);
    NEED(data);
    for (size_t i = 0; i < tensor->count; i++)
        memcpy(data + i * element, (const char *)listed.data + i * listed.stride, element);
    for (size_t i = 0; i < tensor->count && tensor->datatype == DATATYPE_BOOL; i++)
        data[i] = data[i] != 0;
    tensor->data = data;
    return STATUS_IS_OK;
}

struct status weights_read(const Onnx__TensorProto *source, struct arena *arena, struct tensor *tensor)
{
    const char *name = str_printable(arena, str_of(source->name));
    *tensor = (struct tensor){.name = str_of(source->name),
                              .datatype = datatype_of_onnx(source->data_type),
                              .shape = source->dims,
                              .rank = source->n_dims};
    if (tensor->datatype == DATATYPE_NONE)
        return status_unsupported(arena, "initializer '%s' is of type %d, which is not supported", name,
                                  source->data_type);
    const bool is_outside =
        source->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL || source->n_external_data;
    if (is_outside || source->segment)
        return status_unsupported(arena, "initializer '%s' %s, which is not supported", name,
                                  is_outside ? "keeps its data in another file" : "comes in segments");
    if (tensor->rank > TENSOR_RANK_MAX || !shape_count(tensor->shape, tensor->rank, &tensor->count))
        return status_invalid(arena, "initializer '%s' has an impossible shape", name);
    return tensor->datatype == DATATYPE_BYTES ? read_strings(source, arena, tensor) : read_data(source, arena, tensor);
}
