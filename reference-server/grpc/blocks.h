/* Small blocks of memory that are used again. libnghttp2 takes and gives back eight for each call, and the calls of one
 * turn give back all of theirs together, which is more than malloc keeps at hand. Belongs to one thread. */
#pragma once

#include <nghttp2/nghttp2.h>
#include <stddef.h>

#define BLOCK_STEP  ((size_t)64) /* blocks have this size, twice this size, and so on */
#define BLOCK_SIZES 8

struct block;

struct blocks {
    nghttp2_mem functions; /* for a session */
    struct block *free[BLOCK_SIZES];
    size_t count[BLOCK_SIZES]; /* of the free ones */
};

/* The blocks must stay where they are: the functions point to them. */
void blocks_open(struct blocks *blocks);

/* Frees the free ones; all must have been given back. */
void blocks_close(struct blocks *blocks);
