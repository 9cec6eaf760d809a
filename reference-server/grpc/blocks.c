#include "grpc/blocks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* How many free ones of a size are kept. The address sanitizer shall see each use of what was given back. */
#ifdef __SANITIZE_ADDRESS__
#define BLOCKS_KEPT 0
#else
#define BLOCKS_KEPT 1024
#endif

struct block {
    union {
        size_t place; /* of its size among the sizes; from BLOCK_SIZES on: larger than all that are kept */
        max_align_t alignment;
    };
    struct block *next; /* in the list of free ones; otherwise the memory begins here */
};

#define HEAD offsetof(struct block, next)

static struct block *block_of(void *memory)
{
    return (struct block *)((char *)memory - HEAD);
}

static size_t size_of(size_t place)
{
    return (place + 1) * BLOCK_STEP;
}

static void *block_take(size_t size, void *user)
{
    struct blocks *blocks = user;
    size_t place = size > 0 ? (size - 1) / BLOCK_STEP : 0;
    struct block *block = place < BLOCK_SIZES ? blocks->free[place] : NULL;
    if (block) {
        blocks->free[place] = block->next;
        blocks->count[place]--;
    } else {
        block = size <= SIZE_MAX / 2 ? malloc(HEAD + size_of(place)) : NULL;
        if (!block)
            return NULL;
        block->place = place;
    }
    return (char *)block + HEAD;
}

static void give_back(void *memory, void *user)
{
    struct blocks *blocks = user;
    struct block *block = memory ? block_of(memory) : NULL;
    if (!block || block->place >= BLOCK_SIZES || blocks->count[block->place] == BLOCKS_KEPT) {
        free(block);
        return;
    }
    block->next = blocks->free[block->place];
    blocks->free[block->place] = block;
    blocks->count[block->place]++;
}

static void *block_take_cleared(size_t count, size_t size, void *user)
{
    size_t product;
    void *memory = __builtin_mul_overflow(count, size, &product) ? NULL : block_take(product, user);
    return memory ? memset(memory, 0, product) : NULL;
}

static void *block_take_more(void *memory, size_t size, void *user)
{
    size_t room = memory ? size_of(block_of(memory)->place) : 0;
    if (memory && size <= room)
        return memory;
    void *larger = block_take(size, user);
    if (!larger || !memory)
        return larger;
    memcpy(larger, memory, room);
    give_back(memory, user);
    return larger;
}

void blocks_open(struct blocks *blocks)
{
    *blocks = (struct blocks){.functions = {blocks, block_take, give_back, block_take_cleared, block_take_more}};
}

void blocks_close(struct blocks *blocks)
{
    for (size_t place = 0; place < BLOCK_SIZES; place++) {
        for (struct block *next, *block = blocks->free[place]; block; block = next) {
            next = block->next;
            free(block);
        }
        blocks->free[place] = NULL;
        blocks->count[place] = 0;
    }
}
