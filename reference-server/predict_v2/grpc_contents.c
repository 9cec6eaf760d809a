#include "predict_v2/grpc_contents.h"

#include "base/search.h"
#include "tensor/raw.h"
#include "wire/field.h"
#include "wire/structs.h"

#define FIELD_FP32  6
#define FIELD_FP64  7
#define FIELD_BYTES 8

static enum wire_type element_wire_type(size_t field)
{
    return field == FIELD_FP32 ? WIRE_FIXED32 : field == FIELD_FP64 ? WIRE_FIXED64 : WIRE_VARINT;
}

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

/* Walks the values of one field, packed or not. */
struct elements {
    size_t field;
    struct wire_cursor contents, packed;
};

static struct elements elements_begin(struct str contents, size_t field)
{
    return (struct elements){field, wire_begin(contents), wire_begin((struct str){"", 0})};
}

static bool elements_next(struct elements *elements, uint64_t *value)
{
    while (!wire_next_packed(&elements->packed, element_wire_type(elements->field), value)) {
        struct wire_field field;
        do {
            if (!wire_next(&elements->contents, &field))
                return false;
        } while (field.number != elements->field);
        if (field.type != WIRE_BYTES) {
            *value = field.value;
            return true;
        }
        elements->packed = wire_begin(field.bytes);
    }
    return true;
}

bool contents_misfit(struct str contents, enum datatype datatype, size_t *position, int64_t *value)
{
    static const struct {
        int32_t least, most;
    } ranges[DATATYPE_COUNT] = {
        [DATATYPE_INT8] = {INT8_MIN, INT8_MAX},
        [DATATYPE_INT16] = {INT16_MIN, INT16_MAX},
        [DATATYPE_UINT8] = {0, UINT8_MAX},
        [DATATYPE_UINT16] = {0, UINT16_MAX},
    };
    if (ranges[datatype].most == 0)
        return false;
    bool is_signed = ranges[datatype].least < 0;
    struct elements elements = elements_begin(contents, (size_t)datatype_table[datatype].contents_field);
    uint64_t bits;
    for (*position = 0; elements_next(&elements, &bits); ++*position) {
        *value = is_signed ? (int64_t)(int32_t)bits : (int64_t)(uint32_t)bits;
        if (*value < ranges[datatype].least || *value > ranges[datatype].most)
            return true;
    }
    return false;
}

static char *read_bytes_elements(struct str contents, char *to)
{
    struct wire_cursor at = wire_begin(contents);
    struct wire_field field;
    while (wire_next(&at, &field))
        if (field.number == FIELD_BYTES)
            to = raw_put_bytes(to, field.bytes);
    return to;
}

/* Floats in a packed field have the same bytes as in memory. */
static char *read_floats(struct str contents, size_t number, size_t size, char *to)
{
    struct wire_cursor at = wire_begin(contents);
    struct wire_field field;
    while (wire_next(&at, &field)) {
        if (field.number != number)
            continue;
        bool is_packed = field.type == WIRE_BYTES;
        to =
            mempcpy(to, is_packed ? (const void *)field.bytes.data : &field.value, is_packed ? field.bytes.size : size);
    }
    return to;
}

char *contents_read(struct str contents, enum datatype datatype, char *to)
{
    const struct datatype_row *row = &datatype_table[datatype];
    size_t number = (size_t)row->contents_field, size = row->size;
    if (number == FIELD_BYTES)
        return read_bytes_elements(contents, to);
    if (number == FIELD_FP32 || number == FIELD_FP64)
        return read_floats(contents, number, size, to);
    struct elements elements = elements_begin(contents, number);
    uint64_t value;
    while (elements_next(&elements, &value)) {
        if (datatype == DATATYPE_BOOL)
            value = value != 0;
        to = mempcpy(to, &value, size);
    }
    return to;
}

static struct status bytes_of_tensor(const struct tensor *tensor, struct arena *arena,
                                     V2__InferTensorContents *contents)
{
    ProtobufCBinaryData *list = arena_alloc(arena, tensor->count * sizeof(*list));
    if (!list)
        return status_no_memory();
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
    int32_t *wide = arena_alloc(arena, tensor->count * sizeof(*wide));
    for (size_t i = 0; wide && i < tensor->count; i++) {
        switch (tensor->datatype) {
        case DATATYPE_INT8:
            wide[i] = (int32_t)((const int8_t *)tensor->data)[i];
            break;
        case DATATYPE_INT16:
            wide[i] = ((const int16_t *)tensor->data)[i];
            break;
        case DATATYPE_UINT16:
            wide[i] = ((const uint16_t *)tensor->data)[i];
            break;
        default: /* UINT8 and BOOL */
            wide[i] = ((const uint8_t *)tensor->data)[i];
        }
    }
    return wide;
}

struct status contents_of_tensor(const struct tensor *tensor, struct arena *arena, V2__InferTensorContents **made)
{
    V2__InferTensorContents *contents = structs_new(arena, &v2__infer_tensor_contents__descriptor);
    if (!contents)
        return status_no_memory();
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
