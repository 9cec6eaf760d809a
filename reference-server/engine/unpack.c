/* protobuf-c copies every field of bytes, so a file and its message would take twice the memory of the weights. Here
 * the weights are taken out before it reads: ModelProto.graph, GraphProto.initializer and TensorProto.raw_data are
 * split off the messages in which they stand, and put back into the structs. */
#include "engine/unpack.h"

#include "base/search.h"
#include "engine/pages.h"
#include "wire/message.h"

/* Limits the memory for unpacking. The structs of small nodes are about ten times as large as their encoding. */
#define UNPACK_FACTOR ((size_t)24)
#define UNPACK_BASE   ((size_t)1 << 20)
#define MOVED_AT_ONCE ((size_t)1 << 20)

/* Numbers of fields in onnx.proto. */
enum { MODEL_GRAPH = 7, GRAPH_INITIALIZER = 5, TENSOR_RAW_DATA = 9 };

/* A message without the values of one field, and these; they are in the message. */
struct parts {
    struct str rest;
    struct str *values;
    size_t count;
};

/* Splits a message that wire_check has accepted. Returns false without memory. */
static bool split(struct str message, uint32_t number, struct arena *arena, struct parts *parts)
{
    struct wire_cursor at = wire_begin(message);
    struct wire_field field;
    *parts = (struct parts){0};
    for (const char *start = at.at; wire_next(&at, &field); start = at.at)
        if (field.number == number)
            parts->count++;
        else
            parts->rest.size += (size_t)(at.at - start);
    char *end = arena_alloc(arena, parts->rest.size);
    struct str *value = arena_alloc_zero(arena, parts->count, sizeof(*value));
    parts->rest.data = end;
    parts->values = value;
    if (!end || !value)
        return false;
    at = wire_begin(message);
    for (const char *start = at.at; wire_next(&at, &field); start = at.at)
        if (field.number == number)
            *value++ = field.bytes;
        else
            end = mempcpy(end, start, (size_t)(at.at - start));
    return true;
}

/* The fields of a message that stands several times are those of all of them (protobuf: they are merged). */
static struct str merged(const struct parts *parts, struct arena *arena)
{
    const size_t size = SUM(i, parts->count, parts->values[i].size);
    if (parts->count == 1)
        return parts->values[0];
    char *all = arena_alloc(arena, size), *end = all;
    for (size_t i = 0; all && i < parts->count; i++)
        end = mempcpy(end, parts->values[i].data, parts->values[i].size);
    return (struct str){all, all ? size : 0};
}

static void *allocate_in_arena(void *arena, size_t size)
{
    return arena_alloc(arena, size);
}

static void leave_to_arena(void *, void *)
{
}

static void *unpack(const ProtobufCMessageDescriptor *type, struct str message, struct arena *memory)
{
    ProtobufCAllocator allocator = {allocate_in_arena, leave_to_arena, memory};
    return protobuf_c_message_unpack(type, &allocator, message.size, (const uint8_t *)message.data);
}

/* Moves the data of a tensor: part by part, whose pages in the message are given back. So it is never there twice. */
static bool move_data(struct str data, struct arena *memory, Onnx__TensorProto *tensor)
{
    uint8_t *moved = arena_alloc(memory, data.size);
    if (!moved)
        return false;
    for (size_t at = 0; at < data.size; at += MOVED_AT_ONCE) {
        size_t size = data.size - at < MOVED_AT_ONCE ? data.size - at : MOVED_AT_ONCE;
        memcpy(moved + at, data.data + at, size);
        pages_give_back(data.data + at, size);
    }
    tensor->has_raw_data = true;
    tensor->raw_data = (ProtobufCBinaryData){data.size, moved};
    return true;
}

static Onnx__TensorProto *unpack_tensor(struct str message, struct arena *memory)
{
    struct arena scratch = arena_new(ARENA_NO_BUDGET);
    struct parts parts;
    Onnx__TensorProto *tensor = split(message, TENSOR_RAW_DATA, &scratch, &parts)
                                    ? unpack(&onnx__tensor_proto__descriptor, parts.rest, memory)
                                    : NULL;
    if (tensor && parts.count && !move_data(parts.values[parts.count - 1], memory, tensor))
        tensor = NULL;
    arena_free(&scratch);
    return tensor;
}

static Onnx__GraphProto *unpack_graph(struct str message, struct arena *memory, struct arena *scratch)
{
    struct parts parts;
    Onnx__GraphProto *graph = split(message, GRAPH_INITIALIZER, scratch, &parts)
                                  ? unpack(&onnx__graph_proto__descriptor, parts.rest, memory)
                                  : NULL;
    Onnx__TensorProto **tensors = graph ? arena_alloc_zero(memory, parts.count, sizeof(*tensors)) : NULL;
    if (!tensors)
        return NULL;
    graph->n_initializer = parts.count;
    graph->initializer = tensors;
    for (size_t i = 0; i < parts.count; i++) {
        tensors[i] = unpack_tensor(parts.values[i], memory);
        if (!tensors[i])
            return NULL;
    }
    return graph;
}

struct status unpack_model(struct str onnx, struct arena *memory, struct arena *scratch, Onnx__ModelProto **model)
{
    struct status status = wire_check(&onnx__model_proto__descriptor, onnx, scratch);
    if (!is_ok(status))
        return status_invalid(scratch, "it is not an ONNX model: %.*s", STR_ARG(status.message));
    size_t budget;
    if (__builtin_mul_overflow(onnx.size, UNPACK_FACTOR, &budget) ||
        __builtin_add_overflow(budget, UNPACK_BASE, &budget))
        budget = SIZE_MAX;
    *memory = arena_new(budget);
    struct parts parts;
    *model =
        split(onnx, MODEL_GRAPH, scratch, &parts) ? unpack(&onnx__model_proto__descriptor, parts.rest, memory) : NULL;
    if (*model && parts.count) {
        struct str graph = merged(&parts, scratch);
        (*model)->graph = graph.data ? unpack_graph(graph, memory, scratch) : NULL;
        if (!(*model)->graph)
            *model = NULL;
    }
    if (!*model) /* it is well-formed, so the memory was not enough */
        return status_error(scratch, STATUS_RESOURCE_EXHAUSTED, "it is too large when unpacked, or memory is short");
    memory->budget = memory->left = ARENA_NO_BUDGET;
    return STATUS_IS_OK;
}
