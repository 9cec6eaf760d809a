/* proto/flat/ reads and writes flatbuffers. It may include base/, json/ and tree/ and nothing else.
 *
 * The reader gives the fields of a message one by one, without copying. It is safe for hostile bytes: every position is
 * checked, and nothing needs to be aligned. It takes what real writers send: strings without the NUL after them,
 * tables before or after their vtables, vtables and objects that are shared.
 *
 *     struct flat_reader reader = flat_begin(message);
 *     struct flat_object root, child;
 *     if (flat_root(&reader, &root) && flat_object_at(&reader, &root, 1, &child)) ...
 *     if (reader.fault) ...
 *
 * Objects may be shared, so a small message could stand for a huge one. Each visit of an object costs its bytes, and a
 * reader pays for no more than flat_work_of the message; then it has a fault. So what a caller copies is limited as
 * well, if it reads each field once. */
#pragma once

#include "base/str.h"
#include <stdint.h>

#define FLAT_MESSAGE_MAX ((size_t)0x7fffffff) /* bytes; offsets are no larger */

/* Returns how many bytes may be visited in a message of that size. Writers that share equal strings of a tensor need a
 * few times its size. */
static inline size_t flat_work_of(size_t size)
{
    return 8 * size + 64 * 1024;
}

/* What a strict reader refuses, and this one takes: how much of it was read. */
struct flat_oddities {
    size_t unterminated; /* strings that have no NUL after them */
    size_t misaligned;   /* tables, vectors and scalars that do not lie at a multiple of their size */
};

struct flat_reader {
    struct str bytes;
    const char *fault; /* NULL, or what is wrong; the first fault stays, and nothing is read after it */
    size_t fault_at;   /* the position of the fault */
    size_t work;       /* bytes that may still be visited */
    struct flat_oddities odd;
};

/* A table: where its fields and its vtable lie. */
struct flat_object {
    size_t at, size; /* bytes of the part with the fields, from `at` */
    size_t vtable, vtable_size;
};

/* A vector; `elements` is NULL if the field is absent, and may lie at any address. */
struct flat_list {
    const char *elements;
    size_t count;
    size_t at; /* the position of the first element */
};

struct flat_reader flat_begin(struct str message);

/* Finds the root table. Returns false at a fault. */
bool flat_root(struct flat_reader *reader, struct flat_object *root);

/* The functions below read the field `id` of an object. An absent field is no fault; fields that the reader does not
 * ask for are ignored. After a fault, each field is absent. */

/* Returns the scalar of `size` bytes (1 or 8), or 0 if it is absent. *present may be NULL. */
uint64_t flat_scalar(struct flat_reader *reader, const struct flat_object *object, unsigned id, size_t size,
                     bool *present);

/* Returns the string, which may hold any bytes. Its data is NULL if it is absent. */
struct str flat_string(struct flat_reader *reader, const struct flat_object *object, unsigned id);

/* Finds the table to which the field refers, also as the value of a union. Returns false if it is absent. */
bool flat_object_at(struct flat_reader *reader, const struct flat_object *object, unsigned id,
                    struct flat_object *child);

/* Returns the vector; its elements have `size` bytes each: 1, 8, or 4 for tables and strings. */
struct flat_list flat_list(struct flat_reader *reader, const struct flat_object *object, unsigned id, size_t size);

/* Read an element of a vector; `index` is below its count. */
struct str flat_list_string(struct flat_reader *reader, const struct flat_list *list, size_t index);
bool flat_list_object(struct flat_reader *reader, const struct flat_list *list, size_t index,
                      struct flat_object *child);

static inline int64_t flat_list_int64(const struct flat_list *list, size_t index)
{
    int64_t value;
    memcpy(&value, list->elements + index * sizeof(value), sizeof value);
    return value;
}
