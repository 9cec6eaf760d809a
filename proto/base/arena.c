/* An arena is a list of blocks from malloc, or, if they are large, from base/large.h. A small allocation is cut from
 * the newest chunk, which is a block of CHUNK bytes. An allocation of a quarter of a chunk or more gets a block of its
 * own: little is then lost at the end of a chunk, and the pages of a large block are not touched here. */
#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/large.h"

#include <stdio.h>
#include <stdlib.h>

#define CHUNK      ((size_t)32 * 1024)
#define OWN_BLOCK  (CHUNK / 4)
#define WIDE_ALIGN ((size_t)64)

struct arena_block {
    struct arena_block *next;
    size_t size;  /* with this head */
    size_t price; /* paid from the lease */
    bool is_chunk;
    _Alignas(64) char bytes[];
};

_Static_assert(sizeof(struct arena_block) == WIDE_ALIGN, "the bytes of a block start aligned");

struct arena arena_new(size_t budget)
{
    return (struct arena){.budget = budget, .left = budget};
}

static void free_block(struct arena *arena, struct arena_block *block)
{
    if (block->price > 0)
        lease_return(arena->lease, block->price);
    if (block->size >= LARGE_AT_LEAST)
        large_give_back(block, block->size);
    else
        free(block);
}

void arena_free(struct arena *arena)
{
    struct arena_block *next;
    for (struct arena_block *block = arena->blocks; block; block = next) {
        next = block->next;
        free_block(arena, block);
    }
    *arena = (struct arena){
        .budget = arena->budget, .left = arena->budget, .lease = arena->lease, .exhausted = arena->exhausted};
}

void arena_reset(struct arena *arena, size_t budget)
{
    struct arena_block *kept = NULL, *next;
    for (struct arena_block *block = arena->blocks; block; block = next) {
        next = block->next;
        if (block->is_chunk && !kept) {
            kept = block;
            kept->next = NULL;
        } else {
            free_block(arena, block);
        }
    }
    arena->blocks = kept;
    arena->at = kept ? kept->bytes : NULL;
    arena->end = kept ? kept->bytes + CHUNK : NULL;
    arena->budget = arena->left = budget;
}

/* Calls `exhausted` if it is set, and returns NULL. */
static void *arena_refuse(const struct arena *arena)
{
    if (arena->exhausted)
        arena->exhausted();
    return NULL;
}

enum block_kind { CHUNK_OF_MANY, OWN, OWN_UNPAID };

static struct arena_block *take_block(size_t *whole)
{
    return *whole >= LARGE_AT_LEAST ? large_take(whole) : aligned_alloc(WIDE_ALIGN, *whole);
}

static struct arena_block *add_block(struct arena *arena, size_t size, enum block_kind kind)
{
    size_t rounded = (size + WIDE_ALIGN - 1) / WIDE_ALIGN * WIDE_ALIGN;
    size_t price = sizeof(struct arena_block) + rounded, whole = price;
    struct lease *lease = kind == OWN_UNPAID ? NULL : arena->lease;
    if (!lease_take(lease, price))
        return NULL;
    struct arena_block *block = take_block(&whole);
    if (!block) {
        lease_return(lease, price);
        return NULL;
    }
    block->size = whole;
    block->price = lease ? price : 0;
    block->next = arena->blocks;
    block->is_chunk = kind == CHUNK_OF_MANY;
    arena->blocks = block;
    return block;
}

static void *alloc_own_block(struct arena *arena, size_t size, enum block_kind kind)
{
    bool is_possible = size <= arena->left && size <= SIZE_MAX / 2;
    struct arena_block *block = is_possible ? add_block(arena, size, kind) : NULL;
    if (!block)
        return arena_refuse(arena);
    arena->left -= size;
    return block->bytes;
}

void *arena_alloc_unpaid(struct arena *arena, size_t size)
{
    return alloc_own_block(arena, size, OWN_UNPAID);
}

