/* Reads messages into trees. It recurses into tables, but never deeper than FLAT_DEPTH. */
#include "flat/message.h"

#include <stdio.h>

/* Where a field lies, for messages to a person: the tables around it are on the stack. */
struct place {
    const struct place *parent;
    const char *name;
    size_t index, depth;
    bool is_element;
};

struct reading {
    struct flat_reader reader;
    struct arena *arena;
    char path[200]; /* where the first fault was found; empty: at the root */
    bool no_memory;
};

static size_t write_path(const struct place *place, char *path, size_t size)
{
    size_t length = place->parent ? write_path(place->parent, path, size) : 0;
    if (!place->name || length >= size)
        return length;
    length += (size_t)snprintf(path + length, size - length, length ? ".%s" : "%s", place->name);
    if (place->is_element && length < size)
        length += (size_t)snprintf(path + length, size - length, "[%zu]", place->index);
    return length;
}

/* Says whether reading can go on. Remembers the place at the first fault. */
static bool goes_on(struct reading *reading, const struct place *place)
{
    if (!reading->reader.fault)
        return !reading->no_memory;
    if (!reading->path[0])
        write_path(place, reading->path, sizeof reading->path);
    return false;
}

static struct tree *made(struct reading *reading, struct tree *node)
{
    reading->no_memory |= node == NULL;
    return node;
}

static struct tree *integer(struct reading *reading, int64_t value)
{
    return made(reading, tree_int(reading->arena, value));
}

/* An absent string gives NULL. */
static struct tree *string(struct reading *reading, struct str text)
{
    return text.data ? made(reading, tree_string(reading->arena, text)) : NULL;
}

static struct tree *enumerated(struct reading *reading, const struct flat_enum *values, uint64_t value)
{
    if (values && value < values->count)
        return string(reading, str_of(values->names[value]));
    return integer(reading, (int64_t)value);
}

static struct tree *read_table(struct reading *reading, const struct flat_table *table,
                               const struct flat_object *object, const struct place *place);

static struct tree *read_element(struct reading *reading, const struct flat_field *field, const struct flat_list *list,
                                 struct place *place)
{
    struct flat_object child;
    if (field->kind == FLAT_LONG)
        return integer(reading, flat_list_int64(list, place->index));
    if (field->kind == FLAT_STRING)
        return string(reading, flat_list_string(&reading->reader, list, place->index));
    return flat_list_object(&reading->reader, list, place->index, &child)
               ? read_table(reading, field->table, &child, place)
               : NULL;
}

static struct tree *read_list(struct reading *reading, const struct flat_object *object, const struct flat_field *field,
                              unsigned id, struct place *place)
{
    struct flat_list list = flat_list(&reading->reader, object, id, flat_element_size(field));
    if (!list.elements)
        return NULL;
    if (field->kind == FLAT_UBYTE)
        return string(reading, (struct str){list.elements, list.count});
    struct tree *array = made(reading, tree_new(reading->arena, TREE_ARRAY));
    place->is_element = true;
    for (place->index = 0; place->index < list.count && goes_on(reading, place); place->index++) {
        struct tree *element = read_element(reading, field, &list, place);
        if (element && array)
            tree_append(array, element);
        goes_on(reading, place);
    }
    return array;
}

/* Reads the value of a union, whose type is the field before it. */
static struct tree *read_union(struct reading *reading, const struct flat_object *object,
                               const struct flat_field *field, unsigned id, const struct place *place)
{
    struct flat_object child;
    uint64_t type = flat_scalar(&reading->reader, object, id - 1, 1, NULL);
    const struct flat_table *table = type < field->values->count ? field->values->tables[type] : NULL;
    return table && flat_object_at(&reading->reader, object, id, &child) ? read_table(reading, table, &child, place)
                                                                         : NULL;
}

/* Returns NULL if the field is absent. */
static struct tree *read_field(struct reading *reading, const struct flat_object *object,
                               const struct flat_field *field, unsigned id, struct place *place)
{
    struct flat_object child;
    if (field->is_list)
        return read_list(reading, object, field, id, place);
    switch (field->kind) {
    case FLAT_UBYTE:
        return enumerated(reading, field->values, flat_scalar(&reading->reader, object, id, 1, NULL));
    case FLAT_LONG:
        return integer(reading, (int64_t)flat_scalar(&reading->reader, object, id, 8, NULL));
    case FLAT_STRING:
        return string(reading, flat_string(&reading->reader, object, id));
    case FLAT_TABLE:
        return flat_object_at(&reading->reader, object, id, &child) ? read_table(reading, field->table, &child, place)
                                                                    : NULL;
    default:
        return read_union(reading, object, field, id, place);
    }
}

static struct tree *read_table(struct reading *reading, const struct flat_table *table,
                               const struct flat_object *object, const struct place *place)
{
    struct place inside = {.parent = place, .depth = place->depth + 1};
    struct tree *tree = made(reading, tree_new(reading->arena, TREE_OBJECT));
    if (inside.depth > FLAT_DEPTH)
        reading->reader.fault = "tables are nested too deep";
    for (unsigned id = 0; id < table->count && goes_on(reading, &inside); id++) {
        const struct flat_field *field = &table->fields[id];
        inside.name = field->name;
        inside.is_element = false;
        struct tree *value = read_field(reading, object, field, id, &inside);
        if (value && tree)
            tree_add(tree, str_of(field->name), value);
        goes_on(reading, &inside);
    }
    return tree;
}

struct status flat_to_tree(const struct flat_table *root, struct str message, struct arena *arena, struct tree **tree,
                           struct flat_oddities *odd)
{
    struct reading reading = {.reader = flat_begin(message), .arena = arena};
    struct place place = {0};
    struct flat_object object;
    if (flat_root(&reading.reader, &object))
        *tree = read_table(&reading, root, &object, &place);
    if (reading.no_memory)
        return status_no_memory();
    if (reading.reader.fault)
        return status_invalid(arena, "malformed flatbuffer%s%s: %s at byte %zu", reading.path[0] ? " in " : "",
                              reading.path, reading.reader.fault, reading.reader.fault_at);
    if (odd)
        *odd = reading.reader.odd;
    return STATUS_IS_OK;
}
