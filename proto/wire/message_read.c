/* Makes trees of messages. This recurses into sub-messages, but never deeper than WIRE_DEPTH: wire_check has limited
 * the depth. */
#include "wire/field.h"
#include "wire/message.h"
#include "json/number.h"

#include <math.h>

static struct str not_a_number_text(double value)
{
    return isnan(value) ? STR("NaN") : value > 0 ? STR("Infinity") : STR("-Infinity");
}

static int64_t unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1 ^ -(value & 1));
}

static float float_of(uint64_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Writes the digits of a number. Returns their count; 0 if it is NaN or infinite. */
static size_t write_number(ProtobufCType type, uint64_t value, char text[NUMBER_TEXT_MAX])
{
    switch (type) {
    case PROTOBUF_C_TYPE_FLOAT:
        return isfinite(float_of(value)) ? number_write_float(float_of(value), text) : 0;
    case PROTOBUF_C_TYPE_DOUBLE:
        return isfinite(double_of(value)) ? number_write_double(double_of(value), text) : 0;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        return number_write_uint64((uint32_t)value, text);
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_BOOL: /* no encoder writes a bool above 1, so the number is shown */
        return number_write_uint64(value, text);
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SFIXED64:
        return number_write_int64((int64_t)value, text);
    case PROTOBUF_C_TYPE_SINT64:
        return number_write_int64(unzigzag(value), text);
    case PROTOBUF_C_TYPE_SINT32:
        return number_write_int64((int32_t)unzigzag((uint32_t)value), text);
    default: /* int32, sfixed32 and enum */
        return number_write_int64((int32_t)value, text);
    }
}

/* Gives `node` the value of a scalar. Returns false when the arena is exhausted. */
static bool set_scalar(struct tree *node, ProtobufCType type, const struct wire_field *field, struct arena *arena)
{
    if (type == PROTOBUF_C_TYPE_STRING || type == PROTOBUF_C_TYPE_BYTES) {
        node->type = TREE_STRING;
        node->text = field->bytes;
        return true;
    }
    if (type == PROTOBUF_C_TYPE_BOOL && field->value <= 1) {
        node->type = TREE_BOOL;
        node->boolean = field->value == 1;
        return true;
    }
    char text[NUMBER_TEXT_MAX];
    size_t length = write_number(type, field->value, text);
    node->type = length ? TREE_NUMBER : TREE_STRING;
    if (length == 0)
        node->text =
            not_a_number_text(type == PROTOBUF_C_TYPE_FLOAT ? (double)float_of(field->value) : double_of(field->value));
    else if (length == 1)
        node->text = (struct str){&"0123456789"[text[0] - '0'], 1};
    else
        node->text = arena_copy(arena, (struct str){text, length});
    return node->text.data != NULL;
}

static struct tree *member_of(const struct tree *object, const ProtobufCFieldDescriptor *field)
{
    struct tree *member = object->first;
    while (member && member->name.data != field->name)
        member = member->next;
    return member;
}

static struct tree *add_member(struct tree *object, const ProtobufCFieldDescriptor *field, struct tree *value)
{
    if (value)
        tree_add(object, str_of(field->name), value);
    return value;
}

/* Adds what a field shows before any of it was read. Members of a oneof and sub-messages show nothing. */
static bool add_default(struct tree *object, const ProtobufCFieldDescriptor *field, struct arena *arena)
{
    if (field_is_repeated(field))
        return add_member(object, field, tree_new(arena, field_is_map(field) ? TREE_OBJECT : TREE_ARRAY));
    if (field->type == PROTOBUF_C_TYPE_MESSAGE || field_is_in_oneof(field))
        return true;
    struct tree *member = add_member(object, field, tree_new(arena, TREE_NUMBER));
    return member && set_scalar(member, field->type, &(struct wire_field){0}, arena);
}

static bool add_element(struct tree *array, ProtobufCType type, const struct wire_field *field, struct arena *arena)
{
    struct tree *element = tree_new(arena, TREE_NUMBER);
    if (!element || !set_scalar(element, type, field, arena))
        return false;
    tree_append(array, element);
    return true;
}

static bool add_scalars(struct tree *array, ProtobufCType type, const struct wire_field *field, struct arena *arena)
{
    if (field->type == wire_type_of(type))
        return add_element(array, type, field, arena);
    struct wire_cursor at = wire_begin(field->bytes);
    struct wire_field element = {.type = wire_type_of(type)};
    while (wire_next_packed(&at, element.type, &element.value))
        if (!add_element(array, type, &element, arena))
            return false;
    return true;
}

/* Merges all occurrences of one sub-message: protobuf merges them if their bytes are put one after the other. */
static struct str merged(struct wire_cursor rest, struct wire_field first, struct arena *arena)
{
    struct wire_cursor at = rest;
    struct wire_field field;
    size_t size = first.bytes.size;
    while (wire_next(&at, &field))
        size += field.number == first.number ? field.bytes.size : 0;
    if (size == first.bytes.size)
        return first.bytes;
    char *bytes = arena_alloc(arena, size), *to = bytes;
    if (!bytes)
        return (struct str){0};
    memcpy(to, first.bytes.data, first.bytes.size);
    to += first.bytes.size;
    while (wire_next(&rest, &field)) {
        if (field.number != first.number)
            continue;
        memcpy(to, field.bytes.data, field.bytes.size);
        to += field.bytes.size;
    }
    return (struct str){bytes, size};
}

static struct tree *read_message(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena);

static bool add_map_entry(struct tree *map, const ProtobufCMessageDescriptor *type, struct str bytes,
                          struct arena *arena)
{
    struct tree *entry = read_message(type, bytes, arena);
    if (!entry)
        return false;
    const struct tree *key = member_of(entry, &type->fields[0]);
    struct tree *value = member_of(entry, &type->fields[1]);
    if (value)
        tree_remove(entry, value);
    else
        value = read_message(type->fields[1].descriptor, (struct str){0}, arena);
    if (!value)
        return false;
    struct str name = key->type == TREE_BOOL ? str_of(key->boolean ? "true" : "false") : key->text;
    tree_add(map, name, value);
    return true;
}

static void clear_oneof(struct tree *object, const ProtobufCMessageDescriptor *type,
                        const ProtobufCFieldDescriptor *set)
{
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        struct tree *member = member_of(object, field);
        if (member && field != set && field_is_in_oneof(field) && field->quantifier_offset == set->quantifier_offset)
            tree_remove(object, member);
    }
}

