#include "json/writer.h"

#include "json/number.h"

/* Returns the character that follows the backslash. 'u' means that the byte is written as \u and its code. */
static char escape_of(unsigned char byte)
{
    switch (byte) {
    case '"':
    case '\\':
        return (char)byte;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return byte < 0x20 ? 'u' : '\0';
    }
}

void json_write_string(struct buf *out, struct str s)
{
    static const char hex[] = "0123456789abcdef";
    if (s.size == 0) {
        buf_append_literal(out, "\"\"");
        return;
    }
    buf_append_byte(out, '"');
    size_t plain = 0, at = 0; /* the bytes from plain to at are written unchanged */
    while (at < s.size) {
        unsigned char byte = (unsigned char)s.data[at];
        char escape = escape_of(byte);
        size_t length = escape ? 0 : byte < 0x80 ? 1 : str_utf8_first(str_from(s, at));
        if (length) {
            at += length;
            continue;
        }
        buf_append(out, s.data + plain, at - plain);
        if (!escape)
            buf_append_literal(out, "\\ufffd");
        else if (escape == 'u')
            buf_append(out, (char[]){'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]}, 6);
        else
            buf_append(out, (char[]){'\\', escape}, 2);
        plain = ++at;
    }
    buf_append(out, s.data + plain, at - plain);
    buf_append_byte(out, '"');
}

void json_write_name(struct buf *out, struct str name)
{
    json_write_next(out);
    json_write_string(out, name);
    buf_append_byte(out, ':');
}

void json_write_member(struct buf *out, const char *name, struct str value)
{
    json_write_name(out, str_of(name));
    json_write_string(out, value);
}

void json_write_int64(struct buf *out, int64_t value)
{
    char *room = buf_reserve(out, NUMBER_TEXT_MAX);
    if (room)
        out->size += number_write_int64(value, room);
}

void json_write_uint64(struct buf *out, uint64_t value)
{
    char *room = buf_reserve(out, NUMBER_TEXT_MAX);
    if (room)
        out->size += number_write_uint64(value, room);
}

void json_write_double(struct buf *out, double value)
{
    char *room = buf_reserve(out, NUMBER_TEXT_MAX);
    if (room)
        out->size += number_write_double(value, room);
}
