#include "grpc/message.h"

#include <stdlib.h>

static void *new_piece(struct piece_cache *cache, size_t size)
{
    if (size == PIECE_SIZE && cache && cache->count > 0)
        return cache->pieces[--cache->count];
    return malloc(size);
}

void piece_cache_free(struct piece_cache *cache)
{
    while (cache->count > 0)
        free(cache->pieces[--cache->count]);
}

/* Says how large a piece is. A small message has one, in the arena. Others have a first one of PIECE_FIRST and further
 * ones of PIECE_SIZE. */
static size_t piece_size(const struct message *message, size_t index)
{
    if (message->size <= MESSAGE_IN_ARENA)
        return message->size;
    return index == 0 ? PIECE_FIRST : PIECE_SIZE;
}

void message_free(struct message *message, struct piece_cache *cache)
{
    for (size_t i = 0; message->size > MESSAGE_IN_ARENA && i < message->count; i++) {
        void *piece = (void *)(uintptr_t)message->pieces[i].data;
        if (piece_size(message, i) == PIECE_SIZE && cache && cache->count < PIECES_KEPT)
            cache->pieces[cache->count++] = piece;
        else
            free(piece);
    }
    message->count = 0;
    message->room = 0;
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
    message->pieces = arena_alloc(arena, (message->size / PIECE_SIZE + 2) * sizeof(*message->pieces));
    return message->pieces ? STATUS_IS_OK : status_no_memory();
}

static bool add_piece(struct message *message, struct arena *arena, struct piece_cache *cache)
{
    size_t size = piece_size(message, message->count);
    void *piece = message->size <= MESSAGE_IN_ARENA ? arena_alloc(arena, size) : new_piece(cache, size);
    if (!piece)
        return false;
    message->pieces[message->count++] = (struct str){piece, 0};
    message->room = size;
    return true;
}

struct status message_take(struct message *message, struct str bytes, size_t limit, struct arena *arena,
                           struct piece_cache *cache)
{
    while (bytes.size > 0 && message->head_size < MESSAGE_HEAD) {
        message->head[message->head_size++] = (uint8_t)*bytes.data;
        bytes = str_from(bytes, 1);
        if (message->head_size == MESSAGE_HEAD) {
            struct status status = read_head(message, limit, arena);
            if (!is_ok(status))
                return status;
        }
    }
    if (bytes.size > message->size - message->stored)
        return status_error(arena, STATUS_UNIMPLEMENTED, "%zu bytes follow the message; the method takes one message",
                            bytes.size - (message->size - message->stored));
    while (bytes.size > 0) {
        if (message->room == 0 && !add_piece(message, arena, cache))
            return status_no_memory();
        struct str *piece = &message->pieces[message->count - 1];
        size_t size = bytes.size < message->room ? bytes.size : message->room;
        memcpy((char *)(uintptr_t)piece->data + piece->size, bytes.data, size);
        piece->size += size;
        message->room -= size;
        message->stored += size;
        bytes = str_from(bytes, size);
    }
    return STATUS_IS_OK;
}
