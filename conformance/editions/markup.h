/* What a form of a text adds around its words: tags, entities, links, code fences, roles. The published edition of a
 * document has them and a plain copy has lost them, so words.c takes them out first. Internal to editions/. */
#pragma once

#include "support/memory.h"

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
 * then the place of its "]", and `end` the place behind the link. */
bool markup_link(struct str text, size_t at, const struct definitions *definitions, size_t *close, size_t *end);

/* The bytes of ASCII that the entity at `at` stands for ("&lt;": "<"), and its size. NULL: there is no entity that
 * means anything, and `size` is 0 if there is none at all. */
const char *markup_entity(struct str text, size_t at, size_t *size);

/* Whether only blanks stand between the start of the line and `at`. */
bool markup_starts_line(struct str text, size_t at);
