/* Writes trees as messages. Recursion is limited by the schema: no table of it holds itself, and writing counts its
 * depth besides. */
#include "base/search.h"
#include "flat/message.h"
#include "flat/writer.h"

#include "json/number.h"

struct writing {
    struct flat_writer writer;
    struct arena *arena;
};

static struct status does_not_fit(const struct writing *writing, const struct flat_table *table,
                                  const struct flat_field *field, const char *what)
{
    return status_invalid(writing->arena, "member '%s' of %s %s", field->name, table->name, what);
}

/* Returns the member of that field, or NULL if it is absent or null. */
static const struct tree *member_of(const struct tree *object, const struct flat_field *field)
{
    const struct tree *member = tree_member(object, field->name);
    return member && member->type != TREE_NULL ? member : NULL;
}

/* Reads an integer: a number, or a string that spells one. */
static bool read_integer(const struct tree *value, int64_t *number)
{
    return (value->type == TREE_NUMBER || value->type == TREE_STRING) && number_read_int64(value->text, number);
}

static bool is_named(const struct tree *value, const struct flat_enum *values, int64_t *number)
{
    for (size_t i = 0; values && value->type == TREE_STRING && i < values->count; i++) {
        if (!str_is(value->text, values->names[i]))
            continue;
        *number = (int64_t)i;
        return true;
    }
    return false;
}

static bool read_scalar(const struct flat_field *field, const struct tree *value, int64_t *number)
{
    if (is_named(value, field->values, number))
        return true;
    return read_integer(value, number) && (field->kind == FLAT_LONG || (*number >= 0 && *number <= UINT8_MAX));
}

static bool is_scalar(const struct flat_field *field)
{
    return !field->is_list && field->kind <= FLAT_LONG;
}

static const struct flat_field *field_named(const struct flat_table *table, struct str name)
{
    return FIND(table->fields, id, table->count, str_is(name, table->fields[id].name));
}

static bool has_all(const struct flat_table *table, const struct tree *object)
{
    return ALL_IN(member, object->first, field_named(table, member->name));
}

/* Returns the table as which the value of a union is written, or NULL. */
static const struct flat_table *table_of_union(const struct flat_table *table, const struct flat_field *field,
                                               const struct tree *object, const struct tree *value)
{
    const struct flat_enum *values = field->values;
    const struct flat_field *type = &table->fields[field - table->fields - 1];
    const struct tree *given = member_of(object, type);
    int64_t number;
    if (given && read_scalar(type, given, &number) && number < (int64_t)values->count && values->tables[number] &&
        has_all(values->tables[number], value))
        return values->tables[number];
    return FIRST(i, values->count, values->tables[i] && has_all(values->tables[i], value), values->tables[i], NULL);
}

static struct status write_table(struct writing *writing, struct flat_slot from, const struct flat_table *table,
                                 const struct tree *object, size_t depth);

/* Writes a list of bytes that is a string, or a list of numbers. */
static struct status write_bytes(struct writing *writing, struct flat_slot from, const struct flat_table *table,
                                 const struct flat_field *field, const struct tree *value)
{
    char *bytes = arena_alloc(writing->arena, value->count);
    size_t count = 0;
    int64_t number;
    if (value->type == TREE_STRING) {
        flat_write_bytes(&writing->writer, from, value->text);
        return STATUS_IS_OK;
    }
    NEED(bytes);
    for (const struct tree *element = value->first; element; element = element->next) {
        if (!read_integer(element, &number) || number < 0 || number > UINT8_MAX)
            return does_not_fit(writing, table, field, "holds an element that is no byte");
        bytes[count++] = (char)number;
    }
    flat_write_bytes(&writing->writer, from, (struct str){bytes, count});
    return STATUS_IS_OK;
}

static struct status write_longs(struct writing *writing, struct flat_slot from, const struct flat_table *table,
                                 const struct flat_field *field, const struct tree *list)
{
    int64_t *numbers = arena_alloc_zero(writing->arena, list->count, sizeof(*numbers));
    size_t count = 0;
    NEED(numbers);
    for (const struct tree *element = list->first; element; element = element->next)
        if (!read_integer(element, &numbers[count++]))
            return does_not_fit(writing, table, field, "holds an element that is no integer of 64 bits");
    flat_write_longs(&writing->writer, from, numbers, count);
    return STATUS_IS_OK;
}

