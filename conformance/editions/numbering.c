#include "editions/reading.h"

#include "base/search.h"

#define LEVELS     8 /* lists within lists */
#define DIGITS_MAX 9 /* of a number; longer ones begin no item */

struct level {
    size_t indent;
    size_t first; /* of its items in the numbering */
    size_t items;
};

struct numberer {
    struct numbering numbering;
    struct level levels[LEVELS];
    size_t depth;
    bool was_blank; /* the line before */
};

/* How many bytes stand before the words of the line: blanks, and the ">" of a quotation. */
static size_t indent_of(struct str line)
{
    size_t at = 0;
    while (at < line.size && strchr(" \t>", line.data[at]))
        at++;
    return at;
}

/* How many digits begin an item at `at` of the line, as in "12. words" and "12) words". */
static size_t digits_of_item(struct str line, size_t at)
{
    size_t end = behind_all(line, at, is_digit);
    bool ends = byte_at(line, end) == '.' || byte_at(line, end) == ')';
    bool words = byte_at(line, end + 1) == ' ' && !strchr(" \r\n", byte_at(line, end + 2));
    return end - at <= DIGITS_MAX && ends && words ? end - at : 0;
}

static void add_item(struct numberer *numberer, size_t at, size_t indent, size_t digits)
{
    struct level *level = numberer->depth ? &numberer->levels[numberer->depth - 1] : NULL;
    while (level && level->indent > indent + 1)
        level = --numberer->depth ? level - 1 : NULL;
    if (!level || (indent > level->indent + 1 && numberer->depth < LEVELS)) {
        level = &numberer->levels[numberer->depth++];
        *level = (struct level){indent, numberer->numbering.count, 0};
    }
    level->items++;
    if (level->items > 1)
        numberer->numbering.items[level->first].place = 1;
    numberer->numbering.items[numberer->numbering.count++] =
        (struct item_number){at, digits, level->items > 1 ? level->items : 0};
}

/* An item begins after an empty line, or in a list. Words that stand at the margin after an empty line end all
 * lists. */
static void read_line(struct numberer *numberer, struct str line, size_t at)
{
    size_t indent = indent_of(line);
    bool blank = strchr("\r\n", byte_at(line, indent)) != NULL;
    size_t digits = blank ? 0 : digits_of_item(line, indent);
    bool margin = numberer->depth == 0 || indent <= numberer->levels[0].indent;
    if (digits && (numberer->was_blank || numberer->depth))
        add_item(numberer, at + indent, indent, digits);
    else if (!blank && margin && (numberer->was_blank || byte_at(line, indent) == '#'))
        numberer->depth = 0;
    numberer->was_blank = blank || byte_at(line, indent) == '#';
}

struct numbering numbering_of(struct str text, struct arena *arena)
{
    size_t lines = 1 + SUM(i, text.size, text.data[i] == '\n');
    struct numberer numberer = {.was_blank = true};
    numberer.numbering.items = arena_alloc(arena, lines * sizeof *numberer.numbering.items);
    for (size_t at = 0; at < text.size;) {
        const char *end = memchr(text.data + at, '\n', text.size - at);
        struct str line = {text.data + at, end ? (size_t)(end - text.data) - at : text.size - at};
        read_line(&numberer, line, at);
        at += line.size + 1;
    }
    return numberer.numbering;
}
