/* A message as it arrives: "Length-Prefixed-Message" in "gRPC over HTTP/2". Its bytes lie in one place.
 *
 * The place grows with the bytes that have come, and not with the size that the peer claims, until the message is
 * admitted, which means that the budget has room for all of it. Then the whole place is reserved, and what has come
 * moves there. No page of it is touched before its bytes come. */
#pragma once

#include "base/arena.h"
#include "base/status.h"
#include "grpc/inflate.h"
#include <stdint.h>

#define MESSAGE_HEAD     5 /* bytes: the flag and the length */
#define MESSAGE_IN_ARENA ((size_t)16 * 1024)

struct message {
    bool is_admitted;         /* set by the owner: the whole place may be reserved */
    message_aligned *aligned; /* set by the owner; NULL: any byte may stand anywhere */

    uint8_t head[MESSAGE_HEAD];
    uint8_t head_size;
    bool is_compressed;
    size_t size, stored; /* of the message without its head: as the head says, and as has come */
    struct str bytes;    /* what has come; writable */
    size_t room;         /* free bytes after them */
    void *block;         /* in which they stand; NULL: in the arena */
    size_t block_size;
    struct inflation *inflation; /* NULL: not inflated */
};

/* Returns how many bytes of memory the message takes beside the arena. */
static inline size_t message_memory(const struct message *message)
{
    return (message->block ? message->stored : 0) + (message->inflation ? inflation_bytes(message->inflation).size : 0);
}

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
 * there are bytes after the message. */
struct status message_take(struct message *message, struct str bytes, size_t limit, struct arena *arena);

/* Frees the place, and what was inflated. May be called on any thread. */
void message_free(struct message *message);
