/* An arena: memory that is freed all at once. It holds everything that lives as long as one request, one case or one
 * loaded file.
 *
 * Small allocations share chunks. A large one gets a block of its own, aligned to 64 bytes, which is only reserved: its
 * pages are not touched before the caller writes to them. An arena is not thread-safe: only one thread may use it at a
 * time.
 *
 * An arena has a budget, which is the number of bytes that it may hand out in all. When the budget is spent, or the
 * system has no memory, arena_alloc returns NULL. If `exhausted` is set, arena_alloc calls it instead: the judge ends
 * the program there. The server never sets it and turns NULL into RESOURCE_EXHAUSTED.
 *
 * An arena may have a lease (base/budget.h), too, from which its blocks are paid; without a share arena_alloc returns
 * NULL. The lease is set once, before the first allocation. */
#pragma once

#include "base/str.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block;
struct buf;
struct lease;

struct arena {
    struct arena_block *blocks; /* newest first */
    char *at, *end;             /* the free part of the current chunk; `at` is aligned to ARENA_ALIGN */
    size_t budget, left;        /* bytes that may be handed out in all, and how many of them are left */
    struct lease *lease;        /* pays for the blocks; may be NULL */
    void (*exhausted)(void);    /* must not return; may be NULL */
};

#define ARENA_NO_BUDGET ((size_t)-1)

/* Returns an empty arena. It allocates nothing yet. */
struct arena arena_new(size_t budget);

/* Frees all memory of the arena. The arena can be used again, with its whole budget. */
void arena_free(struct arena *arena);

/* Empties the arena for the next request, but keeps one chunk, so that a small request needs no malloc. */
void arena_reset(struct arena *arena, size_t budget);

#define ARENA_ALIGN ((size_t)16)
#define ARENA_WIDE  ((size_t)4096) /* memory of this size and above is aligned to 64 bytes, for vector instructions */

/* Does the work of arena_alloc when the current chunk has no room. */
void *arena_alloc_slowly(struct arena *arena, size_t size) __attribute__((cold));

/* Returns `size` bytes, not cleared. They are aligned to 16 bytes, or to 64 from ARENA_WIDE on. The file head says when
 * the result is NULL. A size of 0 gives a valid pointer. */
static inline void *arena_alloc(struct arena *arena, size_t size)
{
    size_t step = (size + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
    if (size >= ARENA_WIDE || size > arena->left || step >= (size_t)(arena->end - arena->at))
        return arena_alloc_slowly(arena, size);
    void *memory = arena->at;
    arena->at += step;
    arena->left -= size;
    return memory;
}

/* Does the same for memory that the caller pays for, whatever the lease says: for bytes that are still to come. */
void *arena_alloc_unpaid(struct arena *arena, size_t size);

/* Returns `count` elements of `size` bytes each, cleared. Returns NULL also when the product overflows: no arena
 * has SIZE_MAX bytes. */
void *arena_alloc_zero(struct arena *arena, size_t count, size_t size);

/* Returns `items`, a list of `count` elements that grows by this function alone, with room for one more element, which
 * is cleared the first time. Returns NULL without memory. */
void *arena_room(void *items, size_t count, size_t size, struct arena *arena);

#define arena_new_of(arena, type) ((type *)arena_alloc_zero((arena), 1, sizeof(type)))

/* These functions return a copy or a formatted text in the arena. It is NUL-terminated; the size does not count the
 * terminator. When the arena is exhausted, they return an empty str with a null pointer. */
struct str arena_copy(struct arena *arena, struct str s);
struct str arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct str arena_vprintf(struct arena *arena, const char *format, va_list arguments);

/* Moves what was written in a buf (base/buf.h) into the arena, and frees the buf. Returns the same as arena_copy, and
 * an empty str with a null pointer also if the buf has failed. */
struct str arena_take(struct arena *arena, struct buf *buf);

/* Returns `s` as one line of printable UTF-8, for a message to a person. Control characters, backslashes and bytes that
 * are not UTF-8 become \xNN. At most 120 bytes of `s` are shown; "..." stands for the rest. The result is
 * NUL-terminated and never NULL: when the arena is exhausted, it is a fixed text. */
const char *str_printable(struct arena *arena, struct str s);
