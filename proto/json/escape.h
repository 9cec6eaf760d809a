/* The escapes in strings. Only reader.c includes this header, whose functions are worth inlining there. */
#pragma once

#include "base/str.h"

/* Half of a surrogate pair is a fault that the grammar of JSON allows. */
static const char half_a_pair[] = "half of a surrogate pair, which is not a character";

/* Returns the value of four hexadecimal digits; -1 if there are none. */
static inline int read_digits(const char *at, const char *end)
{
    int value = 0;
    for (int i = 0; i < 4 && value >= 0; i++) {
        int digit = end - at >= 4 ? hex_digit(at[i]) : -1;
        value = digit < 0 ? -1 : value * 16 + digit;
    }
    return value;
}

/* Decodes a \u escape, or two that make a surrogate pair. */
static inline const char *decode_unicode(const char *at, const char *end, char **out, const char **fault)
{
    int code = read_digits(at + 2, end), low = -1;
    *fault = "\\u without four hexadecimal digits";
    if (code < 0)
        return NULL;
    at += 6;
    if (code < 0xD800 || code > 0xDFFF) {
        *out = str_put_utf8(*out, (uint32_t)code);
        return at;
    }
    *fault = half_a_pair;
    if (code < 0xDC00 && end - at >= 2 && at[0] == '\\' && at[1] == 'u')
        low = read_digits(at + 2, end);
    if (low < 0xDC00 || low > 0xDFFF)
        return NULL;
    *out = str_put_utf8(*out, 0x10000 + ((uint32_t)(code - 0xD800) << 10) + (uint32_t)(low - 0xDC00));
    return at + 6;
}

/* Decodes the escape at `at`, a backslash before the last byte of the text, to *out, and moves *out after what it
 * stands for, which is never longer than the escape. Returns what follows the escape; NULL: *fault says what is wrong.
 */
static inline const char *decode_escape(const char *at, const char *end, char **out, const char **fault)
{
    static const char stands_for[256] = {
        ['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t'};
    if (at[1] == 'u')
        return decode_unicode(at, end, out, fault);
    char plain = stands_for[(unsigned char)at[1]];
    *fault = "a backslash before a character that JSON does not escape";
    if (plain == '\0')
        return NULL;
    *(*out)++ = plain;
    return at + 2;
}
