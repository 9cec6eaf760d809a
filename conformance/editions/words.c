#include "editions/words.h"

#include "base/search.h"
#include "editions/reading.h"
#include "support/expression.h"
#include "support/printable.h"

#include <openssl/sha.h>

/* --- Characters beyond ASCII --- */

enum character {
    CHARACTER_DIVIDES, /* quotes, dashes, bullets, blanks */
    CHARACTER_LETTER,
    CHARACTER_SIGN, /* a word of its own */
    CHARACTER_NOTHING,
};

static const struct {
    uint32_t first, last;
    enum character kind;
    const char *as; /* read as if this stood there; NULL: as it is */
} characters[] = {
    {0x00aa, 0x00aa, CHARACTER_LETTER, NULL},   {0x00ad, 0x00ad, CHARACTER_NOTHING, NULL},
    {0x00b1, 0x00b1, CHARACTER_SIGN, NULL},     {0x00b2, 0x00b2, CHARACTER_LETTER, "2"},
    {0x00b3, 0x00b3, CHARACTER_LETTER, "3"},    {0x00b5, 0x00b5, CHARACTER_LETTER, NULL},
    {0x00b9, 0x00b9, CHARACTER_LETTER, "1"},    {0x00ba, 0x00ba, CHARACTER_LETTER, NULL},
    {0x00c0, 0x00d6, CHARACTER_LETTER, NULL},   {0x00d7, 0x00d7, CHARACTER_SIGN, NULL},
    {0x00d8, 0x00f6, CHARACTER_LETTER, NULL},   {0x00f7, 0x00f7, CHARACTER_SIGN, NULL},
    {0x00f8, 0x1fff, CHARACTER_LETTER, NULL},   {0x200b, 0x200d, CHARACTER_NOTHING, NULL},
    {0x2026, 0x2026, CHARACTER_SIGN, "..."},    {0x2060, 0x2060, CHARACTER_NOTHING, NULL},
    {0x2070, 0x2070, CHARACTER_LETTER, "0"},    {0x2074, 0x2074, CHARACTER_LETTER, "4"},
    {0x2075, 0x2075, CHARACTER_LETTER, "5"},    {0x2076, 0x2076, CHARACTER_LETTER, "6"},
    {0x2077, 0x2077, CHARACTER_LETTER, "7"},    {0x2078, 0x2078, CHARACTER_LETTER, "8"},
    {0x2079, 0x2079, CHARACTER_LETTER, "9"},    {0x2100, 0x214f, CHARACTER_LETTER, NULL},
    {0x2200, 0x2211, CHARACTER_SIGN, NULL},     {0x2213, 0x22ff, CHARACTER_SIGN, NULL},
    {0x2c00, 0x2dff, CHARACTER_LETTER, NULL},   {0x3040, 0xd7ff, CHARACTER_LETTER, NULL},
    {0xf900, 0xfdff, CHARACTER_LETTER, NULL},   {0xfeff, 0xfeff, CHARACTER_NOTHING, NULL},
    {0x20000, 0x3ffff, CHARACTER_LETTER, NULL},
};

/* --- Words --- */

struct scan {
    struct str text;
    struct arena *arena;
    struct definitions definitions;
    struct numbering numbering;
    size_t next_number; /* of `numbering`, the first that was not read yet */
    struct list words;
    struct buf word, angles; /* the word, or what is in angle brackets, that is being read */
    size_t begin, end;       /* place of the word */
    size_t underscores;      /* after the word; they belong to it if it goes on */
    size_t angle_end;        /* place of the ">" that ends the angle brackets; 0: outside of them */
    size_t address_end;      /* place of the ">" that ends the last "<https://..." */
    struct {
        size_t close, end;
    } links[8]; /* open links: the place of "]", and the place after the link */
    size_t link_count;
};

/* What is in angle brackets belongs to the word before it; before the first word nothing is known of it. */
static void end_angles(struct scan *scan)
{
    if (scan->angles.size && scan->words.count) {
        struct word *word = scan->words.items[scan->words.count - 1];
        word->angles = arena_copy(scan->arena, buf_str(&scan->angles));
    }
    buf_clear(&scan->angles);
}

