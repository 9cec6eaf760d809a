/* A text as a list of words, which is the same for every form of the text: as its author wrote it, as a browser shows
 * it, as HTML, re-wrapped, on one line, with typographic quotes.
 *
 * A word is
 *   - a run of letters and digits, in their case, and "_" between them. A minus or plus before a number belongs to it,
 * and so do a point between its digits, and what is raised or lowered: 2<sup>32</sup>, 2^32 and 2³² are all "232".
 * Quotes belong to a number, true or false that stands alone between them: it is a string then. "$" belongs to the name
 * after it;
 *   - a bracket of any kind (other than those of links), "...", or one of the signs that carry meaning (signs.c): "&",
 * "@", "%", "?", "!", "$" and "="; "+" that stands beside a word; "/" (other than in "//", unless that is a path which
 * lost what stood between: "/cups//"); "|" between two names with "$"; "-" and "--" before a word, and "-" after one;
 * "#" before one; "." inside of a name or an address, and ":", ";" and "," inside of a path; what hides code or text:
 * "//" and "#" before a line of code (signs.c), and ".." as reStructuredText has it;
 *   - a sign of mathematics beyond ASCII.
 * Items of ordered lists have the number of their place in the list, whatever number the text has.
 * All other punctuation only divides words, so that commas, other quotes, colons and dashes between blanks do not
 * matter.
 *
 * What is in angle brackets is kept apart from the words: many forms have lost it. So are a lone "<" and ">".
 *
 * The folder editions/ handles the texts of documents only. It uses support/; it may include no other folder of
 * conformance/. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

struct word {
    struct str text;      /* in the arena */
    struct str angles;    /* what is in angle brackets between this word and the next, as words; mostly empty */
    size_t begin, end;    /* place in the text, in bytes; without the angle brackets */
    unsigned char digest; /* the first byte of its SHA-256 */
};

struct words {
    struct word *items;
    size_t count;
};

struct words words_of(struct str text, struct arena *arena);
