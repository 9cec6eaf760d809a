/* A schema of flatbuffers as a table: what a .fbs file says. The kinds are those that the schemas of this project
 * need. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct flat_table;

enum flat_kind {
    FLAT_UBYTE,  /* 1 byte; as a list: bytes */
    FLAT_LONG,   /* 8 bytes, signed */
    FLAT_STRING, /* an offset */
    FLAT_TABLE,  /* an offset */
    FLAT_UNION,  /* an offset to a table; the field before it says to which one */
};

/* The names of the values 0, 1, 2 and so on. For the type of a union also the table of each value, or NULL. */
struct flat_enum {
    const char *const *names;
    const struct flat_table *const *tables;
    size_t count;
};

/* A field; its id is its index in the table. The type of a union is a field of its own, in front of the union. */
struct flat_field {
    const char *name;
    enum flat_kind kind;
    bool is_list;
    const struct flat_enum *values; /* of a FLAT_UBYTE or a FLAT_UNION; NULL if it is a number */
    const struct flat_table *table; /* of a FLAT_TABLE */
};

#define FLAT_FIELDS_MAX 16

struct flat_table {
    const char *name;
    const struct flat_field *fields;
    size_t count; /* at most FLAT_FIELDS_MAX */
};

/* Returns the bytes that a field takes in its table, or an element in its vector. */
static inline size_t flat_field_size(const struct flat_field *field)
{
    return field->is_list || field->kind >= FLAT_STRING ? 4 : field->kind == FLAT_LONG ? 8 : 1;
}

static inline size_t flat_element_size(const struct flat_field *field)
{
    return field->kind >= FLAT_STRING ? 4 : field->kind == FLAT_LONG ? 8 : 1;
}
