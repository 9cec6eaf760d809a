#include "support/digested.h"

#include <openssl/sha.h>
#include <search.h>
#include <stdio.h>

void sha256_digits(struct str text, char digits[SHA256_DIGITS + 1])
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256((const unsigned char *)text.data, text.size, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(digits + 2 * i, 3, "%02x", digest[i]);
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct digested *)a)->digest, ((const struct digested *)b)->digest);
}

struct digested digested_of(struct str text)
{
    struct digested key;
    sha256_digits(text, key.digest);
    return key;
}

void *digested_find(void *const *root, const struct digested *key)
{
    void *const *found = tfind(key, root, compare);
    return found ? *found : NULL;
}

void *digested_entry(void **root, const struct digested *key, size_t size, struct arena *arena)
{
    void *found = digested_find(root, key);
    if (found)
        return found;
    struct digested *entry = arena_alloc_zero(arena, 1, size);
    *entry = *key;
    if (!tsearch(entry, root, compare))
        memory_exhausted();
    return entry;
}

static void keep(void *entry)
{
    (void)entry; /* it lies in an arena */
}

void digested_free(void *root)
{
    tdestroy(root, keep);
}
