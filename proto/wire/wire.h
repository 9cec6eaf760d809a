/* proto/wire/ reads and writes the wire format of protobuf (proto3 encoding). It may include base/, json/ and tree/ and
 * nothing else.
 *
 * The walker reads a message field by field, without copying. It is safe for hostile bytes.
 *
 *     struct wire_cursor at = wire_begin(message);
 *     while (wire_next(&at, &field)) switch (field.number) ...
 *     if (at.fault) ... */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"
#include <protobuf-c/protobuf-c.h>
#include <stdint.h>

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct wire_field {
    uint32_t number;
    enum wire_type type;
    uint64_t value;   /* of a varint, fixed64 or fixed32 */
    struct str bytes; /* of WIRE_BYTES; points into the message */
};

struct wire_cursor {
    const char *start, *at, *end;
    const char *fault; /* NULL, or what is wrong at `at`: "truncated varint", "group", "field number 0", ... */
};

static inline struct wire_cursor wire_begin(struct str message)
{
    const char *start = message.data ? message.data : "";
    return (struct wire_cursor){start, start, start + message.size, NULL};
}

/* Does the work of wire_next for all but the most frequent field. */
bool wire_next_of_any(struct wire_cursor *cursor, struct wire_field *field);

/* Reads the next field. Returns false at the end or at a fault. Faults are groups, the field number 0, numbers above
 * 2^29-1, varints longer than 10 bytes (tags and lengths: 5 bytes), and lengths that run over the end. */
static inline bool wire_next(struct wire_cursor *cursor, struct wire_field *field)
{
    /* Most fields have a number from 1 to 15 and hold less than 128 bytes: one byte of tag and one of length. */
    size_t left = (size_t)(cursor->end - cursor->at);
    if (left == 0)
        return false; /* also after a fault */
    const unsigned char *at = (const unsigned char *)cursor->at;
    unsigned head = left < 2 ? 0 : at[0] | (unsigned)at[1] << 8, size = head >> 8;
    if ((head & 0x8087) != WIRE_BYTES || (head & 0x78) == 0 || size > left - 2) {
        /* Only these copies have an address, so that the compiler can keep the others in registers. */
        struct wire_cursor moving = *cursor;
        struct wire_field any;
        bool is_read = wire_next_of_any(&moving, &any);
        *cursor = moving;
        *field = any;
        return is_read;
    }
    *field = (struct wire_field){(head & 0x78) >> 3, WIRE_BYTES, 0, {cursor->at + 2, size}};
    cursor->at += 2 + size;
    return true;
}

/* Writes `value` as a varint to `to`, which has room for 10 bytes. Returns how many bytes it took. */
size_t wire_put_varint(char *to, uint64_t value);

#define WIRE_HEAD_MAX 15 /* bytes: of a tag, and of a length */

/* Returns the tag and the length that stand before the `size` bytes of a field, in `room`. */
struct str wire_head(uint32_t number, size_t size, char room[WIRE_HEAD_MAX]);

void wire_write_varint(struct buf *out, uint64_t value);
void wire_write_tag(struct buf *out, uint32_t number, enum wire_type type);
void wire_write_bytes(struct buf *out, uint32_t number, struct str bytes);
