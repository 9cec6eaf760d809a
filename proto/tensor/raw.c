#include "tensor/raw.h"

#include "base/search.h"

static uint32_t length_at(const char *at)
{
    uint32_t length;
    memcpy(&length, at, sizeof length);
    return length;
}

static void normalise_bool(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = bytes[i] != 0;
}

static struct status count_bytes_elements(struct str bytes, struct tensor *tensor, struct arena *arena)
{
    size_t count = 0, at = 0;
    while (at < bytes.size) {
        size_t left = bytes.size - at;
        if (left < 4)
            return status_invalid(arena,
                                  "raw data of tensor '%s' (BYTES): element %zu has %zu bytes where its 4-byte length "
                                  "should stand",
                                  str_printable(arena, tensor->name), count, left);
        uint32_t length = length_at(bytes.data + at);
        if (length > left - 4)
            return status_invalid(arena, "raw data of tensor '%s' (BYTES): element %zu claims %u bytes, %zu are left",
                                  str_printable(arena, tensor->name), count, length, left - 4);
        at += 4 + (size_t)length;
        count++;
    }
    tensor->count = count;
    return STATUS_IS_OK;
}

struct status raw_read_tensor(struct str bytes, struct tensor *tensor, struct arena *arena)
{
    size_t size = datatype_size(tensor->datatype);
    memcpy(&tensor->data, &bytes.data, sizeof tensor->data); /* the caller promises that the bytes are writable */
    tensor->size = bytes.size;
    if (tensor->datatype == DATATYPE_BYTES)
        return count_bytes_elements(bytes, tensor, arena);
    if (size == 0 || bytes.size % size != 0)
        return status_invalid(
            arena, "raw data of tensor '%s' is %zu bytes, which is not a whole number of %s elements (%zu bytes each)",
            str_printable(arena, tensor->name), bytes.size, datatype_name(tensor->datatype), size);
    tensor->count = bytes.size / size;
    if (tensor->datatype == DATATYPE_BOOL)
        normalise_bool(tensor->data, tensor->count);
    return STATUS_IS_OK;
}

bool raw_align(struct str *bytes, size_t alignment, struct arena *arena)
{
    if (((uintptr_t)bytes->data & (alignment - 1)) == 0 || bytes->size == 0)
        return true;
    char *room = arena_alloc(arena, bytes->size + alignment);
    if (!room)
        return false;
    room += -(uintptr_t)room & (alignment - 1);
    memcpy(room, bytes->data, bytes->size);
    bytes->data = room;
    return true;
}

char *raw_put_bytes(char *to, struct str element)
{
    uint32_t length = (uint32_t)element.size;
    to = mempcpy(to, &length, sizeof length);
    return length ? mempcpy(to, element.data, length) : to;
}

bool raw_join_bytes(const struct str *elements, size_t count, struct arena *arena, struct tensor *tensor)
{
    size_t size = SUM(i, count, sizeof(uint32_t) + elements[i].size);
    char *to = tensor->data = arena_alloc(arena, size);
    for (size_t i = 0; to && i < count; i++)
        to = raw_put_bytes(to, elements[i]);
    tensor->size = size;
    return to != NULL;
}

bool raw_next_bytes(const struct tensor *tensor, size_t *offset, struct str *element)
{
    if (*offset >= tensor->size)
        return false;
    const char *at = (const char *)tensor->data + *offset;
    *element = (struct str){at + 4, length_at(at)};
    *offset += 4 + element->size;
    return true;
}
