#include "support/spelling.h"

#include "base/search.h"

/* A character that is written in another way: how many bytes that takes, and which it stands for. */
struct spelled {
    size_t size, count;
    char bytes[4];
};

/* The ways to write a character by its number. */
static const struct way {
    struct str begin, end;
    unsigned digits, base; /* how many digits; 0: as many as come before the end */
    bool is_byte;          /* the number is that of a byte, not that of a character */
} ways[] = {
    {STR("%"), STR(""), 2, 16, true},        {STR("%25"), STR(""), 2, 16, true}, /* encoded twice */
    {STR("%2525"), STR(""), 2, 16, true},    {STR("="), STR(""), 2, 16, true},   /* quoted-printable */
    {STR("\\x"), STR(""), 2, 16, true},      {STR("\\"), STR(""), 3, 8, true},
    {STR("\\u"), STR(""), 4, 16, false},     {STR("\\U"), STR(""), 8, 16, false},
    {STR("\\u{"), STR("}"), 0, 16, false},   {STR("&#"), STR(";"), 0, 10, false},
    {STR("&#x"), STR(";"), 0, 16, false},    {STR("&#X"), STR(";"), 0, 16, false},
    {STR("&amp;#"), STR(";"), 0, 10, false}, {STR("&amp;#x"), STR(";"), 0, 16, false},
};

/* The names of signs in markup; `&amp;lt;` was escaped twice. */
static const struct {
    struct str name;
    char sign;
} signs[] = {{STR("lt;"), '<'}, {STR("gt;"), '>'}, {STR("amp;"), '&'}, {STR("quot;"), '"'}, {STR("apos;"), '\''}};

/* Reads the number at the beginning of `text`, and what ends it. Returns the bytes that this takes; 0: it is none. */
static size_t read_number(struct str text, const struct way *way, unsigned *value)
{
    size_t size = 0;
    *value = 0;
    for (; size < text.size && (way->digits ? size < way->digits : *value < 0x110000); size++) {
        int digit = hex_digit(text.data[size]);
        if (digit < 0 || digit >= (int)way->base)
            break;
        *value = *value * way->base + (unsigned)digit;
    }
    bool is_whole = way->digits ? size == way->digits : size > 0 && str_starts(str_from(text, size), way->end);
    return is_whole ? size + way->end.size : 0;
}

static struct spelled of_number(size_t size, unsigned c, bool is_byte)
{
    struct spelled spelled = {size, 1, {(char)c}};
    if (is_byte ? c >= 0x100 : c >= 0x110000)
        return (struct spelled){0};
    if (!is_byte)
        spelled.count = (size_t)(str_put_utf8(spelled.bytes, c) - spelled.bytes);
    return spelled;
}

/* Whether what is looked for goes on with these bytes. */
static bool goes_on(struct str wanted, size_t at, const char *bytes, size_t count)
{
    return !ANY(i, count, at + i >= wanted.size || spelling_fold(bytes[i]) != wanted.data[at + i]);
}

/* Returns what the text begins with if that is a character written in this way; else a size of 0. */
static struct spelled spelled_so(struct str text, const struct way *way)
{
    unsigned value;
    size_t begin = way->begin.size;
    bool is_it = text.data[0] == way->begin.data[0] && str_starts(text, way->begin);
    size_t size = is_it ? read_number(str_from(text, begin), way, &value) : 0;
    return size ? of_number(begin + size, value, way->is_byte) : (struct spelled){0};
}

/* Returns the sign that is named there; else a size of 0. */
static struct spelled spelled_sign(struct str text)
{
    size_t begin = str_starts(text, STR("&amp;")) ? 5 : 1;
    for (size_t i = 0; text.data[0] == '&' && i < COUNT_OF(signs); i++)
        if (str_starts(str_from(text, begin), signs[i].name))
            return (struct spelled){begin + signs[i].name.size, 1, {signs[i].sign}};
    return (struct spelled){begin == 5 ? 5 : 0, 1, {'&'}};
}

size_t spelling_first(struct str text, char bytes[SPELLING_WAYS])
{
    size_t count = 0;
    for (size_t i = 0; str_has(STR("\\%&="), text.data[0]) && i <= COUNT_OF(ways); i++) {
        struct spelled found = i < COUNT_OF(ways) ? spelled_so(text, &ways[i]) : spelled_sign(text);
        if (found.size && !memchr(bytes, found.bytes[0], count))
            bytes[count++] = found.bytes[0];
    }
    return count;
}

/* Returns the character at the beginning of `text` with which what is looked for goes on; else a size of 0. */
static struct spelled spelled_next(struct str text, struct str wanted, size_t at)
{
    for (size_t i = 0; str_has(STR("\\%&="), text.data[0]) && i <= COUNT_OF(ways); i++) {
        struct spelled found = i < COUNT_OF(ways) ? spelled_so(text, &ways[i]) : spelled_sign(text);
        if (found.size && goes_on(wanted, at, found.bytes, found.count))
            return found;
    }
    return (struct spelled){goes_on(wanted, at, text.data, 1), 1, {text.data[0]}};
}

/* Returns how many bytes of the text stand between two bytes of a list. */
static size_t between(struct str text)
{
    return str_starts(text, STR("0x")) ? 2 : str_has(STR("\0\t\r\n ,-:"), text.data[0]);
}

/* Compares the bytes as they are. */
static struct agreed agree_plainly(struct str wanted, struct str text, size_t at)
{
    size_t size = 0;
    while (at + size < text.size && goes_on(wanted, size, text.data + at + size, 1))
        size++;
    return (struct agreed){size, size, false};
}

/* Compares the characters that the text spells. Returns how far they agree, and in *whole how far if there was
 * something between them. */
static struct agreed agree_by_spelling(struct str wanted, struct str text, size_t at, struct agreed *whole)
{
    struct agreed agreed = {0};
    size_t skipped = 0;
    *whole = agreed;
    for (size_t next = at; next < text.size && whole->wanted < wanted.size && skipped <= SPELLING_BETWEEN;) {
        struct str rest = str_from(text, next);
        struct spelled spelled = spelled_next(rest, wanted, whole->wanted);
        size_t skip = spelled.size ? 0 : rest.data[0] == '\\' ? 1 : between(rest);
        if (spelled.size + skip == 0)
            break;
        whole->loosely |= skip && rest.data[0] != '\\';
        next += spelled.size + skip;
        skipped = spelled.size ? 0 : skipped + skip;
        whole->wanted += spelled.size ? spelled.count : 0;
        whole->text = spelled.size ? next - at : whole->text;
        agreed = whole->loosely ? agreed : *whole;
    }
    return agreed;
}

struct agreed spelling_compare(struct str wanted, struct str text, size_t at)
{
    struct agreed plain = agree_plainly(wanted, text, at), whole, spelled = agree_by_spelling(wanted, text, at, &whole);
    if (plain.wanted < wanted.size && whole.wanted == wanted.size)
        return whole;
    return plain.wanted >= spelled.wanted ? plain : spelled;
}