/* --- Words between quotes --- */

/* Whether the word is what JSON has as a string, and would have as another value without its quotes. */
static bool is_quoted_value(const struct scan *scan, struct str word)
{
    static const char *const quotes[] = {"\"",      "&quot;", "&#34;",  "&ldquo;", "&rdquo;", "&#8220;",
                                         "&#8221;", "\u201c", "\u201d", "\u201e",  "\u00ab",  "\u00bb"};
    struct str before = {scan->text.data, scan->begin}, behind = str_from(scan->text, scan->end);
    bool opened = false, closed = false;
    for (size_t i = 0; i < COUNT_OF(quotes); i++) {
        struct str quote = str_of(quotes[i]);
        opened |= before.size >= quote.size && str_starts(str_from(before, before.size - quote.size), quote);
        closed |= str_starts(behind, quote);
    }
    return opened && closed && expression_meets(STR("^([+-]?[0-9][0-9.]*|true|false|null)$"), word);
}

static void end_word(struct scan *scan)
{
    struct str text = buf_str(&scan->word);
    unsigned char digest[SHA256_DIGEST_LENGTH];
    scan->underscores = 0;
    if (!text.data || !text.size)
        return;
    if (scan->angle_end) {
        if (scan->angles.size)
            buf_append_byte(&scan->angles, ' ');
        buf_append_str(&scan->angles, text);
    } else {
        end_angles(scan);
        if (is_quoted_value(scan, text))
            text = arena_printf(scan->arena, "\"%.*s\"", STR_ARG(text));
        struct word *word = arena_alloc(scan->arena, sizeof *word);
        SHA256((const unsigned char *)text.data, text.size, digest);
        *word = (struct word){arena_copy(scan->arena, text), {0}, scan->begin, scan->end, digest[0]};
        list_append(&scan->words, word, scan->arena);
    }
    buf_clear(&scan->word);
}

static void add_word(struct scan *scan, struct str bytes, size_t at, size_t size)
{
    if (!scan->word.size)
        scan->begin = at;
    for (; scan->underscores; scan->underscores--)
        buf_append_byte(&scan->word, '_');
    scan->end = at + size;
    buf_append_str(&scan->word, bytes);
}

/* A word of its own. */
static void add_sign(struct scan *scan, const char *sign, size_t at, size_t size)
{
    end_word(scan);
    add_word(scan, str_of(sign), at, size);
    end_word(scan);
}

/* --- Angle brackets --- */

/* The place of the ">" that ends what "<" at `at` begins; 0: a lone "<". `size` is that of "<" or "&lt;". Sets
 * `is_address` for "<https://...>", which is no markup and keeps its words. */
static size_t find_angle_end(const struct scan *scan, size_t at, size_t size, bool *is_address)
{
    size_t limit = at + 200 < scan->text.size ? at + 200 : scan->text.size, entity, depth = 1;
    char first = byte_at(scan->text, at + size);
    if (!is_letter_or_digit(first) && !strchr("/_$\\{\"'", first))
        return 0;
    for (size_t i = at + size; i < limit; i++) {
        struct str rest = {scan->text.data + i, limit - i};
        const char *meaning = *rest.data == '&' ? markup_entity(scan->text, i, &entity) : NULL;
        char sign = meaning ? *meaning : *rest.data;
        *is_address |= str_starts(rest, STR("://"));
        depth += sign == '<';
        if (sign == '>' && --depth == 0)
            return i;
    }
    return 0;
}

