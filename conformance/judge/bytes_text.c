#include "judge/bytes_text.h"

#include "support/printable.h"
#include "wire/field.h"
#include "wire/message.h"

#include <inttypes.h>

#define IN_LINE    8  /* bytes of a line */
#define LINES_MOST 64 /* lines of one piece */
#define MEANING    46 /* columns beside the digits */

/* Appends one line of at most IN_LINE bytes, and a text beside it. */
static void append_line(struct str bytes, struct str beside, const char *begin, struct buf *out)
{
    buf_append_str(out, str_of(begin));
    for (size_t i = 0; i < bytes.size; i++)
        buf_printf(out, "%02x ", (unsigned char)bytes.data[i]);
    if (beside.size)
        buf_printf(out, "%*s%.*s", (int)(3 * (IN_LINE - bytes.size) + 1), "", STR_ARG(beside));
    else
        out->size--;
    buf_append_byte(out, '\n');
}

/* Appends all lines. Beside the first of them stands the meaning; if it is empty, beside each its letters. */
static void append_lines(struct str bytes, struct str meaning, const char *begin, struct buf *out)
{
    for (size_t at = 0; at < bytes.size; at += IN_LINE) {
        struct str rest = str_from(bytes, at), line = {rest.data, rest.size < IN_LINE ? rest.size : IN_LINE};
        char letters[IN_LINE];
        for (size_t i = 0; i < line.size; i++)
            letters[i] = line.data[i] >= ' ' && line.data[i] <= '~' ? line.data[i] : '.';
        if (at == (size_t)LINES_MOST * IN_LINE) {
            buf_printf(out, "%s... and %zu bytes more\n", begin, rest.size);
            return;
        }
        append_line(line, !meaning.size ? (struct str){letters, line.size} : at ? STR("") : meaning, begin, out);
    }
}

void bytes_text(struct str bytes, const char *begin, struct buf *out)
{
    append_lines(bytes, STR(""), begin, out);
}

/* --- Fields of protobuf --- */

static void append_number(const ProtobufCFieldDescriptor *field, uint64_t value, struct buf *out)
{
    double wide;
    float narrow;
    uint32_t low = (uint32_t)value;
    memcpy(&wide, &value, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    if (field->type == PROTOBUF_C_TYPE_DOUBLE)
        buf_printf(out, " %.17g", wide);
    else if (field->type == PROTOBUF_C_TYPE_FLOAT)
        buf_printf(out, " %.9g", (double)narrow);
    else if (field->type == PROTOBUF_C_TYPE_UINT64)
        buf_printf(out, " %" PRIu64, value);
    else
        buf_printf(out, " %" PRId64, (int64_t)value);
}

/* Returns what a field says, for one line: `name "simple"`, `shape 2 2`, `inputs, 23 bytes:`. */
static struct str meaning_of(const ProtobufCFieldDescriptor *field, const struct wire_field *found, size_t depth,
                             struct arena *arena)
{
    struct buf out = {0};
    struct wire_cursor values = wire_begin(found->bytes);
    uint64_t number = found->value;
    buf_printf(&out, "%*s%s", (int)(2 * depth), "", field->name);
    if (found->type != WIRE_BYTES) {
        append_number(field, number, &out);
    } else if (wire_type_of(field->type) != WIRE_BYTES) {
        while (out.size < MEANING - 24 && wire_next_packed(&values, wire_type_of(field->type), &number))
            append_number(field, number, &out);
        buf_append_str(&out, values.at < values.end ? STR(" ...") : STR(""));
    } else if (field->type == PROTOBUF_C_TYPE_STRING) {
        buf_append_literal(&out, " \"");
        append_printable(&out, found->bytes, out.size < MEANING - 5 ? MEANING - 5 - out.size : 0);
        buf_append_byte(&out, '"');
    } else {
        buf_printf(&out, ", %zu bytes%s", found->bytes.size, field->type == PROTOBUF_C_TYPE_MESSAGE ? ":" : "");
    }
    return arena_take(arena, &out);
}

static void append_fields(const ProtobufCMessageDescriptor *type, struct str message, size_t depth, const char *begin,
                          struct arena *arena, struct buf *out)
{
    struct wire_cursor cursor = wire_begin(message);
    struct wire_field found;
    for (const char *start = cursor.at; wire_next(&cursor, &found); start = cursor.at) {
        const ProtobufCFieldDescriptor *field = field_numbered(type, found.number);
        bool nests = field && field->type == PROTOBUF_C_TYPE_MESSAGE;
        struct str bytes = {start, (size_t)(cursor.at - start) - (nests ? found.bytes.size : 0)};
        struct str meaning = field ? meaning_of(field, &found, depth, arena)
                                   : arena_printf(arena, "%*sfield %" PRIu32 ", which the schema lacks",
                                                  (int)(2 * depth), "", found.number);
        append_lines(bytes, meaning, begin, out);
        if (nests)
            append_fields(field->descriptor, found.bytes, depth + 1, begin, arena, out);
    }
}

void bytes_text_message(const ProtobufCMessageDescriptor *type, struct str message, const char *begin,
                        struct arena *arena, struct buf *out)
{
    if (is_ok(wire_check(type, message, arena)))
        append_fields(type, message, 0, begin, arena, out);
    else
        bytes_text(message, begin, out);
}