void *arena_alloc_slowly(struct arena *arena, size_t size)
{
    if (size >= OWN_BLOCK)
        return alloc_own_block(arena, size, OWN);
    if (size > arena->left)
        return arena_refuse(arena);

    size_t align = size >= ARENA_WIDE ? WIDE_ALIGN : ARENA_ALIGN;
    size_t skip = -(uintptr_t)arena->at & (align - 1), step = (size + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
    if ((size_t)(arena->end - arena->at) < skip + step || !arena->at) {
        struct arena_block *block = add_block(arena, CHUNK, CHUNK_OF_MANY);
        if (!block)
            return arena_refuse(arena);
        arena->at = block->bytes;
        arena->end = block->bytes + CHUNK;
        skip = 0;
    }
    void *memory = arena->at + skip;
    arena->at += skip + step;
    arena->left -= size;
    return memory;
}

void *arena_alloc_zero(struct arena *arena, size_t count, size_t size)
{
    size_t product;
    if (__builtin_mul_overflow(count, size, &product))
        product = SIZE_MAX;
    void *memory = arena_alloc(arena, product);
    return memory ? memset(memory, 0, product) : NULL;
}

void *arena_room(void *items, size_t count, size_t size, struct arena *arena)
{
    if (count & (count - 1)) /* there is room up to the next power of two */
        return items;
    void *grown = arena_alloc_zero(arena, 2 * count + 1, size);
    return grown && count ? memcpy(grown, items, count * size) : grown;
}

struct str arena_copy(struct arena *arena, struct str s)
{
    if (s.size == SIZE_MAX) {
        arena_refuse(arena);
        return (struct str){0};
    }
    char *copy = arena_alloc(arena, s.size + 1);
    if (!copy)
        return (struct str){0};
    if (s.size)
        memcpy(copy, s.data, s.size);
    copy[s.size] = '\0';
    return (struct str){copy, s.size};
}

struct str arena_take(struct arena *arena, struct buf *buf)
{
    struct str taken = {0};
    if (!buf->failed)
        taken = arena_copy(arena, buf_str(buf));
    buf_free(buf);
    return taken;
}

struct str arena_vprintf(struct arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    char *text = size < 0 ? NULL : arena_alloc(arena, (size_t)size + 1);
    if (text)
        vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    return text ? (struct str){text, (size_t)size} : (struct str){0};
}

struct str arena_printf(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct str s = arena_vprintf(arena, format, arguments);
    va_end(arguments);
    return s;
}

/* Says whether a character may be printed as it is. The rest would break the line or move the cursor of a terminal: C0
 * and C1 controls, DEL and the two Unicode line separators. The backslash is escaped too, so that a reader can tell an
 * escape from a backslash that a peer sent. */
static bool is_printable(const char *character, size_t length)
{
    const unsigned char *byte = (const unsigned char *)character;
    switch (length) {
    case 1:
        return byte[0] >= 0x20 && byte[0] != 0x7F && byte[0] != '\\';
    case 2:
        return byte[0] != 0xC2 || byte[1] >= 0xA0;
    case 3:
        return !(byte[0] == 0xE2 && byte[1] == 0x80 && (byte[2] == 0xA8 || byte[2] == 0xA9));
    default:
        return length == 4;
    }
}

#define PRINTABLE_MAX ((size_t)120)

const char *str_printable(struct arena *arena, struct str s)
{
    size_t shown = s.size < PRINTABLE_MAX ? s.size : PRINTABLE_MAX;
    char *text = arena_alloc(arena, shown * 4 + sizeof("..."));
    if (!text)
        return "(no memory to show it)";
    char *out = text;
    size_t at = 0;
    while (at < shown) {
        size_t length = str_utf8_first(str_from(s, at));
        if (length && is_printable(s.data + at, length)) {
            if (at + length > shown)
                break;
            memcpy(out, s.data + at, length);
            out += length;
            at += length;
        } else {
            out += sprintf(out, "\\x%02x", (unsigned char)s.data[at]);
            at++;
        }
    }
    sprintf(out, "%s", at < s.size ? "..." : "");
    return text;
}