/* Writes a string or a table: a field, or an element of a list. */
static struct status write_one(struct writing *writing, struct flat_slot from, const struct flat_table *table,
                               const struct flat_field *field, const struct flat_table *child, const struct tree *value,
                               size_t depth)
{
    if (field->kind != FLAT_STRING)
        return value->type == TREE_OBJECT ? write_table(writing, from, child, value, depth + 1)
                                          : does_not_fit(writing, table, field, "is not an object");
    if (value->type != TREE_STRING)
        return does_not_fit(writing, table, field, "is not a string");
    flat_write_string(&writing->writer, from, value->text);
    return STATUS_IS_OK;
}

static struct status write_list(struct writing *writing, struct flat_slot from, const struct flat_table *table,
                                const struct flat_field *field, const struct tree *list, size_t depth)
{
    if (field->kind == FLAT_UBYTE && list->type == TREE_STRING)
        return write_bytes(writing, from, table, field, list);
    if (list->type != TREE_ARRAY)
        return does_not_fit(writing, table, field, "is not a list");
    if (field->kind == FLAT_UBYTE)
        return write_bytes(writing, from, table, field, list);
    if (field->kind == FLAT_LONG)
        return write_longs(writing, from, table, field, list);
    struct flat_slot slot = flat_write_list(&writing->writer, from, list->count);
    for (const struct tree *element = list->first; element; element = element->next) {
        TRY(write_one(writing, slot, table, field, field->table, element, depth));
        slot = flat_slot_next(slot);
    }
    return STATUS_IS_OK;
}

static struct status write_field(struct writing *writing, struct flat_slot slot, const struct flat_table *table,
                                 const struct flat_field *field, const struct tree *object, size_t depth)
{
    const struct tree *value = member_of(object, field);
    const struct flat_table *child = field->table;
    int64_t number;
    if (field->is_list)
        return write_list(writing, slot, table, field, value, depth);
    if (is_scalar(field)) {
        if (!read_scalar(field, value, &number))
            return does_not_fit(writing, table, field, "does not fit its type");
        flat_write_scalar(&writing->writer, slot, (uint64_t)number, flat_field_size(field));
        return STATUS_IS_OK;
    }
    if (field->kind == FLAT_UNION && value->type == TREE_OBJECT)
        child = table_of_union(table, field, object, value);
    if (field->kind == FLAT_UNION && !child)
        return does_not_fit(writing, table, field, "fits no table of the union");
    return write_one(writing, slot, table, field, child, value, depth);
}

/* Says whether a field takes room: it is there, and no scalar that is zero. */
static bool is_written(const struct flat_field *field, const struct tree *object)
{
    const struct tree *value = member_of(object, field);
    int64_t number;
    return value && !(is_scalar(field) && read_scalar(field, value, &number) && number == 0);
}

static struct status write_table(struct writing *writing, struct flat_slot from, const struct flat_table *table,
                                 const struct tree *object, size_t depth)
{
    struct flat_slot slots[FLAT_FIELDS_MAX];
    unsigned present = 0;
    if (depth > FLAT_DEPTH)
        return status_invalid(writing->arena, "tables nest deeper than %d", FLAT_DEPTH);
    for (const struct tree *member = object->first; member; member = member->next)
        if (!field_named(table, member->name))
            return status_invalid(writing->arena, "%s has no member '%s'", table->name,
                                  str_printable(writing->arena, member->name));
    for (unsigned id = 0; id < table->count; id++)
        present |= (unsigned)is_written(&table->fields[id], object) << id;
    flat_write_table(&writing->writer, from, table, present, slots);
    for (unsigned id = 0; id < table->count; id++)
        if (present >> id & 1)
            TRY(write_field(writing, slots[id], table, &table->fields[id], object, depth));
    return STATUS_IS_OK;
}

struct status flat_from_tree(const struct flat_table *root, const struct tree *tree, struct buf *out,
                             struct arena *arena)
{
    if (tree->type != TREE_OBJECT)
        return status_invalid(arena, "%s must be an object, not %s", root->name, tree_type_name(tree->type));
    struct writing writing = {flat_writer_begin(out, NULL), arena};
    struct status status = write_table(&writing, flat_write_root(&writing.writer), root, tree, 1);
    return is_ok(status) && (writing.writer.failed || out->failed) ? status_no_memory() : status;
}
