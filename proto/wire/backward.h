/* Writes a message from its end to its start. So the size of a nested message is known when its head is written:
 * nothing is measured before, and nothing moves afterwards. The caller writes the fields in reverse order:
 *
 *     struct wire_backward out = wire_backward_begin(arena, 256);
 *     size_t end = wire_backward_size(&out);
 *     wire_backward_text(&out, 2, datatype);
 *     wire_backward_text(&out, 1, name);
 *     wire_backward_nest(&out, 5, end);    // the nested message in field 5 is what was written since `end`
 *     struct str message = wire_backward_end(&out); */
#pragma once

#include "wire/wire.h"

struct wire_backward {
    struct arena *arena;
    char *start, *at, *end; /* free room, then what is written */
    bool failed;            /* the arena is exhausted; nothing more is written */
};

/* `size` bytes are expected; if there are more, the memory grows and what is written is copied. */
struct wire_backward wire_backward_begin(struct arena *arena, size_t size);

/* Returns the message, in the arena; null data if the arena was exhausted. */
struct str wire_backward_end(const struct wire_backward *out);

static inline size_t wire_backward_size(const struct wire_backward *out)
{
    return (size_t)(out->end - out->at);
}

/* Does the work of wire_backward_bytes unless there is room, and the head of the field has two bytes. */
void wire_backward_any_bytes(struct wire_backward *out, uint32_t number, struct str bytes);

/* Writes one of repeated bytes. */
static inline void wire_backward_bytes(struct wire_backward *out, uint32_t number, struct str bytes)
{
    bool is_short = bytes.size > 0 && bytes.size < 0x80 && number < 16;
    if (!is_short || (size_t)(out->at - out->start) < bytes.size + 2) {
        wire_backward_any_bytes(out, number, bytes);
        return;
    }
    out->at -= bytes.size + 2;
    out->at[0] = (char)(number << 3 | WIRE_BYTES);
    out->at[1] = (char)bytes.size;
    memcpy(out->at + 2, bytes.data, bytes.size);
}

/* Write a repeated int64, packed, and a message of protobuf-c. */
void wire_backward_int64s(struct wire_backward *out, uint32_t number, const int64_t *list, size_t count);
void wire_backward_message(struct wire_backward *out, uint32_t number, const ProtobufCMessage *message);

/* Writes a singular string, which proto3 leaves out if it is empty. */
static inline void wire_backward_text(struct wire_backward *out, uint32_t number, struct str text)
{
    if (text.size > 0)
        wire_backward_bytes(out, number, text);
}

/* Makes a nested message of what was written since the size was `end`. */
void wire_backward_nest(struct wire_backward *out, uint32_t number, size_t end);
