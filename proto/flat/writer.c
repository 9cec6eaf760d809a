#include "flat/writer.h"

#include "flat/flat.h"

struct flat_writer flat_writer_begin(struct buf *out, struct arena *arena)
{
    return (struct flat_writer){.out = out, .arena = arena, .base = out->size};
}

/* Appends bytes, or zeros if `bytes` is NULL. */
static void append(struct flat_writer *writer, const void *bytes, size_t size)
{
    char *room = size ? buf_reserve(writer->out, size) : NULL;
    if (size > FLAT_MESSAGE_MAX - writer->size || (size && !room)) {
        writer->failed = true;
        return;
    }
    if (size == 0)
        return;
    if (bytes)
        memcpy(room, bytes, size);
    else
        memset(room, 0, size);
    writer->out->size += size;
    writer->size += size;
}

static void append16(struct flat_writer *writer, size_t value)
{
    uint16_t number = (uint16_t)value;
    append(writer, &number, sizeof number);
}

static void append32(struct flat_writer *writer, size_t value)
{
    uint32_t number = (uint32_t)value;
    append(writer, &number, sizeof number);
}

/* Appends zeros until what stands `ahead` bytes further is aligned. */
static void align(struct flat_writer *writer, size_t alignment, size_t ahead)
{
    append(writer, NULL, -(writer->size + ahead) & (alignment - 1));
}

static struct flat_slot here(const struct flat_writer *writer)
{
    return (struct flat_slot){writer->out->size, writer->size};
}

static void fill(struct flat_writer *writer, struct flat_slot slot, const void *value, size_t size)
{
    if (!writer->failed)
        memcpy(writer->out->data + slot.at, value, size);
}

/* Lets the offset in `from` lead to where the message ends now. */
static void link_here(struct flat_writer *writer, struct flat_slot from)
{
    uint32_t offset = (uint32_t)(writer->size - from.position);
    fill(writer, from, &offset, sizeof offset);
}

struct flat_slot flat_write_root(struct flat_writer *writer)
{
    struct flat_slot root = here(writer);
    append32(writer, 0);
    return root;
}

/* Lays out the fields after the 4 bytes that every table starts with: the large ones first, so no gaps are needed.
 * Returns the size of the table. */
static size_t lay_out(const struct flat_table *table, unsigned present, size_t offsets[FLAT_FIELDS_MAX])
{
    size_t end = 4;
    for (size_t size = 8; size > 0; size /= 2) {
        for (size_t id = 0; id < table->count; id++) {
            if (present >> id & 1 && flat_field_size(&table->fields[id]) == size) {
                offsets[id] = end;
                end += size;
            }
        }
    }
    return (end + 3) & ~(size_t)3;
}

static bool has_long(const struct flat_table *table, unsigned present)
{
    bool found = false;
    for (size_t id = 0; id < table->count; id++)
        found |= (present >> id & 1) && flat_field_size(&table->fields[id]) == 8;
    return found;
}

void flat_write_table(struct flat_writer *writer, struct flat_slot from, const struct flat_table *table,
                      unsigned present, struct flat_slot slots[FLAT_FIELDS_MAX])
{
    size_t offsets[FLAT_FIELDS_MAX] = {0}, fields = table->count;
    while (fields > 0 && !(present >> (fields - 1) & 1))
        fields--;
    size_t size = lay_out(table, present, offsets), vtable_size = 4 + 2 * fields;
    if (has_long(table, present))
        align(writer, 8, vtable_size + 4); /* 8 bytes follow the first 4 */
    else
        align(writer, 4, vtable_size);
    append16(writer, vtable_size);
    append16(writer, size);
    for (size_t id = 0; id < fields; id++)
        append16(writer, offsets[id]);
    link_here(writer, from);
    struct flat_slot start = here(writer);
    append32(writer, vtable_size);
    append(writer, NULL, size - 4);
    for (size_t id = 0; id < fields; id++)
        slots[id] = (struct flat_slot){start.at + offsets[id], start.position + offsets[id]};
}

void flat_write_scalar(struct flat_writer *writer, struct flat_slot slot, uint64_t value, size_t size)
{
    fill(writer, slot, &value, size); /* the host is little-endian */
}

/* Starts a vector whose elements are aligned. */
static void begin_vector(struct flat_writer *writer, struct flat_slot from, size_t count, size_t alignment)
{
    align(writer, alignment, 4);
    link_here(writer, from);
    append32(writer, count);
}

void flat_write_string(struct flat_writer *writer, struct flat_slot from, struct str string)
{
    begin_vector(writer, from, string.size, 4);
    append(writer, string.data, string.size);
    append(writer, NULL, 1);
}

void flat_write_bytes(struct flat_writer *writer, struct flat_slot from, struct str bytes)
{
    begin_vector(writer, from, bytes.size, 8);
    if (!writer->arena || bytes.size < FLAT_SPLICE_MIN) {
        append(writer, bytes.data, bytes.size);
        return;
    }
    struct flat_splice *splices = arena_room(writer->splices, writer->splice_count, sizeof(*splices), writer->arena);
    if (bytes.size > FLAT_MESSAGE_MAX - writer->size || !splices) {
        writer->failed = true;
        return;
    }
    writer->splices = splices;
    splices[writer->splice_count++] = (struct flat_splice){writer->out->size, bytes};
    writer->size += bytes.size;
}

void flat_write_longs(struct flat_writer *writer, struct flat_slot from, const int64_t *values, size_t count)
{
    begin_vector(writer, from, count, 8);
    append(writer, values, count * sizeof(*values));
}

struct flat_slot flat_write_list(struct flat_writer *writer, struct flat_slot from, size_t count)
{
    begin_vector(writer, from, count, 4);
    struct flat_slot first = here(writer);
    append(writer, NULL, count * 4);
    return first;
}
