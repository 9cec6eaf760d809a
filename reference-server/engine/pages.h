/* Memory that is not needed any more, although what it belongs to lives on. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Gives the whole pages of this memory back to the system. What the bytes are afterwards is not defined. The memory
 * must come from malloc, or must not be shared with anybody in another way. */
static inline void pages_give_back(const void *data, size_t size)
{
    const uintptr_t page = 4096, begin = ((uintptr_t)data + page - 1) & ~(page - 1);
    const uintptr_t end = ((uintptr_t)data + size) & ~(page - 1);
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_DONTNEED); /* if it fails, the memory is merely kept */
}
