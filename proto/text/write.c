#include "text/write.h"

#include "wire/field.h"
#include "json/writer.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct writing {
    struct buf *text;
    enum text_form form;
    int depth;
};

static void write_message(struct writing *writing, const ProtobufCMessage *message, bool is_entry);

/* --- Values --- */

static void write_string(struct buf *text, struct str string)
{
    static const char names[] = "\nn\rr\tt\"\"''\\\\"; /* a byte, and what stands for it after a backslash */
    buf_append_byte(text, '"');
    for (size_t i = 0; i < string.size; i++) {
        unsigned char byte = (unsigned char)string.data[i];
        const char *name = names;
        while (*name && (unsigned char)*name != byte)
            name += 2;
        if (*name) {
            buf_append_byte(text, '\\');
            buf_append_byte(text, name[1]);
        } else if (byte < ' ' || byte > '~') {
            const char octal[] = {'\\', (char)('0' + (byte >> 6)), (char)('0' + (byte >> 3 & 7)),
                                  (char)('0' + (byte & 7))};
            buf_append(text, octal, sizeof(octal));
        } else {
            buf_append_byte(text, (char)byte);
        }
    }
    buf_append_byte(text, '"');
}

static void write_special(struct buf *text, double value)
{
    buf_append_str(text, isnan(value) ? STR("nan") : value > 0 ? STR("inf") : STR("-inf"));
}

/* Writes the digits that libprotobuf writes: six if the C library reads the value from them without complaint, which
 * it has about very small values, else nine. */
static void write_float(struct buf *text, float value)
{
    char digits[32];
    if (!isfinite(value)) {
        write_special(text, (double)value);
        return;
    }
    snprintf(digits, sizeof(digits), "%.*g", FLT_DIG, (double)value);
    errno = 0;
    if (strtof(digits, NULL) != value || errno)
        snprintf(digits, sizeof(digits), "%.*g", FLT_DIG + 3, (double)value);
    buf_append_str(text, str_of(digits));
}

static void write_double(struct buf *text, double value)
{
    char digits[40];
    if (!isfinite(value)) {
        write_special(text, value);
        return;
    }
    snprintf(digits, sizeof(digits), "%.*g", DBL_DIG, value);
    if (strtod(digits, NULL) != value)
        snprintf(digits, sizeof(digits), "%.*g", DBL_DIG + 2, value);
    buf_append_str(text, str_of(digits));
}

static void write_enum(struct buf *text, const ProtobufCEnumDescriptor *type, int value)
{
    const ProtobufCEnumValue *named = protobuf_c_enum_descriptor_get_value(type, value);
    if (named)
        buf_append_str(text, str_of(named->name));
    else
        json_write_int64(text, value);
}

static void write_scalar(struct buf *text, const ProtobufCFieldDescriptor *field, const void *at)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
        json_write_int64(text, *(const int64_t *)at);
        break;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        json_write_uint64(text, *(const uint64_t *)at);
        break;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        json_write_uint64(text, *(const uint32_t *)at);
        break;
    case PROTOBUF_C_TYPE_BOOL:
        buf_append_str(text, *(const protobuf_c_boolean *)at ? STR("true") : STR("false"));
        break;
    case PROTOBUF_C_TYPE_ENUM:
        write_enum(text, field->descriptor, *(const int *)at);
        break;
    case PROTOBUF_C_TYPE_FLOAT:
        write_float(text, *(const float *)at);
        break;
    case PROTOBUF_C_TYPE_DOUBLE:
        write_double(text, *(const double *)at);
        break;
    case PROTOBUF_C_TYPE_BYTES: {
        const ProtobufCBinaryData *bytes = at;
        write_string(text, (struct str){(const char *)bytes->data, bytes->len});
        break;
    }
    case PROTOBUF_C_TYPE_STRING:
        write_string(text, str_of(*(const char *const *)at));
        break;
    default:
        json_write_int64(text, *(const int32_t *)at);
        break;
    }
}

/* --- Fields --- */

static size_t size_of(ProtobufCType type)
{
    if (type == PROTOBUF_C_TYPE_MESSAGE || type == PROTOBUF_C_TYPE_STRING)
        return sizeof(void *);
    if (type == PROTOBUF_C_TYPE_BYTES)
        return sizeof(ProtobufCBinaryData);
    if (type == PROTOBUF_C_TYPE_BOOL)
        return sizeof(protobuf_c_boolean);
    return type == PROTOBUF_C_TYPE_DOUBLE || type == PROTOBUF_C_TYPE_INT64 || type == PROTOBUF_C_TYPE_SINT64 ||
                   type == PROTOBUF_C_TYPE_SFIXED64 || type == PROTOBUF_C_TYPE_UINT64 || type == PROTOBUF_C_TYPE_FIXED64
               ? sizeof(uint64_t)
               : sizeof(uint32_t);
}

static bool is_zero(const ProtobufCFieldDescriptor *field, const void *at)
{
    static const char zeros[sizeof(uint64_t)];
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        return !*(const ProtobufCMessage *const *)at;
    if (field->type == PROTOBUF_C_TYPE_BYTES)
        return ((const ProtobufCBinaryData *)at)->len == 0;
    if (field->type == PROTOBUF_C_TYPE_STRING)
        return !*(const char *const *)at || !**(const char *const *)at;
    return memcmp(at, zeros, size_of(field->type)) == 0;
}

static void indent(struct writing *writing)
{
    for (int i = 0; writing->form == TEXT_LINES && i < writing->depth; i++)
        buf_append_literal(writing->text, "  ");
}

static void write_value(struct writing *writing, const ProtobufCFieldDescriptor *field, const void *at)
{
    char end = writing->form == TEXT_LINES ? '\n' : ' ';
    indent(writing);
    buf_append_str(writing->text, str_of(field->name));
    if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        buf_append_literal(writing->text, " {");
        buf_append_byte(writing->text, end);
        writing->depth++;
        write_message(writing, *(const ProtobufCMessage *const *)at, field_is_map(field));
        writing->depth--;
        indent(writing);
        buf_append_byte(writing->text, '}');
    } else {
        buf_append_literal(writing->text, ": ");
        write_scalar(writing->text, field, at);
    }
    buf_append_byte(writing->text, end);
}

static void write_list(struct writing *writing, const ProtobufCFieldDescriptor *field, const char *base)
{
    size_t count = *(const size_t *)(const void *)(base + field->quantifier_offset);
    const char *list = *(const char *const *)(const void *)(base + field->offset);
    for (size_t i = 0; i < count; i++)
        write_value(writing, field, list + i * size_of(field->type));
}

/* Of the entry of a map, key and value are always written. */
static void write_message(struct writing *writing, const ProtobufCMessage *message, bool is_entry)
{
    const char *base = (const char *)message;
    for (unsigned i = 0; i < message->descriptor->n_fields && writing->depth < TEXT_DEPTH; i++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
        bool is_chosen =
            field_is_in_oneof(field) && *(const uint32_t *)(const void *)(base + field->quantifier_offset) == field->id;
        if (field_is_repeated(field))
            write_list(writing, field, base);
        else if (is_chosen || is_entry || (!field_is_in_oneof(field) && !is_zero(field, base + field->offset)))
            write_value(writing, field, base + field->offset);
    }
}

void text_write(const ProtobufCMessage *message, enum text_form form, struct buf *text)
{
    struct writing writing = {.text = text, .form = form};
    size_t before = text->size;
    write_message(&writing, message, false);
    if (form == TEXT_LINE && text->size > before)
        text->size--; /* a blank follows each field */
}
