#include "base/large.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS_KEPT 64

/* The address sanitizer shall see each use of what was given back. */
#ifdef __SANITIZE_ADDRESS__
#define BYTES_KEPT 0
#else
#define BYTES_KEPT LARGE_KEPT
#endif

static struct {
    pthread_mutex_t lock;
    size_t count, bytes;
    struct kept {
        void *block;
        size_t size;
    } list[BLOCKS_KEPT]; /* oldest first */
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct kept take_out(size_t place)
{
    struct kept taken = kept.list[place];
    kept.bytes -= taken.size;
    kept.count--;
    memmove(&kept.list[place], &kept.list[place + 1], (kept.count - place) * sizeof(*kept.list));
    return taken;
}

/* Returns the place of the newest block that fits without wasting more than the half of it; BLOCKS_KEPT if there is
 * none. */
static size_t place_that_fits(size_t size)
{
    for (size_t i = kept.count; i-- > 0;)
        if (kept.list[i].size >= size && kept.list[i].size / 2 <= size)
            return i;
    return BLOCKS_KEPT;
}

void *large_take(size_t *size)
{
    struct kept taken = {0};
    pthread_mutex_lock(&kept.lock);
    size_t place = place_that_fits(*size);
    if (place < BLOCKS_KEPT)
        taken = take_out(place);
    pthread_mutex_unlock(&kept.lock);
    if (!taken.block)
        return aligned_alloc(LARGE_ALIGN, *size);
    *size = taken.size;
    return taken.block;
}

void large_give_back(void *block, size_t size)
{
    if (size > BYTES_KEPT) {
        free(block);
        return;
    }
    pthread_mutex_lock(&kept.lock);
    while (kept.count == BLOCKS_KEPT || kept.bytes + size > BYTES_KEPT)
        free(take_out(0).block);
    kept.list[kept.count++] = (struct kept){block, size};
    kept.bytes += size;
    pthread_mutex_unlock(&kept.lock);
}
