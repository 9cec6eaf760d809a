#include "editions/hidden.h"

#include "base/count.h"
#include "base/search.h"
#include "editions/characters.h"
#include "editions/markup.h"

static size_t skip(struct str line, size_t at, const char *set)
{
    while (is_one_of(byte_at(line, at), set))
        at++;
    return at;
}

/* --- What a line of code looks like --- */

/* "type name = 1;" */
static bool is_field(struct str line)
{
    size_t at = 0, words = 0;
    for (bool in_word = false; is_name_byte(byte_at(line, at)) || is_one_of(byte_at(line, at), " <>,"); at++) {
        words += !in_word && is_name_byte(line.data[at]);
        in_word = is_name_byte(line.data[at]);
    }
    if (words < 2 || byte_at(line, at) != '=')
        return false;
    size_t value = skip(line, at + 1, " \t"), end = behind_all(line, value, is_digit);
    return end > value && byte_at(line, end) == ';';
}

/* "name:type;" or "name:[type];", as flatbuffers have it */
static bool is_field_of_table(struct str line)
{
    size_t name = behind_all(line, 0, is_name_byte);
    if (name == 0 || byte_at(line, name) != ':')
        return false;
    size_t type = skip(line, name + 1, " \t"), end = skip(line, type, "[");
    end = skip(line, behind_all(line, end, is_name_byte), "]");
    return end > type && byte_at(line, end) == ';';
}

/* "\"name\" : value", or a string alone */
static bool is_member(struct str line)
{
    const char *close = byte_at(line, 0) == '"' ? memchr(line.data + 1, '"', line.size - 1) : NULL;
    if (!close)
        return false;
    size_t behind = skip(line, (size_t)(close - line.data) + 1, " \t,");
    return behind == line.size || line.data[behind] == ':';
}

/* "name = value", "name.of[0] = value", or "name.of(value)" to the end of the line */
static bool is_statement(struct str line)
{
    size_t end = byte_at(line, 0) == '$';
    while (is_name_byte(byte_at(line, end)) || (end && is_one_of(byte_at(line, end), ".[]")))
        end++;
    if (end == 0)
        return false;
    size_t equals = skip(line, end, " \t");
    if (byte_at(line, equals) == '=' && byte_at(line, equals + 1) != '=')
        return true;
    return byte_at(line, end) == '(' && is_one_of(line.data[line.size - 1], "()[{;");
}

/* "}", or "])" */
static bool is_end_of_block(struct str line)
{
    return line.size && skip(line, 0, "()[]{},; ") == line.size;
}

/* "import name", "GET path", "| a row of a table |", "message Name", "message Name {" */
static bool is_declaration(struct str line)
{
    static const char *const first[] = {"rpc ", "import ", "curl ", "GET ", "POST ", "| "};
    static const char *const blocks[] = {"message ", "enum ", "service ", "oneof ", "table ", "union "};
    for (size_t i = 0; i < COUNT_OF(first); i++)
        if (str_starts(line, str_of(first[i])))
            return true;
    for (size_t i = 0; i < COUNT_OF(blocks); i++)
        if (str_starts(line, str_of(blocks[i]))) {
            size_t end = skip(line, behind_all(line, strlen(blocks[i]), is_name_byte), " ");
            return end == line.size || line.data[end] == '{';
        }
    return str_starts(line, STR("from ")) && memmem(line.data, line.size, " import ", 8);
}

static bool is_code(struct str line)
{
    static bool (*const forms[])(struct str) = {is_field,     is_field_of_table, is_member,
                                                is_statement, is_end_of_block,   is_declaration};
    return ANY(i, COUNT_OF(forms), forms[i](line));
}

/* --- The mark before it --- */

static const struct {
    const char *mark, *word;
} marks[] = {{"//", "//"}, {"/*", "//"}, {"#", "#"}};

const char *hidden_at(struct str text, size_t at)
{
    struct str rest = str_from(text, at);
    for (size_t i = 0; i < COUNT_OF(marks); i++) {
        if (!str_starts(rest, str_of(marks[i].mark)) || !markup_starts_line(text, at))
            continue;
        struct str line = str_from(rest, skip(rest, strlen(marks[i].mark), " \t"));
        const char *end = memchr(line.data, '\n', line.size);
        line.size = end ? (size_t)(end - line.data) : line.size;
        while (line.size && is_one_of(line.data[line.size - 1], " \t\r"))
            line.size--;
        return is_code(line) ? marks[i].word : NULL;
    }
    return NULL;
}
