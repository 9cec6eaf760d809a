/* Positions and sizes are at most FLAT_MESSAGE_MAX, so sums of two of them do not overflow. */
#include "flat/flat.h"

static bool fail(struct flat_reader *reader, size_t at, const char *fault)
{
    if (!reader->fault) {
        reader->fault = fault;
        reader->fault_at = at;
    }
    return false;
}

/* Says whether `size` bytes lie in the message from `at` on. */
static bool lies_inside(const struct flat_reader *reader, size_t at, size_t size)
{
    return at <= reader->bytes.size && size <= reader->bytes.size - at;
}

static bool pay(struct flat_reader *reader, size_t at, size_t size)
{
    if (size > reader->work)
        return fail(reader, at, "objects are shared too often");
    reader->work -= size;
    return true;
}

static uint16_t load16(const struct flat_reader *reader, size_t at)
{
    uint16_t value;
    memcpy(&value, reader->bytes.data + at, sizeof value);
    return value;
}

static uint32_t load32(const struct flat_reader *reader, size_t at)
{
    uint32_t value;
    memcpy(&value, reader->bytes.data + at, sizeof value);
    return value;
}

struct flat_reader flat_begin(struct str message)
{
    struct flat_reader reader = {.bytes = message, .work = flat_work_of(message.size)};
    if (message.size > FLAT_MESSAGE_MAX)
        fail(&reader, 0, "the message has more than 2147483647 bytes");
    return reader;
}

/* Notes whether what was found at `at`, with parts of `size` bytes, is aligned. */
static void note_alignment(struct flat_reader *reader, size_t at, size_t size)
{
    reader->odd.misaligned += at % size != 0;
}

/* Follows the offset of 4 bytes at `at`. Returns the position of its target, of which `size` bytes are in the message,
 * or 0 at a fault: no target lies there. */
static size_t follow(struct flat_reader *reader, size_t at, size_t size)
{
    size_t offset = 0;
    if (lies_inside(reader, at, 4))
        offset = load32(reader, at);
    else
        fail(reader, at, "an offset is cut off");
    if (!reader->fault && (offset == 0 || !lies_inside(reader, at + offset, size)))
        fail(reader, at, "an offset leads out of the message");
    return reader->fault ? 0 : at + offset;
}

/* Reads the head of a table, whose first 4 bytes are in the message. */
static bool open_object(struct flat_reader *reader, size_t at, struct flat_object *object)
{
    int64_t vtable = (int64_t)at - (int32_t)load32(reader, at);
    if (vtable < 0 || !lies_inside(reader, (size_t)vtable, 4))
        return fail(reader, at, "the vtable of a table lies outside of the message");
    *object =
        (struct flat_object){at, load16(reader, (size_t)vtable + 2), (size_t)vtable, load16(reader, (size_t)vtable)};
    if (object->vtable_size < 4 || object->vtable_size % 2 != 0 ||
        !lies_inside(reader, object->vtable, object->vtable_size))
        return fail(reader, object->vtable, "a vtable has a wrong size");
    if (object->size < 4 || !lies_inside(reader, at, object->size))
        return fail(reader, at, "a table runs over the end of the message");
    note_alignment(reader, at, 4);
    note_alignment(reader, object->vtable, 2);
    return pay(reader, at, object->size);
}

/* Opens the table to which the offset at `at` leads. */
static bool follow_to_object(struct flat_reader *reader, size_t at, struct flat_object *object)
{
    size_t target = follow(reader, at, 4);
    return target && open_object(reader, target, object);
}

/* Opens the vector to which the offset at `at` leads, with elements of `size` bytes. */
static struct flat_list follow_to_list(struct flat_reader *reader, size_t at, size_t size)
{
    struct flat_list list = {0};
    size_t target = follow(reader, at, 4);
    if (!target)
        return list;
    uint64_t count = load32(reader, target), bytes = count * size;
    if (bytes > reader->bytes.size - target - 4) {
        fail(reader, target, "a vector or string runs over the end of the message");
        return list;
    }
    note_alignment(reader, target, 4);
    if (count > 0)
        note_alignment(reader, target + 4, size);
    if (pay(reader, target, 4 + (size_t)bytes))
        list = (struct flat_list){reader->bytes.data + target + 4, (size_t)count, target + 4};
    return list;
}

static struct str follow_to_string(struct flat_reader *reader, size_t at)
{
    struct flat_list list = follow_to_list(reader, at, 1);
    size_t end = list.at + list.count;
    if (list.elements && (end == reader->bytes.size || reader->bytes.data[end] != '\0'))
        reader->odd.unterminated++;
    return (struct str){list.elements, list.count};
}

/* Returns the position of a field of `size` bytes, or 0 if it is absent. */
static size_t find_field(struct flat_reader *reader, const struct flat_object *object, unsigned id, size_t size)
{
    size_t slot = 4 + 2 * (size_t)id;
    if (reader->fault || slot + 2 > object->vtable_size)
        return 0;
    size_t offset = load16(reader, object->vtable + slot);
    if (offset == 0)
        return 0;
    if (offset < 4 || offset + size > object->size) {
        fail(reader, object->vtable + slot, "a field lies outside of its table");
        return 0;
    }
    note_alignment(reader, object->at + offset, size);
    return object->at + offset;
}

bool flat_root(struct flat_reader *reader, struct flat_object *root)
{
    return !reader->fault && follow_to_object(reader, 0, root);
}

uint64_t flat_scalar(struct flat_reader *reader, const struct flat_object *object, unsigned id, size_t size,
                     bool *present)
{
    uint64_t value = 0;
    size_t at = find_field(reader, object, id, size);
    if (at)
        memcpy(&value, reader->bytes.data + at, size); /* the host is little-endian */
    if (present)
        *present = at != 0;
    return value;
}

struct str flat_string(struct flat_reader *reader, const struct flat_object *object, unsigned id)
{
    size_t at = find_field(reader, object, id, 4);
    return at ? follow_to_string(reader, at) : (struct str){0};
}

bool flat_object_at(struct flat_reader *reader, const struct flat_object *object, unsigned id,
                    struct flat_object *child)
{
    size_t at = find_field(reader, object, id, 4);
    return at && follow_to_object(reader, at, child);
}

struct flat_list flat_list(struct flat_reader *reader, const struct flat_object *object, unsigned id, size_t size)
{
    size_t at = find_field(reader, object, id, 4);
    return at ? follow_to_list(reader, at, size) : (struct flat_list){0};
}

struct str flat_list_string(struct flat_reader *reader, const struct flat_list *list, size_t index)
{
    if (reader->fault)
        return (struct str){0};
    return follow_to_string(reader, list->at + 4 * index);
}

bool flat_list_object(struct flat_reader *reader, const struct flat_list *list, size_t index, struct flat_object *child)
{
    return !reader->fault && follow_to_object(reader, list->at + 4 * index, child);
}
