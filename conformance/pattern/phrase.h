/* Patterns in words, for a person: what a report says was expected. */
#pragma once

#include "tree/tree.h"

/* Appends what the pattern demands, on one line of printable text: "an object with `error`, a string". What means the
 * same as JSON stays JSON. After `most` bytes it stops, and appends "...". */
void append_phrase(struct buf *out, const struct tree *pattern, size_t most);

/* Does the same for a pattern over a whole answer: "status 400; JSON: an object with `error`, a string". */
void append_answer_phrase(struct buf *out, const struct tree *pattern, size_t most);

/* Whether nothing in the tree is a matcher or a codec. */
bool phrase_is_plain(const struct tree *tree);

/* Returns the word for a type of JSON with its article, as all sentences about answers have it: "a string", "a list".
 * The name is that of a $type; NULL if there is none of that name. */
const char *phrase_of_type(struct str name);

/* Returns what a tensor of the form of a $tensor has: "with as many elements as its shape says"; NULL if there is none
 * of that name. */
const char *phrase_of_form(struct str name);
