/* Characters of a text, by their kinds in ASCII. Internal to editions/. */
#pragma once

#include "base/str.h"

#include <string.h>

/* Returns '\0' behind the end. */
static inline char byte_at(struct str text, size_t at)
{
    return at < text.size ? text.data[at] : '\0';
}

static inline bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static inline bool is_blank(char c)
{
    return is_one_of(c, " \t\r\n");
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
}

/* Whether it may be in the name of a field, a type or a model: a letter, a digit or "_". */
static inline bool is_name_byte(char c)
{
    return is_letter_or_digit(c) || c == '_';
}

/* Returns the place behind the characters of that kind that stand at `at`; `at` itself if there are none. */
static inline size_t behind_all(struct str text, size_t at, bool (*is_one)(char c))
{
    while (at < text.size && is_one(text.data[at]))
        at++;
    return at;
}
