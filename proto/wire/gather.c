/* The top level is walked twice. The first pass only skips from field to field and adds up the sizes; the second
 * copies. Bytes are read across the borders of slices, so no field must be copied to be read. A short message, which is
 * mostly in one piece, is walked without looking for borders. */
#include "wire/gather.h"
#include "wire/field.h"

#define ALIGNMENT 64
#define SHORT     ((size_t)4096) /* a message that may be kept until its call is over */

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
static void take_across(struct slices *from, char *to, size_t size)
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

/* Does the same, mostly within a slice. */
static inline void take(struct slices *from, char *to, size_t size)
{
    if (size >= from->slice->size - from->at) {
        take_across(from, to, size);
        return;
    }
    if (to)
        memcpy(to, from->slice->data + from->at, size);
    from->at += size;
    from->left -= size;
}

/* Takes one byte; the caller has checked that it exists. The first case is rare: the byte is the last of its slice. */
static unsigned char take_byte(struct slices *from)
{
    if (from->slice->size - from->at < 2) {
        char byte;
        take(from, &byte, 1);
        return (unsigned char)byte;
    }
    from->left--;
    return (unsigned char)from->slice->data[from->at++];
}

/* Returns NULL, or what is wrong. */
static const char *take_varint(struct slices *from, unsigned bytes_max, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 7 * bytes_max; shift += 7) {
        if (from->left == 0)
            return "truncated varint";
        unsigned char byte = take_byte(from);
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return NULL;
    }
    return "varint too long";
}

/* Takes the head of a field: its tag, and a length or a varint value. *size gets the bytes of its body, which are not
 * taken yet. Returns NULL, or what is wrong. */
static const char *take_any_head(struct slices *from, uint64_t *tag, uint64_t *size)
{
    uint64_t value;
    *size = 0;
    const char *wrong = take_varint(from, HEAD_BYTES_MAX, tag);
    if (wrong)
        return wrong;
    if (*tag >> 3 == 0 || *tag >> 32)
        return "field number out of range";
    switch (*tag & 7) {
    case WIRE_VARINT:
        return take_varint(from, VALUE_BYTES_MAX, &value);
    case WIRE_FIXED64:
        *size = 8;
        break;
    case WIRE_FIXED32:
        *size = 4;
        break;
    case WIRE_BYTES:
        wrong = take_varint(from, HEAD_BYTES_MAX, size);
        break;
    default:
        return "group or unknown wire type";
    }
    return wrong ? wrong : *size > from->left ? "length runs over the end" : NULL;
}

/* Does the same, for most fields in place: a tag of one byte, a length of one byte, and neither ends its slice. */
static inline const char *take_head(struct slices *from, uint64_t *tag, uint64_t *size)
{
    if (from->slice->size - from->at < 3)
        return take_any_head(from, tag, size);
    const unsigned char *at = (const unsigned char *)from->slice->data + from->at;
    if (at[0] < 8 || (at[0] & 0x87) != WIRE_BYTES || at[1] >= 0x80 || at[1] > from->left - 2)
        return take_any_head(from, tag, size);
    *tag = at[0];
    *size = at[1];
    from->at += 2;
    from->left -= 2;
    return NULL;
}

/* Says whether a value, which was not taken yet, stands aligned in one slice. */
static bool is_in_place(const struct slices *from, uint64_t size)
{
    return size > 0 && size <= from->slice->size - from->at &&
           ((uintptr_t)from->slice->data + from->at) % ALIGNMENT == 0;
}

