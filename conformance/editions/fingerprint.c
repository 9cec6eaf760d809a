#include "editions/fingerprint.h"

#include "support/memory.h"

#include <openssl/sha.h>
#include <stdlib.h>

/* --- What is no word --- */

/* Markup at the start of `rest`: how many bytes it takes, whether it joins the text on both sides into one word, and
 * the digit that it stands for (0: none). */
struct mark {
    size_t size;
    bool joins;
    char digit;
};

#define TAG_MAX  200 /* bytes between angle brackets */
#define LINK_MAX 400 /* bytes of a link's address */

/* Characters beyond ASCII that stand for a digit or for nothing. All others divide words. */
static const struct {
    const char *bytes;
    char digit;
} characters[] = {
    {"\u2070", '0'}, {"\u00b9", '1'}, {"\u00b2", '2'}, {"\u00b3", '3'}, {"\u2074", '4'}, {"\u2075", '5'},
    {"\u2076", '6'}, {"\u2077", '7'}, {"\u2078", '8'}, {"\u2079", '9'}, {"\u00ad", 0},   {"\u200b", 0},
    {"\u200c", 0},   {"\u200d", 0},   {"\u2060", 0},   {"\ufeff", 0},
};

static struct mark character(struct str rest)
{
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++)
        if (str_starts(rest, str_of(characters[i].bytes)))
            return (struct mark){strlen(characters[i].bytes), true, characters[i].digit};
    size_t size = str_utf8_first(rest);
    return (struct mark){size ? size : 1, false, 0};
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word_byte(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9');
}

/* Tags that may stand inside a word. */
static bool is_inline(struct str name)
{
    static const char *const tags[] = {"sup", "sub", "b", "i", "em", "strong", "code", "tt", "u", "span", "a"};
    if (name.size && name.data[0] == '/')
        name = str_from(name, 1);
    size_t size = 0;
    while (size < name.size && is_word_byte(name.data[size]))
        size++;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (str_equal_ignoring_case((struct str){name.data, size}, str_of(tags[i])))
            return true;
    return false;
}

/* Reads a tag, from `opens`, which was seen, to `closes`. A bracket that begins no tag ("a < b") only divides words. */
static struct mark tag(struct str rest, struct str opens, struct str closes)
{
    struct mark none = {opens.size, false, 0};
    struct str inside = str_from(rest, opens.size);
    if (str_starts(inside, STR("!--"))) {
        const char *end = memmem(inside.data, inside.size, "-->", 3);
        return end ? (struct mark){(size_t)(end - rest.data) + 3, false, 0} : none;
    }
    if (!inside.size || !(is_letter(inside.data[0]) || inside.data[0] == '/'))
        return none;
    size_t limit = inside.size < TAG_MAX ? inside.size : TAG_MAX;
    const char *end = memmem(inside.data, limit, closes.data, closes.size);
    if (!end)
        return none;
    inside.size = (size_t)(end - inside.data);
    if (memchr(inside.data, '<', inside.size) || memmem(inside.data, inside.size, "://", 3))
        return none;
    return (struct mark){opens.size + inside.size + closes.size, is_inline(inside), 0};
}

static struct mark entity(struct str rest)
{
    if (str_starts(rest, STR("&lt;")))
        return tag(rest, STR("&lt;"), STR("&gt;"));
    size_t size = 1;
    while (size < rest.size && size < 10 && (is_word_byte(rest.data[size]) || rest.data[size] == '#'))
        size++;
    bool whole = size > 1 && size < rest.size && rest.data[size] == ';';
    return (struct mark){whole ? size + 1 : 1, false, 0};
}

/* Reads the address of "[text](address)". */
static struct mark link(struct str rest)
{
    size_t limit = rest.size < LINK_MAX ? rest.size : LINK_MAX;
    const char *end = str_starts(rest, STR("](")) ? memchr(rest.data, ')', limit) : NULL;
    bool address = end && !memchr(rest.data, ' ', (size_t)(end - rest.data));
    return address ? (struct mark){(size_t)(end - rest.data) + 1, true, 0} : (struct mark){1, false, 0};
}

