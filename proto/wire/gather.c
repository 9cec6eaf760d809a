/* The top level is walked twice. The first pass only skips from field to field and adds up the sizes; the second
 * copies. Bytes are read across the borders of slices, so no field must be copied to be read. */
#include "wire/gather.h"
#include "wire/field.h"

#define ALIGNMENT 64

struct slices {
    const struct str *slice; /* the current one */
    size_t count;            /* slices that are left, with the current one */
    size_t at;               /* offset in the current slice */
    uint64_t left;           /* bytes that are left in all slices */
};

static struct slices slices_begin(const struct str *slices, size_t count)
{
    struct slices from = {slices, count, 0, 0};
    for (size_t i = 0; i < count; i++)
        from.left += slices[i].size;
    return from;
}

/* Copies `size` bytes to `to`, or skips them if `to` is NULL. The caller has checked that they exist. */
static void take(struct slices *from, char *to, size_t size)
{
    from->left -= size;
    while (size > 0) {
        size_t here = from->slice->size - from->at;
        size_t part = size < here ? size : here;
        if (to && part) {
            memcpy(to, from->slice->data + from->at, part);
            to += part;
        }
        from->at += part;
        size -= part;
        if (from->at == from->slice->size && from->count > 1) {
            from->slice++;
            from->count--;
            from->at = 0;
        }
    }
}

/* Copies one byte; the caller has checked that it exists. The first case is rare: the byte is the last of its slice. */
static void take_byte(struct slices *from, char *to)
{
    if (from->slice->size - from->at < 2) {
        take(from, to, 1);
        return;
    }
    *to = from->slice->data[from->at++];
    from->left--;
}

/* A varint, with its bytes as they came. take_varint returns NULL, or what is wrong. */
struct varint {
    uint64_t value;
    char bytes[10];
    size_t size;
};

static const char *take_varint(struct slices *from, size_t bytes_max, struct varint *varint)
{
    *varint = (struct varint){0};
    while (varint->size < bytes_max) {
        if (from->left == 0)
            return "truncated varint";
        char *byte = &varint->bytes[varint->size];
        take_byte(from, byte);
        varint->value |= (uint64_t)(*byte & 0x7f) << 7 * varint->size++;
        if (!(*byte & 0x80))
            return NULL;
    }
    return "varint too long";
}

/* One field of the top level: its head (a tag, and a length or a varint value), and `size` bytes of body that are not
 * taken yet. */
struct field {
    struct varint tag, length;
    uint64_t size;
};

static const char *take_head(struct slices *from, struct field *field)
{
    field->length = (struct varint){0};
    field->size = 0;
    const char *wrong = take_varint(from, HEAD_BYTES_MAX, &field->tag);
    if (wrong)
        return wrong;
    if (field->tag.value >> 3 == 0 || field->tag.value >> 32)
        return "field number out of range";
    switch (field->tag.value & 7) {
    case WIRE_VARINT:
        return take_varint(from, VALUE_BYTES_MAX, &field->length);
    case WIRE_FIXED64:
        field->size = 8;
        break;
    case WIRE_FIXED32:
        field->size = 4;
        break;
    case WIRE_BYTES:
        wrong = take_varint(from, HEAD_BYTES_MAX, &field->length);
        field->size = field->length.value;
        break;
    default:
        return "group or unknown wire type";
    }
    return wrong ? wrong : field->size > from->left ? "length runs over the end" : NULL;
}

static bool is_value(const struct field *field, uint32_t number)
{
    return field->tag.value == ((uint64_t)number << 3 | WIRE_BYTES);
}

static size_t aligned_size(uint64_t size)
{
    return (size_t)(size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

struct status wire_gather(const struct str *slices, size_t slice_count, uint32_t field_number, struct arena *arena,
                          struct wire_parts *parts)
{
    *parts = (struct wire_parts){0};
    struct slices from = slices_begin(slices, slice_count);
    uint64_t all = from.left;
    size_t values_size = 0, rest_size = 0;
    struct field field;
    while (from.left > 0) {
        const char *wrong = take_head(&from, &field);
        if (wrong)
            return status_error(arena, STATUS_INVALID_ARGUMENT, "malformed protobuf message: %s near byte %llu", wrong,
                                (unsigned long long)(all - from.left));
        take(&from, NULL, (size_t)field.size);
        if (is_value(&field, field_number)) {
            parts->count++;
            values_size += aligned_size(field.size);
        } else {
            rest_size += field.tag.size + field.length.size + (size_t)field.size;
        }
    }
    char *rest = arena_alloc(arena, rest_size);
    char *value = arena_alloc(arena, values_size + ALIGNMENT - 1);
    parts->values = arena_alloc_zero(arena, parts->count, sizeof *parts->values);
    if (!rest || !value || !parts->values)
        return status_no_memory();
    value += -(uintptr_t)value & (ALIGNMENT - 1);
    parts->rest = (struct str){rest, rest_size};

    from = slices_begin(slices, slice_count);
    for (size_t i = 0; from.left > 0;) {
        take_head(&from, &field);
        if (is_value(&field, field_number)) {
            parts->values[i++] = (struct str){value, (size_t)field.size};
            take(&from, value, (size_t)field.size);
            value += aligned_size(field.size);
        } else {
            memcpy(rest, field.tag.bytes, field.tag.size);
            memcpy(rest + field.tag.size, field.length.bytes, field.length.size);
            rest += field.tag.size + field.length.size;
            take(&from, rest, (size_t)field.size);
            rest += field.size;
        }
    }
    return STATUS_IS_OK;
}
