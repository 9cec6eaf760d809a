/* Fingerprints. With them the fixtures say where a statement is in a document without repeating the document.
 *
 * A stretch of words has three marks. `sentence` is a fingerprint of its words. `words` has two hexadecimal digits for
 * each word: too few to read it, but enough to find it again after it was reworded. `angles` is a fingerprint of what
 * is in angle brackets within it; a stretch without any has none. */
#pragma once

#include "editions/words.h"

/* Returns "sha256:" and the first 16 digits of SHA-256 over `count` words joined by one space, in the arena. */
struct str fingerprint_of(const struct word *words, size_t count, struct arena *arena);

/* The same over what is in angle brackets; empty if there is nothing. */
struct str fingerprint_of_angles(const struct word *words, size_t count, struct arena *arena);

/* Returns the first two hexadecimal digits of SHA-256 of each word, in the arena. */
struct str digits_of(const struct word *words, size_t count, struct arena *arena);

/* Whether it is "sha256:" and 16 hexadecimal digits. */
bool is_fingerprint(struct str text);

/* Reads what digits_of returns: a byte for each word, in the arena. NULL: there is an odd number of digits, or
 * something else than lower-case hexadecimal digits. */
const unsigned char *digits_read(struct str digits, size_t *count, struct arena *arena);
