/* The SHA-256 of a text, and things that are found by it. */
#pragma once

#include "support/memory.h"

#define SHA256_DIGITS 64

/* Writes the SHA-256 of the text as hexadecimal digits, with a NUL after them. */
void sha256_digits(struct str text, char digits[SHA256_DIGITS + 1]);

/* What is found by its digest stands in a tree of tsearch. It begins with a struct digested and lies in an arena. */
struct digested {
    char digest[SHA256_DIGITS + 1];
};

struct digested digested_of(struct str text);

/* Returns what has that digest; NULL if nothing has. */
void *digested_find(void *const *root, const struct digested *key);

/* Returns what has that digest. If nothing has, it is added: `size` bytes, zeros after the digest. */
void *digested_entry(void **root, const struct digested *key, size_t size, struct arena *arena);

/* Frees the tree, but nothing that is in it. */
void digested_free(void *root);
