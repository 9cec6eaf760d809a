/* What a field descriptor of protobuf-c means on the wire. Only files that walk messages include this header. */
#pragma once

#include "base/search.h"
#include "wire/wire.h"

#define VALUE_BYTES_MAX 10 /* the longest varint */
#define HEAD_BYTES_MAX  5  /* the longest tag or length; other readers have the same limit */

/* Returns the wire type of a single value. */
static inline enum wire_type wire_type_of(ProtobufCType type)
{
    static const unsigned char types[] = {
        [PROTOBUF_C_TYPE_SFIXED32] = WIRE_FIXED32, [PROTOBUF_C_TYPE_FIXED32] = WIRE_FIXED32,
        [PROTOBUF_C_TYPE_FLOAT] = WIRE_FIXED32,    [PROTOBUF_C_TYPE_SFIXED64] = WIRE_FIXED64,
        [PROTOBUF_C_TYPE_FIXED64] = WIRE_FIXED64,  [PROTOBUF_C_TYPE_DOUBLE] = WIRE_FIXED64,
        [PROTOBUF_C_TYPE_STRING] = WIRE_BYTES,     [PROTOBUF_C_TYPE_BYTES] = WIRE_BYTES,
        [PROTOBUF_C_TYPE_MESSAGE] = WIRE_BYTES,
    };
    return (enum wire_type)types[type]; /* WIRE_VARINT is 0 */
}

static inline bool field_is_repeated(const ProtobufCFieldDescriptor *field)
{
    return field->label == PROTOBUF_C_LABEL_REPEATED;
}

/* Says whether many values may be in one length-delimited field. */
static inline bool field_is_packable(const ProtobufCFieldDescriptor *field)
{
    return field_is_repeated(field) && wire_type_of(field->type) != WIRE_BYTES;
}

static inline bool field_is_in_oneof(const ProtobufCFieldDescriptor *field)
{
    return (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
}

/* Returns the field of that number, or NULL. The fields of most messages are numbered from 1 without a gap; so no
 * search is needed to find them. */
static inline const ProtobufCFieldDescriptor *field_numbered(const ProtobufCMessageDescriptor *type, uint32_t number)
{
    if (number - 1 < type->n_fields && type->fields[number - 1].id == number)
        return &type->fields[number - 1];
    return protobuf_c_message_descriptor_get_field(type, number);
}

/* Returns the field of that name, or NULL. */
static inline const ProtobufCFieldDescriptor *field_named(const ProtobufCMessageDescriptor *type, struct str name)
{
    return FIND(type->fields, i, type->n_fields, str_is(name, type->fields[i].name));
}

/* Says whether a field is a map. protobuf-c does not mark maps, so they are recognized by the name and the fields that
 * every map entry has. */
static inline bool field_is_map(const ProtobufCFieldDescriptor *field)
{
    if (!field_is_repeated(field) || field->type != PROTOBUF_C_TYPE_MESSAGE)
        return false;
    const ProtobufCMessageDescriptor *entry = field->descriptor;
    size_t length = strlen(entry->short_name);
    return length > 5 && memcmp(entry->short_name + length - 5, "Entry", 5) == 0 && entry->n_fields == 2 &&
           entry->fields[0].id == 1 && strcmp(entry->fields[0].name, "key") == 0 && entry->fields[1].id == 2 &&
           strcmp(entry->fields[1].name, "value") == 0;
}

/* Does the work of wire_next_packed where a value begins, for all but a varint of one byte. */
bool wire_next_packed_of_any(struct wire_cursor *cursor, enum wire_type type, uint64_t *value);

/* Reads the next value of a packed field, in the form that wire_next gives. Returns false at the end or at a fault. */
static inline bool wire_next_packed(struct wire_cursor *cursor, enum wire_type type, uint64_t *value)
{
    if (cursor->at == cursor->end)
        return false; /* also after a fault */
    if (type != WIRE_VARINT || *cursor->at & 0x80)
        return wire_next_packed_of_any(cursor, type, value);
    *value = (uint64_t)*cursor->at++;
    return true;
}
