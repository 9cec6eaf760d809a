#include "wire/backward.h"

#define VARINT_MAX 10

struct wire_backward wire_backward_begin(struct arena *arena, size_t size)
{
    char *start = arena_alloc(arena, size);
    char *end = start ? start + size : NULL;
    return (struct wire_backward){arena, start, end, end, !start};
}

struct str wire_backward_end(const struct wire_backward *out)
{
    return out->failed ? (struct str){0} : (struct str){out->at, wire_backward_size(out)};
}

/* Moves what is written to the end of a larger piece of memory. */
static bool grow(struct wire_backward *out, size_t size)
{
    size_t written = wire_backward_size(out), capacity;
    if (out->failed)
        return false;
    out->failed = __builtin_add_overflow(2 * written, size, &capacity);
    char *start = out->failed ? NULL : arena_alloc(out->arena, capacity);
    out->failed = !start;
    if (out->failed)
        return false;
    char *end = start + capacity;
    if (out->at)
        memcpy(end - written, out->at, written);
    out->start = start;
    out->at = end - written;
    out->end = end;
    return true;
}

/* Makes room for `size` bytes before those that are written, and returns it; NULL if there is none. */
static inline char *room(struct wire_backward *out, size_t size)
{
    if ((size_t)(out->at - out->start) < size && !grow(out, size))
        return NULL;
    return out->at -= size;
}

static void put_long_varint(struct wire_backward *out, uint64_t value)
{
    char bytes[VARINT_MAX];
    size_t size = wire_put_varint(bytes, value);
    char *to = room(out, size);
    if (to)
        memcpy(to, bytes, size);
}

static inline void put_varint(struct wire_backward *out, uint64_t value)
{
    if (value < 0x80 && out->at > out->start)
        *--out->at = (char)value;
    else
        put_long_varint(out, value);
}

static void put_head(struct wire_backward *out, uint32_t number, size_t size)
{
    put_varint(out, size);
    put_varint(out, (uint64_t)number << 3 | WIRE_BYTES);
}

void wire_backward_nest(struct wire_backward *out, uint32_t number, size_t end)
{
    put_head(out, number, wire_backward_size(out) - end);
}

void wire_backward_any_bytes(struct wire_backward *out, uint32_t number, struct str bytes)
{
    char *to = room(out, bytes.size);
    if (!to)
        return;
    if (bytes.size > 0)
        memcpy(to, bytes.data, bytes.size);
    put_head(out, number, bytes.size);
}

void wire_backward_int64s(struct wire_backward *out, uint32_t number, const int64_t *list, size_t count)
{
    size_t end = wire_backward_size(out);
    for (size_t i = count; i-- > 0;)
        put_varint(out, (uint64_t)list[i]);
    if (count > 0)
        wire_backward_nest(out, number, end);
}

void wire_backward_message(struct wire_backward *out, uint32_t number, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    char *to = room(out, size);
    if (!to)
        return;
    protobuf_c_message_pack(message, (uint8_t *)to);
    put_head(out, number, size);
}
