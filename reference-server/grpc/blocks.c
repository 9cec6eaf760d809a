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
        size_t place; /* of its size among the sizes; BLOCK_SIZES: larger than all of them */
        max_align_t alignment;
    };
    struct block *next; /* in the list of free ones; otherwise the memory begins here */
};

#define HEAD offsetof(struct block, next)

static struct block *block_of(void *memory)
{
    return (struct block *)((char *)memory - HEAD);
}

static void *memory_of(struct block *block, size_t place)
{
    if (!block)
        return NULL;
    block->place = place;
    return (char *)block + HEAD;
}

static void *block_take(size_t size, void *user)
{
    struct blocks *blocks = user;
    size_t place = size > 0 ? (size - 1) / BLOCK_STEP : 0;
    if (place >= BLOCK_SIZES)
        return size <= SIZE_MAX - HEAD ? memory_of(malloc(HEAD + size), BLOCK_SIZES) : NULL;
    struct block *block = blocks->free[place];
    if (!block)
        return memory_of(malloc(HEAD + (place + 1) * BLOCK_STEP), place);
    blocks->free[place] = block->next;
    blocks->count[place]--;
    return (char *)block + HEAD;
}

static void give_back(void *memory, void *user)
{
    struct blocks *blocks = user;
    struct block *block = memory ? block_of(memory) : NULL;
    if (!block || block->place == BLOCK_SIZES || blocks->count[block->place] == BLOCKS_KEPT) {
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
    if (!memory)
        return block_take(size, user);
    size_t place = block_of(memory)->place, room = (place + 1) * BLOCK_STEP;
    if (place == BLOCK_SIZES)
        return size <= SIZE_MAX - HEAD ? memory_of(realloc(block_of(memory), HEAD + size), place) : NULL;
    if (size <= room)
        return memory;
    void *larger = block_take(size, user);
    if (!larger)
        return NULL;
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
