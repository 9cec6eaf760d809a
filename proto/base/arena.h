/* Memory that is freed at once: everything that lives as long as one request, one case, one loaded file.
 *
 * Small allocations share chunks; a large one gets a block of its own, 64-byte aligned, and is only reserved: no page
 * of it is touched before somebody writes there. Not thread-safe: one arena, one thread at a time.
 *
 * An arena has a budget (bytes it may hand out in all). When it is spent, or the system has no memory, arena_alloc
 * returns NULL, or, if `exhausted` is set, calls that instead (the judge ends the program there; the server never sets
 * it and turns NULL into RESOURCE_EXHAUSTED). */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/str.h"
#include <stdarg.h>
#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; /* newest first */
    char *at, *end;             /* free part of the current chunk; `at` is aligned to ARENA_ALIGN */
    size_t budget, left;        /* bytes to hand out in all, and those of them not handed out yet */
    void (*exhausted)(void);    /* must not return; may be NULL */
};

#define ARENA_NO_BUDGET ((size_t)-1)

/* An empty arena; nothing is allocated yet. */
struct arena arena_new(size_t budget);

/* Frees all memory of the arena; it can be used again, with `budget` as at the start. */
void arena_free(struct arena *arena);

/* Empties the arena for the next request but keeps its first chunk, so that a small request costs no malloc. */
void arena_reset(struct arena *arena, size_t budget);

#define ARENA_ALIGN ((size_t)16)
#define ARENA_WIDE  ((size_t)4096) /* from here on memory is aligned for vectors, to 64 bytes */

/* arena_alloc where the current chunk does not do. */
void *arena_alloc_slowly(struct arena *arena, size_t size) __attribute__((cold));

/* `size` bytes, aligned to 16 (to 64 from ARENA_WIDE on), not cleared. NULL: see above. size 0 gives a valid pointer.
 */
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

/* `count` elements of `size` bytes, cleared; NULL also when the product overflows. */
void *arena_alloc_zero(struct arena *arena, size_t count, size_t size);

#define arena_new_of(arena, type) ((type *)arena_alloc_zero((arena), 1, sizeof(type)))

/* Copies; the result of arena_copy is also NUL-terminated (the terminator is not counted). On exhaustion an empty str
 * with a null pointer. */
struct str arena_copy(struct arena *arena, struct str s);
struct str arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct str arena_vprintf(struct arena *arena, const char *format, va_list arguments);

/* `s` as one line of printable UTF-8 for a message to a person: control characters, quotes' backslashes and bytes that
 * are no UTF-8 as \xNN, at most 120 bytes of it, then "...". NUL-terminated. Never NULL (a literal on exhaustion). */
const char *str_printable(struct arena *arena, struct str s);

#endif
