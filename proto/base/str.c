#include "base/str.h"

#include "base/search.h"

#include <limits.h>
#include <stdint.h>

struct str str_before(struct str s, char byte)
{
    const char *found = s.size ? memchr(s.data, byte, s.size) : NULL;
    return (struct str){s.data, found ? (size_t)(found - s.data) : s.size};
}

struct str str_until(struct str s, const char *stops)
{
    size_t size = 0;
    while (size < s.size && !str_has(str_of(stops), s.data[size]))
        size++;
    return (struct str){s.data, size};
}

size_t str_common(struct str a, struct str b)
{
    size_t same = 0;
    while (same < a.size && same < b.size && a.data[same] == b.data[same])
        same++;
    return same;
}

struct str str_behind_last(struct str s, char byte)
{
    const char *found = s.size ? memrchr(s.data, byte, s.size) : NULL;
    return found ? str_from(s, (size_t)(found + 1 - s.data)) : s;
}

struct str str_take(struct str *rest, char byte)
{
    struct str taken = str_before(*rest, byte);
    *rest = str_from(*rest, taken.size + (taken.size < rest->size));
    return taken;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct str str_trimmed(struct str s)
{
    while (s.size > 0 && is_blank(s.data[0]))
        s = str_from(s, 1);
    while (s.size > 0 && is_blank(s.data[s.size - 1]))
        s.size--;
    return s;
}

int str_compare(struct str a, struct str b)
{
    size_t shorter = a.size < b.size ? a.size : b.size;
    int order = shorter ? memcmp(a.data, b.data, shorter) : 0;
    if (order != 0)
        return order;
    return (a.size > b.size) - (a.size < b.size);
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool str_equal_ignoring_case(struct str a, struct str b)
{
    if (a.size != b.size)
        return false;
    for (size_t i = 0; i < a.size; i++)
        if (a.data[i] != b.data[i] && lower(a.data[i]) != lower(b.data[i]))
            return false;
    return true;
}

/* The table of well-formed byte sequences of RFC 3629, section 4. The range of the second byte depends on the first;
 * all later bytes are 80 to BF. */
static const struct {
    unsigned char first_low, first_high, second_low, second_high, length;
} sequences[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
    {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

size_t str_utf8_first(struct str s)
{
    if (s.size == 0)
        return 0;
    const unsigned char *byte = (const unsigned char *)s.data;
    if (byte[0] < 0x80)
        return 1;
    for (size_t i = 0; i < COUNT_OF(sequences); i++) {
        if (byte[0] < sequences[i].first_low || byte[0] > sequences[i].first_high)
            continue;
        size_t length = sequences[i].length;
        if (s.size < length || byte[1] < sequences[i].second_low || byte[1] > sequences[i].second_high)
            return 0;
        for (size_t k = 2; k < length; k++)
            if ((byte[k] & 0xC0) != 0x80)
                return 0;
        return length;
    }
    return 0;
}

/* Returns where the first byte at or after `at` is that is no ASCII; the size if there is none. */
static size_t after_ascii(struct str s, size_t at)
{
    uint64_t eight;
    uint32_t four;
    for (; s.size - at >= sizeof(eight); at += sizeof(eight)) {
        memcpy(&eight, s.data + at, sizeof(eight));
        if (eight & 0x8080808080808080u)
            break;
    }
    if (s.size - at >= sizeof(four)) {
        memcpy(&four, s.data + at, sizeof(four));
        at += four & 0x80808080u ? 0 : sizeof(four);
    }
    while (at < s.size && (unsigned char)s.data[at] < 0x80)
        at++;
    return at;
}

bool str_is_utf8(struct str s)
{
    for (size_t at = after_ascii(s, 0); at < s.size; at = after_ascii(s, at)) {
        size_t length = str_utf8_first(str_from(s, at));
        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

bool str_to_uint64(struct str s, unsigned long long *value)
{
    return (s.size <= 1 || s.data[0] != '0') && str_digits_to_uint64(s, value);
}

bool str_digits_to_uint64(struct str s, unsigned long long *value)
{
    unsigned long long sum = 0;
    if (s.size == 0)
        return false;
    for (size_t i = 0; i < s.size; i++) {
        unsigned digit = (unsigned)(unsigned char)s.data[i] - '0';
        if (digit > 9 || sum > (ULLONG_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return true;
}

bool str_is_digits(struct str s)
{
    return s.size > 0 && ALL(i, s.size, s.data[i] >= '0' && s.data[i] <= '9');
}
