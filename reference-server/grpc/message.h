/* A message as it arrives: "Length-Prefixed-Message" in "gRPC over HTTP/2". Its bytes are stored in pieces, whose
 * memory grows with the bytes that have come, and not with the size that the peer claims. */
#ifndef GRPC_MESSAGE_H
#define GRPC_MESSAGE_H

#include "base/arena.h"
#include "base/status.h"
#include <stdint.h>

#define MESSAGE_HEAD     5 /* bytes: the flag and the length */
#define MESSAGE_IN_ARENA ((size_t)16 * 1024)
#define PIECE_FIRST      ((size_t)64 * 1024)
#define PIECE_SIZE       ((size_t)1024 * 1024)
#define PIECES_KEPT      16

/* Pieces that are used again, because fresh pages are dear. Belongs to one thread. */
struct piece_cache {
    void *pieces[PIECES_KEPT];
    size_t count;
};

void piece_cache_free(struct piece_cache *cache);

struct message {
    uint8_t head[MESSAGE_HEAD];
    uint8_t head_size;
    bool is_compressed;
    size_t size, stored; /* of the message without its head: as the head says, and as has come */
    struct str *pieces;  /* in the arena */
    size_t count, room;  /* pieces, and the free bytes of the last one */
};

/* Says whether all bytes of the message have come. */
static inline bool message_is_whole(const struct message *message)
{
    return message->head_size == MESSAGE_HEAD && message->stored == message->size;
}

/* Returns how many bytes the message still wants, as far as is known: those of its head come first. */
static inline size_t message_wants(const struct message *message)
{
    return message->head_size < MESSAGE_HEAD ? (size_t)(MESSAGE_HEAD - message->head_size)
                                             : message->size - message->stored;
}

/* Takes the next bytes. Fails if the message is above the limit, without memory, if the flag is neither 0 nor 1, and if
 * there are bytes behind the message. */
struct status message_take(struct message *message, struct str bytes, size_t limit, struct arena *arena,
                           struct piece_cache *cache);

/* Frees the pieces; those that may be used again go into the cache, if there is one. */
void message_free(struct message *message, struct piece_cache *cache);

#endif
