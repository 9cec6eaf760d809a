/* How a text is read into words (words.c): characters, markup, signs, numbers of lists. Internal to editions/. */
#pragma once

#include "base/str.h"
#include "support/memory.h"

#include <string.h>

/* --- Characters of a text, by their kinds in ASCII --- */

/* Returns '\0' after the end. */
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

/* Returns the place after the characters of that kind that stand at `at`; `at` itself if there are none. */
static inline size_t behind_all(struct str text, size_t at, bool (*is_one)(char c))
{
    while (at < text.size && is_one(text.data[at]))
        at++;
    return at;
}

/* --- Markup --- */

/* What a form of a text adds around its words: tags, entities, links, code fences, roles. The published edition of a
 * document has them and a plain copy has lost them, so words.c takes them out first. */

/* The markup at a place of a text. */
struct mark {
    size_t size; /* bytes that it takes; 0: there is no markup here */
    bool joins;  /* the text on both sides of it is one word: "2<sup>32</sup>", "**M**odel" */
};

/* The names that the text defines as links by lines like "[NAME]: ADDRESS". */
struct definitions {
    struct list names; /* struct str * */
};

struct definitions markup_definitions(struct str text, struct arena *arena);

/* The markup at `at`, other than a link. A name in angle brackets that is no tag of HTML is no markup, but what the
 * author left for the reader to fill in: "<size>". */
struct mark markup_at(struct str text, size_t at);

/* Whether "[" at `at` opens a link: "[text](address)", "[text][name]", "[name]" where the name is defined. `close` is
 * then the place of its "]", and `end` the place after the link. */
bool markup_link(struct str text, size_t at, const struct definitions *definitions, size_t *close, size_t *end);

/* The bytes of ASCII that the entity at `at` stands for ("&lt;": "<"), and its size. NULL: there is no entity that
 * means anything, and `size` is 0 if there is none at all. */
const char *markup_entity(struct str text, size_t at, size_t *size);

/* Whether only blanks stand between the start of the line and `at`. */
bool markup_starts_line(struct str text, size_t at);

/* --- Signs --- */

/* Signs that carry meaning and are words of their own: those of paths, schemas and code, and the minus of a word. */

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

/* --- Numbers --- */

/* The numbers of ordered lists. A page shows the place that an item has in its list, whatever number its author wrote
 * before it: "1. 1. 1." and "5) 6) 7)" are the list "1. 2. 3.". A lone item keeps its number, since it may as well be
 * one line of a list. */

/* The number of an item. */
struct item_number {
    size_t at, size; /* its digits, in bytes of the text */
    size_t place;    /* of the item in its list, from 1; 0: the list has no other item */
};

struct numbering {
    struct item_number *items; /* in the order of the text, in the arena */
    size_t count;
};

struct numbering numbering_of(struct str text, struct arena *arena);
