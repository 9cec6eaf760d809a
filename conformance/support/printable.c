#include "support/printable.h"

#include "base/search.h"

unsigned code_point(const char *character, size_t size)
{
    static const unsigned char lead[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    unsigned value = (unsigned char)character[0] & lead[size];
    for (size_t i = 1; i < size; i++)
        value = value << 6 | (character[i] & 0x3F);
    return value;
}

/* Whether the character is neither a control character nor a mark that turns the direction or breaks the line. */
static bool is_harmless(unsigned c)
{
    static const struct {
        unsigned first, last;
    } harmful[] = {{0, 0x1F},        {0x7F, 0x9F},     {0x61C, 0x61C},   {0x200B, 0x200F}, {0x2028, 0x202E},
                   {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xFFFE, 0xFFFF}};
    return !ANY(i, COUNT_OF(harmful), c >= harmful[i].first && c <= harmful[i].last);
}

void append_printable(struct buf *out, struct str text, size_t most)
{
    size_t at = 0;
    while (at < text.size) {
        struct str rest = str_from(text, at);
        size_t size = str_utf8_first(rest);
        if (at + (size ? size : 1) > most) {
            buf_append_literal(out, "...");
            return;
        }
        if (size && is_harmless(code_point(rest.data, size)))
            buf_append(out, rest.data, size);
        else
            for (size_t i = 0; i < (size ? size : 1); i++)
                buf_printf(out, "\\x%02x", (unsigned char)rest.data[i]);
        at += size ? size : 1;
    }
}

void append_printable_json(struct buf *out, struct str json)
{
    while (json.size) {
        size_t size = str_utf8_first(json);
        unsigned c = size > 1 ? code_point(json.data, size) : 0;
        if (size > 1 && !is_harmless(c))
            buf_printf(out, "\\u%04x", c);
        else
            buf_append(out, json.data, size ? size : 1);
        json = str_from(json, size ? size : 1);
    }
}

void append_printable_lines(struct buf *out, struct str text)
{
    while (text.size) {
        bool is_whole = str_has(text, '\n');
        struct str line = str_take(&text, '\n');
        append_printable(out, line, line.size);
        if (is_whole)
            buf_append_byte(out, '\n');
    }
}

size_t printable_prefix(struct str text)
{
    size_t at = 0;
    while (at < text.size) {
        struct str rest = str_from(text, at);
        size_t size = str_utf8_first(rest);
        bool is_space = rest.data[0] == '\t' || rest.data[0] == '\n' || rest.data[0] == '\r';
        if (!size || (!is_space && !is_harmless(code_point(rest.data, size))))
            break;
        at += size;
    }
    return at;
}
