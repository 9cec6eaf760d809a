/* Where a sentence or a line ends in an edition, and how a stretch of it is shown. */
#include "editions/compare.h"

#include "editions/reading.h"

#define QUOTE_MAX 400 /* bytes of a stretch that are shown */

/* Whether a line break at `at` begins something new: after it comes a blank line, or a line that does not go on with
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
 * quotes right before and after them. */
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

/* --- A stretch beside other words: what the other does not have is marked --- */

#define WORDS_MAX ((size_t)2000) /* of either; what is longer is shown without marks */
#define AROUND    ((size_t)12)   /* words that are shown around a mark; others are left out of long stretches */
#define WHOLE     ((size_t)60)   /* words that are all shown */

static bool is_same(const struct word *word, const struct wording *other, size_t at)
{
    return other->words
               ? str_equal(word->text, other->words[at].text) && str_equal(word->angles, other->words[at].angles)
               : word->digest == other->digests[at];
}

/* Says for each of `count` words whether it is in the other wording, too, in the longest common order. `gaps` says
 * how many words of the other are missing before each word, and after the last. */
static void mark_common(const struct word *words, size_t count, const struct wording *other, bool *common, size_t *gaps,
                        struct arena *arena)
{
    size_t width = other->count + 1;
    uint16_t *longest = arena_alloc_zero(arena, (count + 1) * width, sizeof *longest);
    for (size_t i = count; i-- > 0;)
        for (size_t k = other->count; k-- > 0;) {
            uint16_t below = longest[(i + 1) * width + k], beside = longest[i * width + k + 1];
            longest[i * width + k] = is_same(&words[i], other, k) ? (uint16_t)(longest[(i + 1) * width + k + 1] + 1)
                                     : below > beside             ? below
                                                                  : beside;
        }
    size_t k = 0;
    for (size_t i = 0; i <= count; i++) {
        while (k < other->count && (i == count || (!is_same(&words[i], other, k) &&
                                                   longest[i * width + k + 1] >= longest[(i + 1) * width + k]))) {
            gaps[i]++;
            k++;
        }
        common[i] = i < count && k < other->count && is_same(&words[i], other, k);
        k += common[i];
    }
}

/* Whether the word at `at` is near enough to a mark to be shown. */
static bool is_shown(const bool *common, const size_t *gaps, size_t count, size_t at)
{
    if (count <= WHOLE)
        return true;
    for (size_t i = at > AROUND ? at - AROUND : 0; i <= count && i <= at + AROUND; i++)
        if (gaps[i] || (i < count && !common[i]))
            return true;
    return false;
}

/* Appends what stands between two words, each run of blanks as one. */
static void append_between(struct str text, size_t from, size_t to, struct buf *out)
{
    for (size_t i = from; i < to; i++) {
        char byte = strchr("\t\r\n", text.data[i]) ? ' ' : text.data[i];
        if (byte != ' ' || (out->size && out->data[out->size - 1] != ' '))
            buf_append_byte(out, byte);
    }
}

static void append_gap(const struct marks *marks, size_t missing, struct buf *out)
{
    if (missing && marks->gap)
        buf_printf(out, marks->gap, missing, missing == 1 ? "" : "s");
}

struct str edition_marked(const struct edition *edition, size_t begin, size_t end, const struct wording *other,
                          const struct marks *marks, struct arena *arena)
{
    size_t count = end - begin;
    if (begin >= end || count > WORDS_MAX || other->count > WORDS_MAX)
        return edition_quote(edition, begin, end, arena);
    const struct word *words = edition->words.items + begin;
    bool *common = arena_alloc_zero(arena, count + 1, sizeof *common), is_open = false, leaves_out = false;
    size_t *gaps = arena_alloc_zero(arena, count + 1, sizeof *gaps);
    struct buf out = {0};
    mark_common(words, count, other, common, gaps, arena);
    for (size_t i = 0; i < count; i++) {
        bool shown = is_shown(common, gaps, count, i);
        if (!shown && !leaves_out)
            buf_append_literal(&out, " ...");
        leaves_out = !shown;
        if (!shown)
            continue;
        size_t before =
            i ? words[i - 1].end : words[i].begin - (words[i].begin && edition->text.data[words[i].begin - 1] == '"');
        if (is_open && (common[i] || gaps[i])) {
            buf_append_str(&out, str_of(marks->close));
            is_open = false;
        }
        append_between(edition->text, before, words[i].begin, &out);
        append_gap(marks, gaps[i], &out);
        if (!common[i] && !is_open)
            buf_append_str(&out, str_of(marks->open));
        is_open = !common[i];
        buf_append(&out, edition->text.data + words[i].begin, words[i].end - words[i].begin);
    }
    if (is_open)
        buf_append_str(&out, str_of(marks->close));
    if (words[count - 1].end < edition->text.size && edition->text.data[words[count - 1].end] == '"')
        buf_append_byte(&out, '"');
    append_gap(marks, gaps[count], &out);
    return arena_take(arena, &out);
}
