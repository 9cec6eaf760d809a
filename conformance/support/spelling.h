/* How characters are written in texts that must not hold them as they are: "%2F" in a URL, "\\u002f" or "\\/" in JSON,
 * "\\x2f" in a log, "&lt;" in markup. */
#pragma once

#include "base/str.h"

/* What begins a character that is written in another way. */
static const char spelling_marks[] = {'\\', '%', '&'};

/* How far a text and what is looked for agree: in bytes of each. */
struct agreed {
    size_t text, wanted;
};

/* Returns how far the text, from `at` on, spells what is looked for. Letters of either case agree; those of `wanted`
 * are small (spelling_fold). */
struct agreed spelling_compare(struct str wanted, struct str text, size_t at);

/* Returns the small letter; any other byte as it is. */
static inline char spelling_fold(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}
