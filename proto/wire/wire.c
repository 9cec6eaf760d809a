#include "wire/wire.h"
#include "wire/field.h"

#define FIELD_NUMBER_MAX ((1u << 29) - 1)

/* Nothing is read after a fault. */
static bool fault(struct wire_cursor *cursor, const char *what)
{
    cursor->fault = what;
    cursor->end = cursor->at;
    return false;
}

static bool read_varint(struct wire_cursor *cursor, unsigned bytes_max, uint64_t *value)
{
    const unsigned char *at = (const unsigned char *)cursor->at, *end = (const unsigned char *)cursor->end;
    uint64_t sum = 0;
    for (unsigned shift = 0; shift < 7 * bytes_max; shift += 7) {
        if (at == end)
            return fault(cursor, "truncated varint");
        sum |= (uint64_t)(*at & 0x7f) << shift;
        if (*at++ < 0x80) {
            *value = sum;
            cursor->at = (const char *)at;
            return true;
        }
    }
    return fault(cursor,
                 bytes_max == VALUE_BYTES_MAX ? "varint longer than 10 bytes" : "tag or length longer than 5 bytes");
}

static bool read_fixed(struct wire_cursor *cursor, size_t size, uint64_t *value)
{
    if ((size_t)(cursor->end - cursor->at) < size)
        return fault(cursor, "truncated fixed-size value");
    *value = 0;
    memcpy(value, cursor->at, size);
    cursor->at += size;
    return true;
}

static bool read_bytes(struct wire_cursor *cursor, struct str *bytes)
{
    const char *tag_end = cursor->at;
    uint64_t size;
    if (!read_varint(cursor, HEAD_BYTES_MAX, &size))
        return false;
    if (size > (uint64_t)(cursor->end - cursor->at)) {
        cursor->at = tag_end;
        return fault(cursor, "length runs over the end");
    }
    *bytes = (struct str){cursor->at, (size_t)size};
    cursor->at += size;
    return true;
}

bool wire_next_of_any(struct wire_cursor *cursor, struct wire_field *field)
{
    if (cursor->fault || cursor->at == cursor->end)
        return false;
    const char *start = cursor->at;
    uint64_t tag;
    if (!read_varint(cursor, HEAD_BYTES_MAX, &tag))
        return false;
    *field = (struct wire_field){.number = (uint32_t)(tag >> 3), .type = (enum wire_type)(tag & 7)};
    if (tag >> 3 == 0 || tag >> 3 > FIELD_NUMBER_MAX) {
        cursor->at = start;
        return fault(cursor, tag >> 3 == 0 ? "field number 0" : "field number above 2^29-1");
    }
    switch (tag & 7) {
    case WIRE_VARINT:
        return read_varint(cursor, VALUE_BYTES_MAX, &field->value);
    case WIRE_FIXED64:
        return read_fixed(cursor, 8, &field->value);
    case WIRE_BYTES:
        return read_bytes(cursor, &field->bytes);
    case WIRE_FIXED32:
        return read_fixed(cursor, 4, &field->value);
    default:
        cursor->at = start;
        return fault(cursor, (tag & 7) < 5 ? "group" : "unknown wire type");
    }
}

bool wire_next_packed_of_any(struct wire_cursor *cursor, enum wire_type type, uint64_t *value)
{
    return type == WIRE_VARINT ? read_varint(cursor, VALUE_BYTES_MAX, value)
                               : read_fixed(cursor, type == WIRE_FIXED64 ? 8 : 4, value);
}

size_t wire_put_varint(char *to, uint64_t value)
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        to[size++] = (char)(value | 0x80);
    to[size++] = (char)value;
    return size;
}

struct str wire_head(uint32_t number, size_t size, char room[WIRE_HEAD_MAX])
{
    size_t tag = wire_put_varint(room, (uint64_t)number << 3 | WIRE_BYTES);
    return (struct str){room, tag + wire_put_varint(room + tag, size)};
}

void wire_write_varint(struct buf *out, uint64_t value)
{
    char bytes[10];
    buf_append(out, bytes, wire_put_varint(bytes, value));
}

void wire_write_tag(struct buf *out, uint32_t number, enum wire_type type)
{
    wire_write_varint(out, (uint64_t)number << 3 | type);
}

void wire_write_bytes(struct buf *out, uint32_t number, struct str bytes)
{
    wire_write_tag(out, number, WIRE_BYTES);
    wire_write_varint(out, bytes.size);
    buf_append_str(out, bytes);
}
