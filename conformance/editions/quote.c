/* Where a sentence or a line ends in an edition, and how a stretch of it is shown. */
#include "editions/compare.h"

#include "editions/characters.h"
#include "editions/markup.h"

#define QUOTE_MAX 400 /* bytes of a stretch that are shown */

/* Whether a line break at `at` begins something new: behind it comes a blank line, or a line that does not go on with
 * a small letter or a digit. */
static bool begins_anew(struct str text, size_t at)
{
    do
        at++;
    while (at < text.size && (text.data[at] == ' ' || text.data[at] == '\t'));
    char c = at < text.size ? text.data[at] : '\n';
    return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'));
}

/* A point ends a sentence if a blank, a quote, a bracket or markup follows. */
static bool is_stop(struct str text, size_t at)
{
    char next = at + 1 < text.size ? text.data[at + 1] : ' ';
    return strchr(".?!;", text.data[at]) && (is_blank(next) || strchr(")\"'*_<|", next) || (unsigned char)next >= 0x80);
}

bool ends_behind(const struct edition *edition, size_t last)
{
    struct str text = edition->text;
    size_t end = last + 1 < edition->words.count ? edition->words.items[last + 1].begin : text.size;
    for (size_t at = edition->words.items[last].end; at < end;) {
        struct mark mark = markup_at(text, at);
        if (mark.size && !mark.joins)
            return true;
        if (!mark.size && ((text.data[at] == '\n' && begins_anew(text, at)) || is_stop(text, at)))
            return true;
        at += mark.size ? mark.size : 1;
    }
    return false;
}

/* Appends the words from `begin` to before `end` as they stand there, with every run of blanks as one, and with the
 * quotes right before and behind them. */
static void append_words(const struct edition *edition, size_t begin, size_t end, struct buf *line)
{
    struct str text = edition->text;
    size_t from = edition->words.items[begin].begin, to = edition->words.items[end - 1].end;
    from -= from && text.data[from - 1] == '"';
    to += to < text.size && text.data[to] == '"';
    for (size_t i = from; i < to; i++) {
        bool comment = i + 2 < to && memcmp(text.data + i, "// ", 3) == 0;
        i += comment ? 2 : 0;
        if (!is_blank(text.data[i]))
            buf_append_byte(line, text.data[i]);
        else if (line->size && line->data[line->size - 1] != ' ')
            buf_append_byte(line, ' ');
    }
}

struct str edition_quote(const struct edition *edition, size_t begin, size_t end, struct arena *arena)
{
    const struct word *words = edition->words.items;
    struct buf line = {0};
    size_t head = begin, tail = end;
    if (begin >= end)
        return STR("");
    if (words[end - 1].end - words[begin].begin > QUOTE_MAX) {
        while (head < end && words[head].end - words[begin].begin < QUOTE_MAX / 2)
            head++;
        while (tail > head && words[end - 1].end - words[tail - 1].begin < QUOTE_MAX / 2)
            tail--;
    } else {
        head = end;
    }
    if (head > begin)
        append_words(edition, begin, head, &line);
    if (head < tail)
        buf_printf(&line, " [%zu words] ", tail - head);
    if (head < end && tail < end)
        append_words(edition, tail, end, &line);
    return arena_take(arena, &line);
}
