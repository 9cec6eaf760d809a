#include "predict_v2/grpc_contents.h"

#include "base/search.h"
#include "tensor/cast.h"
#include "tensor/raw.h"
#include "wire/field.h"
#include "wire/structs.h"

#define FIELD_FP32  6
#define FIELD_FP64  7
#define FIELD_BYTES 8

static size_t packed_count(size_t field, struct str packed)
{
    if (field == FIELD_FP32 || field == FIELD_FP64)
        return packed.size / (field == FIELD_FP32 ? 4 : 8);
    return SUM(i, packed.size, !(packed.data[i] & 0x80));
}

void contents_count(struct str contents, struct contents_counts *counts)
{
    struct wire_cursor at = wire_begin(contents);
    struct wire_field field;
    while (wire_next(&at, &field)) {
        if (field.number >= CONTENTS_FIELDS)
            continue;
        if (field.number == FIELD_BYTES)
            counts->bytes += field.bytes.size;
        bool is_packed = field.number != FIELD_BYTES && field.type == WIRE_BYTES;
        size_t elements = is_packed ? packed_count(field.number, field.bytes) : 1;
        counts->elements[field.number] += elements;
        counts->all += elements;
    }
}

const char *contents_field_name(size_t field)
{
    return FIRST(type, DATATYPE_COUNT, datatype_table[type].contents_field == (int)field, datatype_table[type].contents,
                 "");
}

/* Notes a value that the datatype cannot hold. */
static void check_range(enum datatype datatype, uint64_t bits, struct contents_misfit *misfit)
{
    static const struct {
        int32_t least, most;
    } ranges[DATATYPE_COUNT] = {
        [DATATYPE_INT8] = {INT8_MIN, INT8_MAX},
        [DATATYPE_INT16] = {INT16_MIN, INT16_MAX},
        [DATATYPE_UINT8] = {0, UINT8_MAX},
        [DATATYPE_UINT16] = {0, UINT16_MAX},
    };
    int64_t value = ranges[datatype].least < 0 ? (int64_t)(int32_t)bits : (int64_t)(uint32_t)bits;
    bool is_wrong = ranges[datatype].most > 0 && (value < ranges[datatype].least || value > ranges[datatype].most);
    if (is_wrong && !misfit->is_found)
        *misfit = (struct contents_misfit){true, misfit->position, value};
    misfit->position += !misfit->is_found;
}

static char *put_integer(enum datatype datatype, uint64_t bits, char *to, struct contents_misfit *misfit)
{
    check_range(datatype, bits, misfit);
    if (datatype == DATATYPE_BOOL)
        bits = bits != 0;
    return mempcpy(to, &bits, datatype_table[datatype].size);
}

/* Floats in a packed field have the same bytes as in memory. */
char *contents_read(struct str contents, enum datatype datatype, char *to, struct contents_misfit *misfit)
{
    const struct datatype_row *row = &datatype_table[datatype];
    bool is_float = row->contents_field == FIELD_FP32 || row->contents_field == FIELD_FP64;
    struct wire_cursor at = wire_begin(contents), packed;
    uint64_t value;
    for (struct wire_field field; wire_next(&at, &field);) {
        if (field.number != (uint32_t)row->contents_field)
            continue;
        if (field.number == FIELD_BYTES)
            to = raw_put_bytes(to, field.bytes);
        else if (is_float && field.type == WIRE_BYTES)
            to = mempcpy(to, field.bytes.data, field.bytes.size);
        else if (is_float)
            to = mempcpy(to, &field.value, row->size);
        else if (field.type != WIRE_BYTES)
            to = put_integer(datatype, field.value, to, misfit);
        else
            for (packed = wire_begin(field.bytes); wire_next_packed(&packed, WIRE_VARINT, &value);)
                to = put_integer(datatype, value, to, misfit);
    }
    return to;
}

static struct status bytes_of_tensor(const struct tensor *tensor, struct arena *arena,
                                     V2__InferTensorContents *contents)
{
    ProtobufCBinaryData *list = arena_alloc(arena, tensor->count * sizeof(*list));
    NEED(list);
    struct str element;
    size_t count = 0;
    for (size_t offset = 0; count < tensor->count && raw_next_bytes(tensor, &offset, &element); count++)
        list[count] = (ProtobufCBinaryData){element.size, (uint8_t *)(uintptr_t)element.data};
    contents->bytes_contents = list;
    contents->n_bytes_contents = count;
    return STATUS_IS_OK;
}

/* Converts elements of one or two bytes to the 32 bits of the schema. */
static void *widened(const struct tensor *tensor, struct arena *arena)
{
    struct tensor wide;
    return tensor_cast(tensor, DATATYPE_INT32, arena, &wide) ? wide.data : NULL;
}

struct status contents_of_tensor(const struct tensor *tensor, struct arena *arena, V2__InferTensorContents **made)
{
    V2__InferTensorContents *contents = structs_new(arena, &v2__infer_tensor_contents__descriptor);
    NEED(contents);
    *made = contents;
    if (tensor->datatype == DATATYPE_BYTES)
        return bytes_of_tensor(tensor, arena, contents);
    void *data = datatype_size(tensor->datatype) < sizeof(int32_t) ? widened(tensor, arena) : tensor->data;
    if (!data)
        return tensor->count ? status_no_memory() : STATUS_IS_OK;

    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(
        contents->base.descriptor, (unsigned int)datatype_table[tensor->datatype].contents_field);
    *(size_t *)((char *)contents + field->quantifier_offset) = tensor->count;
    *(void **)((char *)contents + field->offset) = data;
    return STATUS_IS_OK;
}
