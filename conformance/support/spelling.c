#include "support/spelling.h"

#include "base/search.h"

/* Reads so many hexadecimal digits. False if there are other characters. */
static bool read_digits(struct str text, size_t at, size_t count, unsigned *value)
{
    *value = 0;
    for (size_t i = at; i < at + count; i++) {
        int digit = i < text.size ? hex_digit(text.data[i]) : -1;
        if (digit < 0)
            return false;
        *value = *value << 4 | (unsigned)digit;
    }
    return true;
}

/* A character that is written in another way: how many bytes that takes, and which it stands for. */
struct spelled {
    size_t size, count;
    char bytes[3];
};

static struct spelled spelled_byte(size_t size, unsigned byte)
{
    return (struct spelled){size, 1, {(char)byte}};
}

static struct spelled spelled_code_point(size_t size, unsigned c)
{
    if (c < 0x80)
        return spelled_byte(size, c);
    if (c < 0x800)
        return (struct spelled){size, 2, {(char)(0xC0 | c >> 6), (char)(0x80 | (c & 0x3F))}};
    return (struct spelled){
        size, 3, {(char)(0xE0 | c >> 12), (char)(0x80 | (c >> 6 & 0x3F)), (char)(0x80 | (c & 0x3F))}};
}

/* Reads %XX, \xXX, \uXXXX, or what is in markup for one of its signs. The size is 0 if it is none of these. */
static struct spelled spelled_at(struct str text, size_t at)
{
    static const struct {
        struct str name;
        char sign;
    } signs[] = {{STR("&lt;"), '<'},    {STR("&gt;"), '>'},  {STR("&amp;"), '&'},  {STR("&quot;"), '"'},
                 {STR("&apos;"), '\''}, {STR("&#34;"), '"'}, {STR("&#39;"), '\''}, {STR("&#x27;"), '\''}};
    struct str rest = str_from(text, at);
    unsigned value;
    if (rest.data[0] == '%' && read_digits(rest, 1, 2, &value))
        return spelled_byte(3, value);
    if (str_starts(rest, STR("\\x")) && read_digits(rest, 2, 2, &value))
        return spelled_byte(4, value);
    if (str_starts(rest, STR("\\u")) && read_digits(rest, 2, 4, &value))
        return spelled_code_point(6, value);
    for (size_t i = 0; rest.data[0] == '&' && i < COUNT_OF(signs); i++)
        if (str_starts(rest, signs[i].name))
            return spelled_byte(signs[i].name.size, (unsigned char)signs[i].sign);
    return (struct spelled){0};
}

/* Whether what is looked for goes on with these bytes. */
static bool goes_on(struct str wanted, size_t at, const char *bytes, size_t count)
{
    return !ANY(i, count, at + i >= wanted.size || spelling_fold(bytes[i]) != wanted.data[at + i]);
}

/* Compares the bytes as they are. */
static struct agreed agree_plainly(struct str wanted, struct str text, size_t at)
{
    size_t size = 0;
    while (at + size < text.size && goes_on(wanted, size, text.data + at + size, 1))
        size++;
    return (struct agreed){size, size};
}

/* Compares the characters that the text spells. Backslashes may stand before any that was escaped. */
static struct agreed agree_by_spelling(struct str wanted, struct str text, size_t at)
{
    struct agreed agreed = {0};
    for (size_t next = at; next < text.size && agreed.wanted < wanted.size;) {
        struct spelled spelled = spelled_at(text, next);
        bool is_spelled = spelled.size && goes_on(wanted, agreed.wanted, spelled.bytes, spelled.count);
        bool is_plain = !is_spelled && goes_on(wanted, agreed.wanted, text.data + next, 1);
        if (!is_spelled && !is_plain && text.data[next] != '\\')
            break;
        next += is_spelled ? spelled.size : 1;
        agreed.wanted += is_spelled ? spelled.count : is_plain;
        agreed.text = is_spelled || is_plain ? next - at : agreed.text;
    }
    return agreed;
}

struct agreed spelling_compare(struct str wanted, struct str text, size_t at)
{
    struct agreed plain = agree_plainly(wanted, text, at), spelled = agree_by_spelling(wanted, text, at);
    return plain.wanted >= spelled.wanted ? plain : spelled;
}
