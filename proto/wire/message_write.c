/* Makes messages of trees. This recurses into sub-messages, and counts their depth. */
#include "wire/field.h"
#include "wire/message.h"
#include "json/number.h"

#include <math.h>

struct writer {
    struct buf *out;
    struct arena *arena;
};

static struct status does_not_fit(const struct writer *writer, const ProtobufCMessageDescriptor *type,
                                  const ProtobufCFieldDescriptor *field, const char *what)
{
    return status_invalid(writer->arena, "member '%s' of %s %s", field->name, type->name, what);
}

/* Returns the spelling of a number: that of a JSON number, or the text of a string, because some JSON tools round
 * numbers. */
static struct str spelling_of(const struct tree *value)
{
    bool is_number = value->type == TREE_NUMBER || (value->type == TREE_STRING && value->text.size > 0 &&
                                                    number_first(value->text) == value->text.size);
    return is_number ? value->text : (struct str){0};
}

static bool signed_bits(struct str spelling, int64_t least, int64_t most, uint64_t *bits)
{
    int64_t value;
    if (!number_read_int64(spelling, &value) || value < least || value > most)
        return false;
    *bits = (uint64_t)value;
    return true;
}

static bool unsigned_bits(struct str spelling, uint64_t most, uint64_t *bits)
{
    return number_read_uint64(spelling, bits) && *bits <= most;
}

static bool special_double(const struct tree *value, double *number)
{
    if (value->type != TREE_STRING)
        return false;
    *number = str_is(value->text, "NaN")         ? (double)NAN
              : str_is(value->text, "Infinity")  ? (double)INFINITY
              : str_is(value->text, "-Infinity") ? -(double)INFINITY
                                                 : 0;
    return *number != 0;
}

static bool float_bits(const struct tree *value, struct str spelling, uint64_t *bits)
{
    float number;
    double special;
    if (special_double(value, &special))
        number = (float)special;
    else if (!spelling.data || !number_read_float(spelling, &number))
        return false;
    *bits = 0;
    memcpy(bits, &number, sizeof number);
    return true;
}

static bool double_bits(const struct tree *value, struct str spelling, uint64_t *bits)
{
    double number;
    if (!special_double(value, &number) && (!spelling.data || !number_read_double(spelling, &number)))
        return false;
    memcpy(bits, &number, sizeof number);
    return true;
}

/* Sets the bits of a number or bool on the wire. Returns false if it does not fit the type. */
static bool scalar_bits(ProtobufCType type, const struct tree *value, uint64_t *bits)
{
    struct str spelling = spelling_of(value);
    if (type == PROTOBUF_C_TYPE_BOOL && value->type == TREE_BOOL) {
        *bits = value->boolean;
        return true;
    }
    if (type == PROTOBUF_C_TYPE_FLOAT)
        return float_bits(value, spelling, bits);
    if (type == PROTOBUF_C_TYPE_DOUBLE)
        return double_bits(value, spelling, bits);
    if (!spelling.data)
        return false;
    switch (type) {
    case PROTOBUF_C_TYPE_BOOL:
        return value->type == TREE_NUMBER && unsigned_bits(spelling, UINT64_MAX, bits) && *bits > 1;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        return unsigned_bits(spelling, UINT32_MAX, bits);
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        return unsigned_bits(spelling, UINT64_MAX, bits);
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_SINT64:
        if (!signed_bits(spelling, INT64_MIN, INT64_MAX, bits))
            return false;
        break;
    default:
        if (!signed_bits(spelling, INT32_MIN, INT32_MAX, bits))
            return false;
    }
    if (type == PROTOBUF_C_TYPE_SINT32 || type == PROTOBUF_C_TYPE_SINT64)
        *bits = *bits << 1 ^ -(*bits >> 63);
    return true;
}

static void write_bits(struct buf *out, enum wire_type type, uint64_t bits)
{
    if (type == WIRE_VARINT)
        wire_write_varint(out, bits);
    else
        buf_append(out, &bits, type == WIRE_FIXED64 ? 8 : 4);
}

/* Inserts the length of what was written since `start`, which is known only now; what was written is moved. */
static void insert_length(struct buf *out, size_t start)
{
    char length[10];
    size_t size = wire_put_varint(length, out->size - start);
    if (out->failed || !buf_reserve(out, size))
        return;
    memmove(out->data + start + size, out->data + start, out->size - start);
    memcpy(out->data + start, length, size);
    out->size += size;
}

static struct status write_message(const struct writer *writer, const ProtobufCMessageDescriptor *type,
                                   const struct tree *object, size_t depth);

