/* Things that are found by their digest: a tree of tsearch. Each begins with a struct digested and lies in an arena. */
#pragma once

#include "support/memory.h"
#include "support/sha256.h"

struct digested {
    char digest[SHA256_DIGITS + 1];
};

struct digested digested_of(struct str text);

/* Returns what has that digest; NULL if nothing has. */
void *digested_find(void *const *root, const struct digested *key);

/* Returns what has that digest. If nothing has, it is added: `size` bytes, zeros behind the digest. */
void *digested_entry(void **root, const struct digested *key, size_t size, struct arena *arena);

/* Frees the tree, but nothing that is in it. */
void digested_free(void *root);
