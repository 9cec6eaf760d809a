/* The places at which two trees differ. */
#pragma once

#include "tree/tree.h"

/* Calls `found` for each place where two trees differ, such as "/json/inputs/0/name", with the values there (NULL:
 * none). In a list, a child that has an `id` is named by it. Lists of different lengths differ as a whole. Texts lie in
 * the arena. */
void places_compare(const struct tree *one, const struct tree *other,
                    void (*found)(void *context, struct str place, const struct tree *one, const struct tree *other),
                    void *context, struct arena *arena);

/* Appends a value as the beginning of its JSON text, at most `most` bytes; "nothing" for NULL. */
void places_append_value(struct buf *out, const struct tree *value, size_t most);