/* Handles "<" and ">"; `size` is what they take in the text. */
static void angle(struct scan *scan, char sign, size_t at, size_t size)
{
    bool arrow = at && strchr("-=", scan->text.data[at - 1]), is_address = false;
    size_t end = sign == '<' ? find_angle_end(scan, at, size, &is_address) : 0;
    bool lone = sign == '<' ? strchr(" =0123456789", byte_at(scan->text, at + size)) != NULL
                            : !arrow && !markup_starts_line(scan->text, at);
    end_word(scan);
    if (sign == '>' && scan->address_end && at == scan->address_end)
        return;
    if (scan->angle_end && sign == '>' && at >= scan->angle_end) {
        scan->angle_end = 0;
    } else if (end && !scan->angle_end) {
        *(is_address ? &scan->address_end : &scan->angle_end) = end;
    } else if (lone && !scan->angle_end) {
        buf_append_byte(&scan->angles, sign);
    }
}

/* --- One character after the other --- */

/* Whether a plus belongs to the number after it. */
static bool is_plus_of_number(const struct scan *scan, size_t at, size_t size)
{
    char before = at ? scan->text.data[at - 1] : ' ';
    return is_digit(byte_at(scan->text, at + size)) && !scan->word.size && !is_letter_or_digit(before) &&
           before != '-' && before != '+';
}

/* Reads the dashes at `at`, which take `dash.size` bytes there. A minus belongs to the number after it. */
static size_t read_dash(struct scan *scan, struct dash dash, size_t at)
{
    bool in_word = scan->word.size != 0;
    bool number = dash.word && !in_word && is_digit(byte_at(scan->text, at + dash.size)) &&
                  (strcmp(dash.word, "-") == 0 || scan->text.data[at] != '-');
    end_word(scan);
    if (number)
        add_word(scan, STR("-"), at, dash.size);
    else if (dash.word)
        add_sign(scan, dash.word, at, dash.size);
    return dash.size;
}

static bool is_point_of_number(const struct scan *scan, size_t at)
{
    return scan->word.size && is_digit(scan->text.data[at - 1]) && is_digit(byte_at(scan->text, at + 1));
}

static bool is_plain_bracket(struct scan *scan, size_t at, size_t *size)
{
    size_t close, end, top = scan->link_count;
    *size = 1;
    if (scan->text.data[at] == ']' && top && scan->links[top - 1].close == at) {
        *size = scan->links[--scan->link_count].end - at;
        return false;
    }
    if (scan->text.data[at] == '[' && top < COUNT_OF(scan->links) &&
        markup_link(scan->text, at, &scan->definitions, &close, &end)) {
        scan->links[top].close = close;
        scan->links[scan->link_count++].end = end;
        return false;
    }
    return true;
}

static size_t beyond_ascii(struct scan *scan, size_t at)
{
    struct str rest = str_from(scan->text, at);
    size_t size = str_utf8_first(rest) ? str_utf8_first(rest) : 1;
    unsigned code = code_point(rest.data, size);
    struct str bytes = {rest.data, size};
    for (size_t i = 0; i < COUNT_OF(characters); i++) {
        if (code < characters[i].first || code > characters[i].last || size == 1)
            continue;
        if (characters[i].as)
            bytes = str_of(characters[i].as);
        if (characters[i].kind == CHARACTER_SIGN)
            add_sign(scan, arena_copy(scan->arena, bytes).data, at, size);
        else if (characters[i].kind == CHARACTER_LETTER)
            add_word(scan, bytes, at, size);
        return size;
    }
    end_word(scan);
    return size;
}

/* Whether "$" at `at` begins the name of a schema, "$number". */
static bool is_name_of_schema(const struct scan *scan, size_t at, size_t size)
{
    char next = byte_at(scan->text, at + size);
    return is_letter_or_digit(next) && !is_digit(next) && !scan->word.size;
}