/* Writes one value with its tag. With `with_default`, a zero is written too. */
static struct status write_value(const struct writer *writer, const ProtobufCMessageDescriptor *type,
                                 const ProtobufCFieldDescriptor *field, const struct tree *value, bool with_default,
                                 size_t depth)
{
    struct buf *out = writer->out;
    if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        if (value->type != TREE_OBJECT)
            return does_not_fit(writer, type, field, "is not an object");
        wire_write_tag(out, field->id, WIRE_BYTES);
        size_t start = out->size;
        struct status status = write_message(writer, field->descriptor, value, depth + 1);
        insert_length(out, start);
        return status;
    }
    if (wire_type_of(field->type) == WIRE_BYTES) {
        if (value->type != TREE_STRING)
            return does_not_fit(writer, type, field, "is not a string");
        if (with_default || value->text.size > 0)
            wire_write_bytes(out, field->id, value->text);
        return STATUS_IS_OK;
    }
    uint64_t bits;
    if (!scalar_bits(field->type, value, &bits))
        return does_not_fit(writer, type, field, "does not fit its type");
    if (with_default || bits != 0) {
        wire_write_tag(out, field->id, wire_type_of(field->type));
        write_bits(out, wire_type_of(field->type), bits);
    }
    return STATUS_IS_OK;
}

static struct status write_packed(const struct writer *writer, const ProtobufCMessageDescriptor *type,
                                  const ProtobufCFieldDescriptor *field, const struct tree *list)
{
    if (!list->first)
        return STATUS_IS_OK;
    wire_write_tag(writer->out, field->id, WIRE_BYTES);
    size_t start = writer->out->size;
    for (const struct tree *element = list->first; element; element = element->next) {
        uint64_t bits;
        if (!scalar_bits(field->type, element, &bits))
            return does_not_fit(writer, type, field, "holds an element that does not fit its type");
        write_bits(writer->out, wire_type_of(field->type), bits);
    }
    insert_length(writer->out, start);
    return STATUS_IS_OK;
}

static struct status write_map(const struct writer *writer, const ProtobufCFieldDescriptor *field,
                               const struct tree *map, size_t depth)
{
    const ProtobufCMessageDescriptor *type = field->descriptor;
    struct status status = STATUS_IS_OK;
    for (const struct tree *value = map->first; value && is_ok(status); value = value->next) {
        struct tree key = {.type = TREE_STRING, .text = value->name};
        wire_write_tag(writer->out, field->id, WIRE_BYTES);
        size_t start = writer->out->size;
        status = write_value(writer, type, &type->fields[0], &key, true, depth + 1);
        if (is_ok(status))
            status = write_value(writer, type, &type->fields[1], value, true, depth + 1);
        insert_length(writer->out, start);
    }
    return status;
}

static struct status write_member(const struct writer *writer, const ProtobufCMessageDescriptor *type,
                                  const ProtobufCFieldDescriptor *field, const struct tree *value, size_t depth)
{
    if (!field_is_repeated(field))
        return write_value(writer, type, field, value, field_is_in_oneof(field), depth);
    if (field_is_map(field) && value->type == TREE_OBJECT)
        return write_map(writer, field, value, depth);
    if (value->type != TREE_ARRAY)
        return does_not_fit(writer, type, field, field_is_map(field) ? "is not an object" : "is not a list");
    if (field_is_packable(field))
        return write_packed(writer, type, field, value);
    for (const struct tree *element = value->first; element; element = element->next)
        TRY(write_value(writer, type, field, element, true, depth));
    return STATUS_IS_OK;
}

static struct status write_message(const struct writer *writer, const ProtobufCMessageDescriptor *type,
                                   const struct tree *object, size_t depth)
{
    if (depth > WIRE_DEPTH)
        return status_invalid(writer->arena, "a message nests deeper than %d", WIRE_DEPTH);
    for (const struct tree *member = object->first; member; member = member->next)
        if (!field_named(type, member->name))
            return status_invalid(writer->arena, "%s has no member '%s'", type->name,
                                  str_printable(writer->arena, member->name));
    for (unsigned i = 0; i < type->n_fields; i++)
        for (const struct tree *member = object->first; member; member = member->next) {
            if (!str_is(member->name, type->fields[i].name))
                continue;
            TRY(write_member(writer, type, &type->fields[i], member, depth));
        }
    return STATUS_IS_OK;
}

struct status wire_from_tree(const ProtobufCMessageDescriptor *type, const struct tree *tree, struct buf *out,
                             struct arena *arena)
{
    if (tree->type != TREE_OBJECT)
        return status_invalid(arena, "%s must be an object, not %s", type->name, tree_type_name(tree->type));
    struct writer writer = {out, arena};
    struct status status = write_message(&writer, type, tree, 1);
    return is_ok(status) && out->failed ? status_no_memory() : status;
}