/* Reads "![description](address)". */
static struct mark image(struct str rest)
{
    size_t limit = rest.size < LINK_MAX ? rest.size : LINK_MAX;
    const char *middle = str_starts(rest, STR("![")) ? memmem(rest.data, limit, "](", 2) : NULL;
    if (!middle)
        return (struct mark){1, false, 0};
    size_t before = (size_t)(middle - rest.data);
    return (struct mark){before + link(str_from(rest, before)).size, false, 0};
}

/* Reads a code fence with the language behind it. */
static struct mark backquote(struct str rest, bool starts_line)
{
    if (!starts_line || !str_starts(rest, STR("```")))
        return (struct mark){1, true, 0};
    const char *end = memchr(rest.data, '\n', rest.size);
    size_t line = end ? (size_t)(end - rest.data) : rest.size;
    bool more = memmem(rest.data + 3, line - 3, "```", 3) !=
                NULL; /* the text lost its line breaks: the fence ends on the same line */
    return (struct mark){more ? 3 : line, false, 0};
}

static struct mark mark_at(struct str rest, bool starts_line)
{
    switch (rest.data[0]) {
    case '`':
        return backquote(rest, starts_line);
    case '*':
    case '^':
    case '\\':
        return (struct mark){1, true, 0};
    case '<':
        return tag(rest, STR("<"), STR(">"));
    case '&':
        return entity(rest);
    case ']':
        return link(rest);
    case '!':
        return image(rest);
    default:
        return character(rest);
    }
}

/* --- Words --- */

struct scan {
    struct arena *arena;
    struct list words;
    char *letters; /* lower-case letters of all words, in one block */
    size_t used, start;
    size_t begin, end;
};

static void add_letter(struct scan *scan, char c, size_t begin, size_t end)
{
    if (scan->used == scan->start)
        scan->begin = begin;
    scan->end = end;
    scan->letters[scan->used++] = c;
}

static void end_word(struct scan *scan)
{
    if (scan->used == scan->start)
        return;
    struct word *word = arena_alloc(scan->arena, sizeof *word);
    *word = (struct word){{scan->letters + scan->start, scan->used - scan->start}, scan->begin, scan->end};
    list_append(&scan->words, word, scan->arena);
    scan->start = scan->used;
}

struct words words_of(struct str text, struct arena *arena)
{
    struct scan scan = {.arena = arena, .letters = arena_alloc(arena, text.size + 1)};
    bool starts_line = true;
    for (size_t i = 0; i < text.size;) {
        char c = text.data[i];
        if (is_word_byte(c)) {
            add_letter(&scan, c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c, i, i + 1);
            i++;
            starts_line = false;
            continue;
        }
        struct mark mark = mark_at(str_from(text, i), starts_line);
        if (mark.digit)
            add_letter(&scan, mark.digit, i, i + mark.size);
        else if (!mark.joins)
            end_word(&scan);
        starts_line = c == '\n' || (starts_line && c == ' ');
        i += mark.size;
    }
    end_word(&scan);
    struct words words = {arena_alloc_zero(arena, scan.words.count + 1, sizeof *words.items), scan.words.count};
    for (size_t i = 0; i < words.count; i++)
        words.items[i] = *(struct word *)scan.words.items[i];
    return words;
}

/* --- Fingerprints --- */

struct str fingerprint_of(const struct word *words, size_t count, struct arena *arena)
{
    struct buf joined = {0};
    unsigned char digest[SHA256_DIGEST_LENGTH];
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_append_byte(&joined, ' ');
        buf_append_str(&joined, words[i].text);
    }
    SHA256((const unsigned char *)joined.data, joined.size, digest);
    buf_free(&joined);
    return arena_printf(arena, "sha256:%02x%02x%02x%02x%02x%02x%02x%02x", digest[0], digest[1], digest[2], digest[3],
                        digest[4], digest[5], digest[6], digest[7]);
}

unsigned char sketch_word(struct str word)
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    return SHA256((const unsigned char *)word.data, word.size, digest)[0];
}

struct str sketch_of(const struct word *words, size_t count, struct arena *arena)
{
    char *sketch = arena_alloc(arena, 2 * count + 1);
    for (size_t i = 0; i < count; i++) {
        static const char digits[] = "0123456789abcdef";
        unsigned char first = sketch_word(words[i].text);
        sketch[2 * i] = digits[first >> 4];
        sketch[2 * i + 1] = digits[first & 15];
    }
    sketch[2 * count] = '\0';
    return (struct str){sketch, 2 * count};
}
