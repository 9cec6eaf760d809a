/* Writes a flatbuffer from front to back, in one pass. A table is written with room for its offsets, and the objects at
 * these offsets follow it. So a parent always comes before its children, and large data need not be copied: it is sent
 * from where it lies.
 *
 *     struct flat_writer writer = flat_writer_begin(out, arena);
 *     struct flat_slot slots[FLAT_FIELDS_MAX], root = flat_write_root(&writer);
 *     flat_write_table(&writer, root, &graphpipe_error, 1 << ERROR_CODE | 1 << ERROR_MESSAGE, slots);
 *     flat_write_scalar(&writer, slots[ERROR_CODE], 7, 8);
 *     flat_write_string(&writer, slots[ERROR_MESSAGE], message);
 *
 * Everything is aligned as the format demands, and the elements of lists of bytes to 8, relative to the start of the
 * message. A failure of memory is remembered in `failed`; the caller checks it once, at the end. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "flat/schema.h"
#include <stdint.h>

/* Bytes of the message that are not in the buf, but lie elsewhere. */
struct flat_splice {
    size_t at; /* bytes of the buf before it */
    struct str bytes;
};

struct flat_writer {
    struct buf *out;
    struct arena *arena; /* NULL: everything is copied into the buf */
    size_t base;         /* size of the buf at the begin */
    size_t size;         /* bytes of the message so far, with the splices */
    struct flat_splice *splices;
    size_t splice_count;
    bool failed;
};

/* A place in the message that is still to be filled. */
struct flat_slot {
    size_t at;       /* in the buf */
    size_t position; /* in the message */
};

/* Begins a message after what is in the buf. Data from FLAT_SPLICE_MIN bytes on becomes a splice, unless `arena` is
 * NULL; it must then stay until the message is sent. */
#define FLAT_SPLICE_MIN ((size_t)4096)
struct flat_writer flat_writer_begin(struct buf *out, struct arena *arena);

/* Writes the offset to the root, and returns its place. */
struct flat_slot flat_write_root(struct flat_writer *writer);

/* Writes a table, to which `from` shall lead. `present` has a bit for each field that is not absent; slots[id] becomes
 * its place, which is filled with zeros. The place of a list, a string or a table must then be filled by one of the
 * functions below. */
void flat_write_table(struct flat_writer *writer, struct flat_slot from, const struct flat_table *table,
                      unsigned present, struct flat_slot slots[FLAT_FIELDS_MAX]);

/* Fills the place of a scalar of `size` bytes, 1 or 8. */
void flat_write_scalar(struct flat_writer *writer, struct flat_slot slot, uint64_t value, size_t size);

/* Writes a string, with a NUL after it. */
void flat_write_string(struct flat_writer *writer, struct flat_slot from, struct str string);

/* Writes a list of bytes; these may become a splice. */
void flat_write_bytes(struct flat_writer *writer, struct flat_slot from, struct str bytes);

void flat_write_longs(struct flat_writer *writer, struct flat_slot from, const int64_t *values, size_t count);

/* Writes a list of strings or tables with `count` empty places, and returns the first of them. */
struct flat_slot flat_write_list(struct flat_writer *writer, struct flat_slot from, size_t count);

static inline struct flat_slot flat_slot_next(struct flat_slot slot)
{
    return (struct flat_slot){slot.at + 4, slot.position + 4};
}