/* Handles the character of ASCII that stands at `at` itself or as an entity of that size. */
static size_t ascii(struct scan *scan, const char *character, size_t at, size_t size)
{
    static const char *const signs[] = {"...", "[", "]", "{", "}", "(", ")"};
    char c = *character;
    struct str one = {character, 1};
    if (c == '<' || c == '>') {
        angle(scan, c, at, size);
        return size;
    }
    for (size_t i = 0; i < COUNT_OF(signs); i++) {
        size_t length = strlen(signs[i]);
        bool here =
            size > 1 ? strcmp(character, signs[i]) == 0 : str_starts(str_from(scan->text, at), str_of(signs[i]));
        if (here) {
            size = size > 1 ? size : length;
            add_sign(scan, signs[i], at, size);
            return size;
        }
    }
    if (c == '_') {
        scan->underscores += scan->word.size != 0;
        return size;
    }
    bool part = is_letter_or_digit(c) || (c == '.' && is_point_of_number(scan, at)) ||
                (c == '+' && is_plus_of_number(scan, at, size)) || (c == '$' && is_name_of_schema(scan, at, size));
    if (part) {
        add_word(scan, one, at, size);
        return size;
    }
    end_word(scan);
    const struct word *last = scan->words.count ? scan->words.items[scan->words.count - 1] : NULL;
    struct spot spot = {scan->text, at, size, c, last ? last->text : STR("")};
    const char *sign = sign_at(&spot);
    if (sign)
        add_sign(scan, sign, at, size);
    return size;
}

/* The number of an item at `at`, with the point or bracket after it, as its place in the list. Returns what it takes;
 * 0: there is none. */
static size_t read_number(struct scan *scan, size_t at)
{
    while (scan->next_number < scan->numbering.count && scan->numbering.items[scan->next_number].at < at)
        scan->next_number++;
    if (scan->next_number == scan->numbering.count)
        return 0;
    const struct item_number *number = &scan->numbering.items[scan->next_number];
    if (number->at != at)
        return 0;
    end_word(scan);
    add_word(scan,
             number->place ? arena_printf(scan->arena, "%zu", number->place)
                           : (struct str){scan->text.data + at, number->size},
             at, number->size);
    end_word(scan);
    return number->size + 1;
}

static size_t read_character(struct scan *scan, size_t at)
{
    char c = scan->text.data[at];
    size_t size = read_number(scan, at);
    if (size)
        return size;
    struct mark mark = markup_at(scan->text, at);
    if (mark.size && !mark.joins)
        end_word(scan);
    if (mark.size)
        return mark.size;
    struct dash dash = dash_at(scan->text, at, scan->word.size != 0);
    if (dash.size)
        return read_dash(scan, dash, at);
    if (c == '\\') { /* what follows it is no markup */
        char next = byte_at(scan->text, at + 1);
        bool escapes = next && strchr("[]{}<>_*`#!&", next);
        if (!escapes)
            end_word(scan);
        return escapes && !strchr("*`#!&", next) ? 1 + ascii(scan, scan->text.data + at + 1, at + 1, 1) : 1;
    }
    if ((c == '[' || c == ']') && !is_plain_bracket(scan, at, &size))
        return size;
    if (c == '&') {
        const char *meaning = markup_entity(scan->text, at, &size);
        if (meaning)
            return ascii(scan, meaning, at, size);
        if (!size)
            return ascii(scan, scan->text.data + at, at, 1);
        end_word(scan);
        return size;
    }
    return (unsigned char)c < 0x80 ? ascii(scan, scan->text.data + at, at, 1) : beyond_ascii(scan, at);
}

struct words words_of(struct str text, struct arena *arena)
{
    struct scan scan = {.text = text,
                        .arena = arena,
                        .definitions = markup_definitions(text, arena),
                        .numbering = numbering_of(text, arena)};
    for (size_t at = 0; at < text.size;) {
        if (scan.angle_end && at > scan.angle_end) /* the ">" was escaped or part of markup */
            angle(&scan, '>', at, 0);
        at += read_character(&scan, at);
    }
    end_word(&scan);
    end_angles(&scan);
    buf_free(&scan.word);
    buf_free(&scan.angles);
    struct words words = {arena_alloc(arena, (scan.words.count + 1) * sizeof *words.items), scan.words.count};
    for (size_t i = 0; i < words.count; i++)
        words.items[i] = *(struct word *)scan.words.items[i];
    return words;
}
