/* The top level is walked twice. The first pass adds up the sizes; the second copies. */
#include "wire/gather.h"

#define ALIGNMENT 64
#define SHORT     ((size_t)4096) /* a message that may be kept until its call is over */
#define TAG_ROOM  10             /* bytes that wire_put_varint may write */

static bool is_value(const struct wire_field *next, uint32_t field)
{
    return next->number == field && next->type == WIRE_BYTES;
}

static bool is_aligned(struct str value)
{
    return value.size > 0 && (uintptr_t)value.data % ALIGNMENT == 0;
}

static size_t aligned_size(size_t size)
{
    return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

/* What has to be copied. */
struct sizes {
    size_t values, rest;
};

/* Counts the values, and finds out what may stay and what must be copied. */
static struct status measure(struct str message, uint32_t field, bool may_stay, struct arena *arena,
                             struct wire_parts *parts, struct sizes *sizes)
{
    struct wire_cursor at = wire_begin(message);
    struct wire_field next;
    parts->rest_stays = may_stay && message.size <= SHORT;
    for (const char *start = at.at; wire_next(&at, &next); start = at.at) {
        bool stays = may_stay && is_aligned(next.bytes);
        if (is_value(&next, field)) {
            parts->count++;
            parts->staying += stays;
            sizes->values += stays ? 0 : aligned_size(next.bytes.size);
        } else {
            parts->rest_stays &= parts->count == 0; /* encoders write the values after all other fields */
            sizes->rest += (size_t)(at.at - start);
        }
    }
    return at.fault ? status_invalid(arena, "malformed protobuf message: %s near byte %zu", at.fault,
                                     (size_t)(at.at - at.start))
                    : STATUS_IS_OK;
}

struct status wire_gather(struct str message, uint32_t field, bool may_stay, struct arena *arena,
                          struct wire_parts *parts)
{
    struct sizes sizes = {0};
    *parts = (struct wire_parts){0};
    TRY(measure(message, field, may_stay, arena, parts, &sizes));
    char *value = arena_alloc(arena, sizes.values + ALIGNMENT - 1);
    char *rest = parts->rest_stays ? NULL : arena_alloc(arena, sizes.rest);
    struct str *list = parts->values = arena_alloc(arena, parts->count * sizeof(*parts->values));
    if (!value || !list || (!rest && !parts->rest_stays))
        return status_no_memory();
    value += -(uintptr_t)value & (ALIGNMENT - 1);
    parts->rest = (struct str){rest ? rest : message.data, sizes.rest};

    struct wire_cursor at = wire_begin(message);
    struct wire_field next;
    const char *run = at.at; /* other fields, up to the next value */
    for (const char *start = at.at; wire_next(&at, &next); start = at.at) {
        if (!is_value(&next, field))
            continue;
        bool stays = may_stay && is_aligned(next.bytes);
        *list++ =
            (struct str){stays ? next.bytes.data : memcpy(value, next.bytes.data, next.bytes.size), next.bytes.size};
        value += stays ? 0 : aligned_size(next.bytes.size);
        rest = rest ? mempcpy(rest, run, (size_t)(start - run)) : NULL;
        run = at.at;
    }
    if (rest)
        memcpy(rest, run, (size_t)(at.end - run));
    return STATUS_IS_OK;
}

size_t wire_first_value(struct str start, uint32_t field)
{
    struct wire_cursor at = wire_begin(start);
    struct wire_field next;
    const char *begins = at.at; /* the field that is not there as a whole */
    for (; wire_next(&at, &next); begins = at.at)
        if (is_value(&next, field))
            return (size_t)(next.bytes.data - at.start);
    char tag[TAG_ROOM];
    size_t tag_size = wire_put_varint(tag, (uint64_t)field << 3 | WIRE_BYTES), offset = (size_t)(begins - at.start);
    if (start.size - offset <= tag_size || memcmp(begins, tag, tag_size) != 0)
        return 0;
    for (offset += tag_size; offset < start.size; offset++)
        if (!(start.data[offset] & 0x80))
            return offset + 1;
    return 0;
}
