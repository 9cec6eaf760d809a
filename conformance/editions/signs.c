#include "editions/signs.h"

#include "editions/markup.h"

#include <string.h>

static char byte_at(struct str text, size_t at)
{
    return at < text.size ? text.data[at] : '\0';
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* --- Paths and choices --- */

/* Whether the "//" that "/" belongs to stands within a path: something stood between them that this form of the text
 * has lost, as in "/cups/<cup>/<leaf>". */
static bool is_within_path(struct str text, size_t at)
{
    size_t begin = at;
    while (begin && text.data[begin - 1] == '/')
        begin--;
    return begin && is_name_byte(text.data[begin - 1]);
}

/* Whether "/" divides a path or two words, and is no part of "https://" or of the marks of a comment. */
static bool is_slash(struct str text, size_t at, size_t size)
{
    char before = at ? text.data[at - 1] : ' ', behind = byte_at(text, at + size);
    if (is_within_path(text, at))
        return behind != '*';
    return before != '/' && before != '*' && behind != '/' && behind != '*';
}

/* Whether "|" stands between two names of a schema, as in "$string | $number". Elsewhere it divides the columns of a
 * table. */
static bool is_or(struct str text, size_t next, struct str last)
{
    while (next < text.size && (strchr(" \n\"`*\\", text.data[next]) || (unsigned char)text.data[next] >= 0x80))
        next++;
    return byte_at(text, next) == '$' && last.size && last.data[0] == '$';
}

/* --- Code that is commented out --- */

static size_t skip_blanks(struct str line, size_t at)
{
    while (byte_at(line, at) == ' ' || byte_at(line, at) == '\t')
        at++;
    return at;
}

/* "type name = 1;" */
static bool is_field(struct str line)
{
    size_t at = 0, words = 0;
    for (bool in_word = false; is_name_byte(byte_at(line, at)) || (byte_at(line, at) && strchr(" <>,", line.data[at]));
         at++) {
        words += !in_word && is_name_byte(line.data[at]);
        in_word = is_name_byte(line.data[at]);
    }
    if (words < 2 || byte_at(line, at) != '=')
        return false;
    at = skip_blanks(line, at + 1);
    size_t digits = at;
    while (is_digit(byte_at(line, at)))
        at++;
    return at > digits && byte_at(line, at) == ';';
}

/* "name:type;" or "name:[type];", as flatbuffers have it */
static bool is_field_of_table(struct str line)
{
    size_t at = 0;
    while (is_name_byte(byte_at(line, at)))
        at++;
    if (at == 0 || byte_at(line, at) != ':')
        return false;
    at = skip_blanks(line, at + 1);
    size_t type = at;
    while (is_name_byte(byte_at(line, at)) || (byte_at(line, at) && strchr("[]", line.data[at])))
        at++;
    return at > type && byte_at(line, at) == ';';
}

/* "\"name\" : $type" */
static bool is_member(struct str line)
{
    size_t at = 1;
    if (byte_at(line, 0) != '"')
        return false;
    while (is_name_byte(byte_at(line, at)))
        at++;
    if (at == 1 || byte_at(line, at) != '"')
        return false;
    at = skip_blanks(line, at + 1);
    if (byte_at(line, at) != ':')
        return false;
    at = skip_blanks(line, at + 1);
    return byte_at(line, at) == '$' || byte_at(line, at) == '[';
}

/* Whether the mark of a comment at `at` stands before a line of code, and not before prose. */
static bool hides_code(struct str text, size_t at)
{
    struct str rest = str_from(text, at);
    bool comment = str_starts(rest, STR("//")) || str_starts(rest, STR("/*"));
    if (!comment || !markup_starts_line(text, at))
        return false;
    struct str line = str_from(rest, skip_blanks(rest, 2));
    const char *end = memchr(line.data, '\n', line.size);
    line.size = end ? (size_t)(end - line.data) : line.size;
    return is_field(line) || is_field_of_table(line) || is_member(line) || str_starts(line, STR("rpc "));
}

const char *sign_at(struct str text, size_t at, size_t size, char c, struct str last)
{
    if (size == 1 && hides_code(text, at))
        return "//";
    if (c == '/' && is_slash(text, at, size))
        return "/";
    if (c == '|' && is_or(text, at + size, last))
        return "|";
    if (c == '%' && at && is_digit(text.data[at - 1]))
        return "%";
    if (c == '+' && at && is_name_byte(text.data[at - 1]) && is_digit(byte_at(text, at + size)))
        return "+";
    return NULL;
}
