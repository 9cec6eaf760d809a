#include "wire/structs.h"

/* The memory for a struct, as a multiple of the message, with what protobuf-c keeps while it reads. A message of
 * strings needs much less. */
#define STRUCTS_OF_MESSAGE 16
#define STRUCTS_AT_LEAST   ((size_t)64 * 1024)

struct allowance {
    struct arena *arena;
    size_t left;
    bool is_spent;
};

static void *allot(void *data, size_t size)
{
    struct allowance *allowance = data;
    void *memory = size > allowance->left ? NULL : arena_alloc(allowance->arena, size);
    allowance->is_spent |= !memory;
    allowance->left -= memory ? size : 0;
    return memory;
}

static void leave(void *, void *)
{
}

struct status structs_read(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena,
                           ProtobufCMessage **read)
{
    struct allowance allowance = {arena, STRUCTS_AT_LEAST + message.size * STRUCTS_OF_MESSAGE, false};
    ProtobufCAllocator allocator = {allot, leave, &allowance};
    *read = protobuf_c_message_unpack(type, &allocator, message.size, (const uint8_t *)message.data);
    if (*read)
        return STATUS_IS_OK;
    if (allowance.is_spent)
        return status_no_memory();
    return status_invalid(arena, "the bytes are no %s", type->short_name);
}

void *structs_list(struct arena *arena, const ProtobufCMessageDescriptor *type, size_t count)
{
    char *structs = arena_alloc(arena, count * type->sizeof_message);
    void **list = arena_alloc(arena, count * sizeof(*list));
    for (size_t i = 0; structs && list && i < count; i++) {
        list[i] = structs + i * type->sizeof_message;
        type->message_init(list[i]);
    }
    return structs ? list : NULL;
}

void *structs_new(struct arena *arena, const ProtobufCMessageDescriptor *type)
{
    ProtobufCMessage *message = arena_alloc(arena, type->sizeof_message);
    if (message)
        type->message_init(message);
    return message;
}

struct str structs_packed(struct arena *arena, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = arena_alloc(arena, size);
    if (!bytes)
        return (struct str){0};
    protobuf_c_message_pack(message, bytes);
    return (struct str){(const char *)bytes, size};
}

/* Applies itself to the messages of one field. */
static void forget_in_field(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    const char *base = (const char *)message;
    ProtobufCMessage *const *one = (ProtobufCMessage *const *)(const void *)(base + field->offset);
    size_t count = 1;
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        memcpy(&count, base + field->quantifier_offset, sizeof(count));
        one = *(ProtobufCMessage *const *const *)(const void *)one;
    } else if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0) {
        uint32_t chosen;
        memcpy(&chosen, base + field->quantifier_offset, sizeof(chosen));
        count = chosen == field->id;
    }
    for (size_t i = 0; i < count; i++)
        if (one[i])
            structs_forget_unknown(one[i]);
}

void structs_forget_unknown(ProtobufCMessage *message)
{
    message->n_unknown_fields = 0;
    message->unknown_fields = NULL;
    for (unsigned i = 0; i < message->descriptor->n_fields; i++)
        if (message->descriptor->fields[i].type == PROTOBUF_C_TYPE_MESSAGE)
            forget_in_field(message, &message->descriptor->fields[i]);
}
