/* Fingerprints of sentences. With them the ledger says where a requirement stands in a document without repeating the
 * document.
 *
 * A text becomes a list of words: maximal runs of [a-z0-9] after lower-casing, so that line breaks, quotes, dashes and
 * brackets do not matter. Markup that a published edition has and a plain copy lost is removed first, so that both give
 * the same words: markdown's emphasis, addresses of links, code fences, tags and anything else in angle brackets,
 * entities, superscripts (2<sup>32</sup>, 2^32 and 2³² are all "232").
 *
 * A sentence has two members in the ledger. `sentence` is a fingerprint and finds the exact sentence. `words` has two
 * hexadecimal digits for each word: too few to read the sentence, but enough to find it again after it was reworded. */
#ifndef EDITIONS_FINGERPRINT_H
#define EDITIONS_FINGERPRINT_H

#include "base/arena.h"
#include "base/buf.h"

#define SENTENCE_WORDS_MAX 64 /* a longer sentence is fingerprinted by its first words */

struct word {
    struct str text;   /* lower case, in the arena */
    size_t begin, end; /* place in the text, in bytes */
};

struct words {
    struct word *items;
    size_t count;
};

struct words words_of(struct str text, struct arena *arena);

/* Returns "sha256:" and the first 16 hexadecimal digits of SHA-256 over `count` words joined by one space, in the
 * arena. */
struct str fingerprint_of(const struct word *words, size_t count, struct arena *arena);

/* Returns the first two hexadecimal digits of SHA-256 of each word, in the arena. */
struct str sketch_of(const struct word *words, size_t count, struct arena *arena);
unsigned char sketch_word(struct str word);

#endif
