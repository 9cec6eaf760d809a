/* Bytes with a length: every string that came over a wire, and every slice of one.
 *
 * A str owns nothing and may hold any byte, NUL and invalid UTF-8 included; it stays valid as long as the memory it
 * points into (an arena, mostly). The empty str may have a null pointer. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct str {
    const char *data;
    size_t size; /* bytes */
};

/* A str of a string literal, without its terminator. */
#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})

/* For printf: printf("%.*s", STR_ARG(s)). Stops at a NUL: use str_printable for what a peer sent. */
#define STR_ARG(s) (int)(s).size, (s).data

static inline struct str str_of(const char *c_string)
{
    return (struct str){c_string, c_string ? strlen(c_string) : 0};
}

static inline bool str_equal(struct str a, struct str b)
{
    if (a.size != b.size || a.size == 0)
        return a.size == b.size;
    size_t last = a.size - 1; /* where names of one length mostly differ (INPUT0, INPUT1): no call for these */
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
    return (struct str){s.data + offset, s.size - offset};
}

/* Byte order of the contents, shorter first on a tie: <0, 0, >0. */
int str_compare(struct str a, struct str b);

/* ASCII case folded, as HTTP compares header names. */
bool str_equal_ignoring_case(struct str a, struct str b);

/* Whole and well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms). The empty str is. */
bool str_is_utf8(struct str s);

/* Bytes that the first character of `s` takes in UTF-8, 1 to 4; 0 if `s` is empty or starts with no whole character. */
size_t str_utf8_first(struct str s);

/* A whole decimal number without sign, blanks or a leading zero; false if it is anything else or above UINT64_MAX. */
bool str_to_uint64(struct str s, unsigned long long *value);

#endif
