/* proto/base/ holds what every other folder uses: strings, memory, growing buffers, errors and a counter for threads.
 * It may include no other folder. No folder of proto/ may include reference-server/ or conformance/.
 *
 * A str is bytes with a length: a string that came over a wire, or a slice of one. It owns nothing. It may hold any
 * byte, also NUL and invalid UTF-8. It is valid as long as the memory that it points into, which is mostly an arena. An
 * empty str may have a null pointer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *data;
    size_t size; /* bytes */
};

/* Makes a str of a string literal, without the terminator. */
#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})

/* Passes a str to printf: printf("%.*s", STR_ARG(s)). The output ends at a NUL, so use str_printable for what a peer
 * sent. */
#define STR_ARG(s) (int)(s).size, (s).data

static inline struct str str_of(const char *c_string)
{
    return (struct str){c_string, c_string ? strlen(c_string) : 0};
}

static inline bool str_equal(struct str a, struct str b)
{
    if (a.size != b.size || a.size == 0)
        return a.size == b.size;
    size_t last = a.size - 1; /* names of one length mostly differ here (INPUT0, INPUT1), which saves the call */
    return a.data[last] == b.data[last] && memcmp(a.data, b.data, last) == 0;
}

static inline bool str_is(struct str a, const char *c_string)
{
    return str_equal(a, str_of(c_string));
}

static inline bool str_starts(struct str s, struct str prefix)
{
    return s.size >= prefix.size && (prefix.size == 0 || memcmp(s.data, prefix.data, prefix.size) == 0);
}

static inline struct str str_from(struct str s, size_t offset)
{
    return (struct str){offset == 0 ? s.data : s.data + offset, s.size - offset}; /* C forbids NULL + 0 */
}

static inline bool str_ends(struct str s, struct str end)
{
    return s.size >= end.size && str_equal(str_from(s, s.size - end.size), end);
}

static inline bool str_has(struct str s, char byte)
{
    return s.size && memchr(s.data, byte, s.size);
}

/* Returns what precedes the first such byte; all of `s` if there is none. */
struct str str_before(struct str s, char byte);

/* Returns what precedes the first of the bytes in `stops`; all of `s` if it has none of them. */
struct str str_until(struct str s, const char *stops);

/* Returns how many bytes are the same at the start of both. */
size_t str_common(struct str a, struct str b);

/* Returns what follows the last such byte; all of `s` if there is none. */
struct str str_behind_last(struct str s, char byte);

/* Takes what precedes the first such byte off *rest, and the byte: of "a\nb" and a line feed, "a", which leaves
 * "b". Without one all is taken. */
struct str str_take(struct str *rest, char byte);

/* Returns `s` without the blanks and tabs around it. */
struct str str_trimmed(struct str s);

/* For hash tables in memory: FNV-1a. */
static inline size_t str_hash(struct str s)
{
    uint64_t hash = 14695981039346656037U;
    for (size_t i = 0; i < s.size; i++)
        hash = (hash ^ (unsigned char)s.data[i]) * 1099511628211U;
    return (size_t)(hash ^ hash >> 32);
}

/* Compares the contents byte by byte; of two that agree up to the end of one, the shorter is less. Returns less than 0,
 * 0, or more than 0. */
int str_compare(struct str a, struct str b);

/* Compares with ASCII letters of either case equal, as HTTP compares header names. */
bool str_equal_ignoring_case(struct str a, struct str b);

/* Says whether `s` is complete and well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms). The empty str is. */
bool str_is_utf8(struct str s);

/* Returns how many bytes the first character of `s` takes in UTF-8: 1 to 4, or 0 if `s` is empty or does not start with
 * a complete character. */
size_t str_utf8_first(struct str s);

/* Writes a character below U+110000 in at most four bytes. Returns where it ends. */
static inline char *str_put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = (char)(0xE0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    } else {
        *out++ = (char)(0xF0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3F));
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    }
    return out;
}

/* Reads `s` as a decimal number without sign, blanks or leading zeros. Returns false if `s` is anything else or the
 * number is above UINT64_MAX. */
bool str_to_uint64(struct str s, unsigned long long *value);

/* The same where HTTP has 1*DIGIT: zeros may lead. */
bool str_digits_to_uint64(struct str s, unsigned long long *value);

/* Returns the value of a hexadecimal digit; -1 for any other character. */
static inline int hex_digit(char c)
{
    char small = (char)(c | 0x20);
    return c >= '0' && c <= '9' ? c - '0' : small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

/* Says whether `s` is decimal digits alone, and at least one. */
bool str_is_digits(struct str s);
