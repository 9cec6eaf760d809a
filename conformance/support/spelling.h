/* How characters are written in texts that must not hold them as they are: "%2F" in a URL, "\\u002f" or "\\/" in JSON,
 * "\\x2f" in a log, "&lt;" or "&#x2F;" in markup. */
#pragma once

#include "base/str.h"

#define SPELLING_BETWEEN 32 /* bytes at most between two characters */

/* What begins a character that is written in another way, or stands between two characters. */
static const char spelling_marks[] = {'\\', '%', '&', '=', '\0', '\t', '\r', '\n', ' ', ',', '-', ':'};

/* How far a text and what is looked for agree: in bytes of each. `loosely`: something stands between the bytes. */
struct agreed {
    size_t text, wanted;
    bool loosely;
};

/* Returns how far the text, from `at` on, spells what is looked for. Letters of either case agree; those of `wanted`
 * are small (spelling_fold). Backslashes may stand before any character. If the text has all that is looked for,
 * blanks, line ends, NULs and other signs may stand between its bytes: 73:33, 0x73, 0x33. */
struct agreed spelling_compare(struct str wanted, struct str text, size_t at);

/* Sets the first bytes of the characters that the text may begin with in another writing. Returns how many. */
#define SPELLING_WAYS 16
size_t spelling_first(struct str text, char bytes[SPELLING_WAYS]);

/* Returns the small letter; any other byte as it is. */
static inline char spelling_fold(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}
