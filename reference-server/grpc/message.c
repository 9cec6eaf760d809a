#include "grpc/message.h"

#include "base/large.h"

#include <stdlib.h>

#define PLACE_FIRST   ((size_t)16 * 1024)
#define PLACE_WAITING ((size_t)256 * 1024) /* of a message that is not admitted */

static void free_place(struct message *message)
{
    if (message->block_size >= LARGE_AT_LEAST)
        large_give_back(message->block, message->block_size);
    else
        free(message->block);
    message->block = NULL;
    message->block_size = message->room = 0;
    message->bytes = (struct str){0};
}

void message_free(struct message *message)
{
    free_place(message);
    inflation_free(message->inflation);
    message->inflation = NULL;
}

/* Returns how large a place shall be that has to hold `needed` bytes. */
static size_t place_size(const struct message *message, size_t needed)
{
    size_t size = PLACE_FIRST;
    if (needed > PLACE_FIRST)
        size = message->is_admitted ? message->size : PLACE_WAITING;
    if (needed > size)
        size = 2 * needed;
    return size < message->size ? size : message->size;
}

/* Moves what has come to a place of `size` bytes, in a block of its own. */
static bool move(struct message *message, size_t size)
{
    size_t whole = (size + 2 * MESSAGE_ALIGN - 1) / MESSAGE_ALIGN * MESSAGE_ALIGN;
    char *block = whole >= LARGE_AT_LEAST ? large_take(&whole) : aligned_alloc(MESSAGE_ALIGN, whole);
    if (!block)
        return false;
    size_t skip = 0;
    if (message->stored > 0 && message->aligned)
        skip = -message->aligned(message->bytes) & (MESSAGE_ALIGN - 1);
    if (message->stored > 0)
        memcpy(block + skip, message->bytes.data, message->stored);
    struct str moved = {block + skip, message->stored};
    free_place(message);
    message->bytes = moved;
    message->room = size - message->stored;
    message->block = block;
    message->block_size = whole;
    return true;
}

/* Makes room for `size` more bytes. */
static bool make_room(struct message *message, size_t size, struct arena *arena)
{
    if (size <= message->room)
        return true;
    if (message->size > MESSAGE_IN_ARENA)
        return move(message, place_size(message, message->stored + size));
    message->bytes.data = arena_alloc(arena, message->size);
    message->room = message->size;
    return message->bytes.data != NULL;
}

static struct status read_head(struct message *message, size_t limit, struct arena *arena)
{
    const uint8_t *head = message->head;
    message->is_compressed = head[0] & 1;
    message->size = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
    if (head[0] > 1)
        return status_error(arena, STATUS_INTERNAL, "the message begins with the flag %d; it must be 0 or 1", head[0]);
    if (message->size > limit)
        return status_error(arena, STATUS_RESOURCE_EXHAUSTED, "a message of %zu bytes is above the limit of %zu bytes",
                            message->size, limit);
    return STATUS_IS_OK;
}

struct status message_take(struct message *message, struct str bytes, size_t limit, struct arena *arena)
{
    size_t missing = MESSAGE_HEAD - message->head_size, part = bytes.size < missing ? bytes.size : missing;
    if (part > 0) {
        memcpy(message->head + message->head_size, bytes.data, part);
        message->head_size += (uint8_t)part;
        bytes = str_from(bytes, part);
        TRY(part == missing ? read_head(message, limit, arena) : STATUS_IS_OK);
    }
    if (bytes.size > message->size - message->stored)
        return status_error(arena, STATUS_UNIMPLEMENTED, "%zu bytes follow the message; the method takes one message",
                            bytes.size - (message->size - message->stored));
    if (bytes.size == 0)
        return STATUS_IS_OK;
    NEED(make_room(message, bytes.size, arena));
    memcpy((char *)(uintptr_t)message->bytes.data + message->stored, bytes.data, bytes.size);
    message->bytes.size += bytes.size;
    message->stored += bytes.size;
    message->room -= bytes.size;
    return STATUS_IS_OK;
}
