/* Messages as structs that protoc-c generates. Their memory lies in an arena, and is never freed one by one. */
#pragma once

#include "wire/wire.h"

/* Reads a message as a struct of that type. Its unknown fields are kept. A
 * message may take at most a multiple of its own size; one of many tiny parts, which no client sends, fails. Fails with
 * RESOURCE_EXHAUSTED, and with INVALID_ARGUMENT if the bytes are no such message. */
struct status structs_read(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena,
                           ProtobufCMessage **read);

/* Return an empty struct of that type, and a list of them, in the arena; NULL without memory. */
void *structs_new(struct arena *arena, const ProtobufCMessageDescriptor *type);
void *structs_list(struct arena *arena, const ProtobufCMessageDescriptor *type, size_t count);

/* Returns a message on the wire, in the arena; null data when the arena is exhausted. */
struct str structs_packed(struct arena *arena, const ProtobufCMessage *message);

/* Leaves the unknown fields of a message out, and of the messages in it. */
void structs_forget_unknown(ProtobufCMessage *message);

/* Convert between a str and a string of a struct. */
static inline ProtobufCBinaryData structs_bytes(struct str s)
{
    return (ProtobufCBinaryData){s.size, (uint8_t *)(uintptr_t)s.data};
}

static inline struct str structs_str(ProtobufCBinaryData bytes)
{
    return (struct str){(const char *)bytes.data, bytes.len};
}
