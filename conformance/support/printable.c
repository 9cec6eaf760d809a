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

/* Whether the character is neither a control character, nor a mark that turns the direction or breaks the line, nor one
 * that nobody sees (Default_Ignorable_Code_Point of Unicode, without what belongs to pictures). */
static bool is_harmless(unsigned c)
{
    static const struct {
        unsigned first, last;
    } harmful[] = {{0, 0x1F},        {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},    {0x61C, 0x61C},
                   {0x115F, 0x1160}, {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},  {0x2028, 0x202E},
                   {0x2060, 0x206F}, {0x3164, 0x3164},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},  {0xFFF9, 0xFFFB},
                   {0xFFFE, 0xFFFF}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};
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
        unsigned c = size ? code_point(json.data, size) : 0;
        bool is_kept = c < 0x7F || is_harmless(c);
        if (!is_kept && c > 0xFFFF)
            buf_printf(out, "\\u%04x\\u%04x", 0xD7C0 + (c >> 10), 0xDC00 + (c & 0x3FF));
        else if (!is_kept)
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