static bool read_repeated(struct tree *list, const ProtobufCFieldDescriptor *field, const struct wire_field *value,
                          struct arena *arena)
{
    if (field->type != PROTOBUF_C_TYPE_MESSAGE)
        return add_scalars(list, field->type, value, arena);
    if (list->type == TREE_OBJECT)
        return add_map_entry(list, field->descriptor, value->bytes, arena);
    struct tree *element = read_message(field->descriptor, value->bytes, arena);
    if (element)
        tree_append(list, element);
    return element != NULL;
}

static bool read_field(struct tree *object, const ProtobufCMessageDescriptor *type,
                       const ProtobufCFieldDescriptor *field, const struct wire_field *value, struct wire_cursor rest,
                       struct arena *arena)
{
    struct tree *member = member_of(object, field);
    if (field_is_repeated(field))
        return read_repeated(member, field, value, arena);
    if (field_is_in_oneof(field))
        clear_oneof(object, type, field);
    if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        if (member)
            return true; /* it was merged when it came first */
        struct str bytes = merged(rest, *value, arena);
        return bytes.data && add_member(object, field, read_message(field->descriptor, bytes, arena));
    }
    if (!member)
        member = add_member(object, field, tree_new(arena, TREE_NUMBER));
    return member && set_scalar(member, field->type, value, arena);
}

/* `message` has passed wire_check. Returns NULL when the arena is exhausted. */
static struct tree *read_message(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena)
{
    struct tree *object = tree_new(arena, TREE_OBJECT);
    if (!object)
        return NULL;
    for (unsigned i = 0; i < type->n_fields; i++)
        if (!add_default(object, &type->fields[i], arena))
            return NULL;
    struct wire_cursor at = wire_begin(message);
    struct wire_field value;
    while (wire_next(&at, &value)) {
        const ProtobufCFieldDescriptor *field = field_numbered(type, value.number);
        if (field && !read_field(object, type, field, &value, at, arena))
            return NULL;
    }
    return object;
}

struct status wire_to_tree(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena,
                           struct tree **tree)
{
    TRY(wire_check(type, message, arena));
    *tree = read_message(type, message, arena);
    return *tree ? STATUS_IS_OK : status_no_memory();
}
