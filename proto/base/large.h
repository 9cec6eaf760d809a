/* Large blocks of memory that are used again, because fresh pages are dear: the system clears and maps each one when it
 * is touched. A server that takes and gives back blocks of megabytes for each request spends a third of its time there.
 * May be used on any thread. At most LARGE_KEPT bytes are kept; the blocks that were given back first go first. */
#pragma once

#include <stddef.h>

#define LARGE_AT_LEAST ((size_t)128 * 1024) /* smaller blocks are malloc's */
#define LARGE_KEPT     ((size_t)32 * 1024 * 1024)
#define LARGE_ALIGN    ((size_t)64)

/* Returns a block of at least *size bytes, not cleared, and sets *size to its real size; NULL without memory. *size
 * must be a multiple of LARGE_ALIGN, and at least LARGE_AT_LEAST. */
void *large_take(size_t *size);

/* `size` must be what large_take has set. */
void large_give_back(void *block, size_t size);
