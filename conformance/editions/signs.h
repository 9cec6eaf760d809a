/* Signs that carry meaning and are words of their own: those of paths, of schemas and code, and the minus before a
 * word. Internal to editions/. */
#pragma once

#include "base/str.h"

/* A character of a text. */
struct spot {
    struct str text;
    size_t at, size; /* where it stands, and what it takes there, itself or as an entity */
    char c;
    struct str last; /* the word before it, or empty */
};

/* Returns the word that the character is. NULL: it is no such sign. */
const char *sign_at(const struct spot *spot);

/* The word that dashes are. */
struct dash {
    const char *word; /* "-" or "--"; NULL: they divide words, as in "tea - or milk" */
    size_t size;      /* bytes that the dashes take, at least 1 where there are any; 0: there are none */
};

/* The dashes at `at`: hyphens, minus signs, and what typographers make of two of them. `in_word`: a word ends right
 * before them. */
struct dash dash_at(struct str text, size_t at, bool in_word);
