/* Tensors of a request (004, "Tensor"). Data is used where it lies in the body, unless it is less aligned than its
 * elements: original writers align all data to 4 bytes only. */
#include "graphpipe/graphpipe_call.h"

#include "tensor/raw.h"

#define SHOWN(call, tensor) str_printable((call)->arena, (tensor)->name)

/* graphpipe.type-known graphpipe.type-null */
static struct status read_type(const struct graphpipe_call *call, uint64_t type, struct tensor *tensor)
{
    tensor->datatype = graphpipe_datatype(type);
    if (tensor->datatype != DATATYPE_NONE)
        return STATUS_IS_OK;
    bool is_null = type == GRAPHPIPE_NULL;
    return status_breaks(call->arena, is_null ? "type-null" : "type-known", "input '%s' has the type %d%s",
                         SHOWN(call, tensor), (int)type,
                         is_null ? " (Null): its elements are unknown" : ", which 004 does not know");
}

static struct status read_shape(struct graphpipe_call *call, struct flat_list list, struct tensor *tensor)
{
    if (list.count > TENSOR_RANK_MAX)
        return status_error(call->arena, STATUS_RESOURCE_EXHAUSTED,
                            "input '%s' has %zu dimensions; this server takes %d", SHOWN(call, tensor), list.count,
                            TENSOR_RANK_MAX);
    int64_t *shape = arena_alloc(call->arena, list.count * sizeof(*shape));
    NEED(shape);
    for (size_t i = 0; i < list.count; i++)
        shape[i] = flat_list_int64(&list, i);
    tensor->shape = shape;
    tensor->rank = list.count;
    return STATUS_IS_OK;
}

/* graphpipe.data-count */
static struct status read_numbers(struct graphpipe_call *call, struct flat_list data, struct tensor *tensor)
{
    size_t size = datatype_size(tensor->datatype);
    if (data.count % size != 0)
        return status_breaks(call->arena, "data-count",
                             "input '%s' has %zu bytes of data, which are no whole number of %s", SHOWN(call, tensor),
                             data.count, graphpipe_types.names[graphpipe_type(tensor->datatype)]);
    tensor->count = data.count / size;
    tensor->size = tensor->count * size;
    struct str bytes = {(const char *)data.elements, tensor->size};
    bool is_aligned = raw_align(&bytes, size, call->arena);
    tensor->data = (void *)(uintptr_t)bytes.data;
    return is_aligned ? STATUS_IS_OK : status_no_memory();
}

static struct status read_strings(struct graphpipe_call *call, struct flat_reader *reader, struct flat_list list,
                                  struct tensor *tensor)
{
    struct str *strings = arena_alloc_zero(call->arena, list.count, sizeof(*strings));
    NEED(strings);
    for (size_t i = 0; i < list.count; i++)
        strings[i] = flat_list_string(reader, &list, i);
    tensor->count = list.count;
    return raw_join_bytes(strings, list.count, call->arena, tensor) ? STATUS_IS_OK : status_no_memory();
}

/* graphpipe.one-data */
static struct status check_one_form(const struct graphpipe_call *call, const struct tensor *tensor, bool has_other)
{
    if (!has_other || call->service->is_lenient)
        return STATUS_IS_OK;
    bool is_text = tensor->datatype == DATATYPE_BYTES;
    return status_breaks(call->arena, "one-data", "input '%s' is %s, so its %s must be empty", SHOWN(call, tensor),
                         graphpipe_types.names[graphpipe_type(tensor->datatype)], is_text ? "data" : "string_val");
}

/* An absent list is an empty one. */
struct status graphpipe_read_tensor(struct graphpipe_call *call, struct flat_reader *reader,
                                    const struct flat_object *object, struct tensor *tensor)
{
    struct flat_list data = flat_list(reader, object, TENSOR_DATA, 1);
    struct flat_list strings = flat_list(reader, object, TENSOR_STRING_VAL, 4);
    TRY(read_type(call, flat_scalar(reader, object, TENSOR_TYPE, 1, NULL), tensor));
    bool is_text = tensor->datatype == DATATYPE_BYTES;
    TRY(read_shape(call, flat_list(reader, object, TENSOR_SHAPE, sizeof(int64_t)), tensor));
    TRY(check_one_form(call, tensor, is_text ? data.count > 0 : strings.count > 0));
    return is_text ? read_strings(call, reader, strings, tensor) : read_numbers(call, data, tensor);
}