static size_t aligned_size(uint64_t size)
{
    return (size_t)(size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

/* Does the work of wire_gather for a short message in one piece whose values stand behind all other fields, as encoders
 * write them, none of them aligned: it is walked once, and again from the first value, and the rest stays. Returns
 * false if it is another message, or if something is wrong. */
static bool gather_short(struct str message, uint32_t field, struct arena *arena, struct wire_parts *parts)
{
    struct wire_cursor at = wire_begin(message);
    struct wire_field next;
    const char *first = NULL; /* where the first value begins, with its tag */
    size_t size = 0;
    for (const char *start = at.at; wire_next(&at, &next); start = at.at) {
        bool is_value = next.number == field && next.type == WIRE_BYTES;
        bool may_stay = (uintptr_t)next.bytes.data % ALIGNMENT == 0;
        if (is_value ? may_stay : first != NULL)
            return false;
        if (!is_value)
            continue;
        first = first ? first : start;
        size += aligned_size(next.bytes.size);
        parts->count++;
    }
    first = first ? first : at.at;
    parts->values = arena_alloc(arena, parts->count * sizeof(*parts->values));
    char *value = arena_alloc(arena, size + ALIGNMENT - 1);
    if (at.fault || !parts->values || !value)
        return false;
    value += -(uintptr_t)value & (ALIGNMENT - 1);
    parts->rest = (struct str){message.data, (size_t)(first - message.data)};
    parts->rest_stays = true;
    at = wire_begin(str_from(message, parts->rest.size));
    for (struct str *to = parts->values; wire_next(&at, &next); value += aligned_size(next.bytes.size))
        *to++ = (struct str){memcpy(value, next.bytes.data, next.bytes.size), next.bytes.size};
    return true;
}

struct status wire_gather(const struct str *slices, size_t slice_count, uint32_t field, bool may_stay,
                          struct arena *arena, struct wire_parts *parts)
{
    *parts = (struct wire_parts){0};
    if (may_stay && slice_count == 1 && slices->size <= SHORT && gather_short(*slices, field, arena, parts))
        return STATUS_IS_OK;
    *parts = (struct wire_parts){0};
    struct slices from = slices_begin(slices, slice_count);
    uint64_t all = from.left;
    uint64_t value_tag = (uint64_t)field << 3 | WIRE_BYTES, tag, size;
    size_t values_size = 0, rest_size = 0;
    while (from.left > 0) {
        uint64_t start = from.left;
        const char *wrong = take_head(&from, &tag, &size);
        if (wrong)
            return status_error(arena, STATUS_INVALID_ARGUMENT, "malformed protobuf message: %s near byte %llu", wrong,
                                (unsigned long long)(all - from.left));
        bool stays = may_stay && is_in_place(&from, size);
        take(&from, NULL, (size_t)size);
        if (tag == value_tag) {
            parts->count++;
            parts->staying += stays;
            values_size += stays ? 0 : aligned_size(size);
        } else {
            rest_size += (size_t)(start - from.left);
        }
    }
    char *rest = arena_alloc(arena, rest_size);
    char *value = arena_alloc(arena, values_size + ALIGNMENT - 1);
    parts->values = arena_alloc_zero(arena, parts->count, sizeof *parts->values);
    if (!rest || !value || !parts->values)
        return status_no_memory();
    value += -(uintptr_t)value & (ALIGNMENT - 1);
    parts->rest = (struct str){rest, rest_size};

    struct slices run = slices_begin(slices, slice_count); /* other fields, up to the next value */
    from = run;
    for (size_t i = 0; i < parts->count;) {
        uint64_t start = from.left;
        take_head(&from, &tag, &size);
        if (tag != value_tag) {
            take(&from, NULL, (size_t)size);
            continue;
        }
        bool stays = may_stay && is_in_place(&from, size);
        parts->values[i++] = (struct str){stays ? from.slice->data + from.at : value, (size_t)size};
        take(&from, stays ? NULL : value, (size_t)size);
        value += stays ? 0 : aligned_size(size);
        size_t others = (size_t)(run.left - start);
        take(&run, rest, others);
        rest += others;
        run = from;
    }
    if (run.left > 0)
        take(&run, rest, (size_t)run.left);
    return STATUS_IS_OK;
}

size_t wire_first_value(struct str start, uint32_t field)
{
    struct slices from = slices_begin(&start, 1);
    uint64_t tag = 0, size = 0;
    for (const char *wrong = NULL; !wrong && from.left > 0; tag = 0) {
        wrong = take_head(&from, &tag, &size); /* the value itself may run over the end */
        if (tag == ((uint64_t)field << 3 | WIRE_BYTES))
            return start.size - from.left;
        if (!wrong)
            take(&from, NULL, (size_t)size);
    }
    return 0;
}
