/* The places at which two trees differ. */
#pragma once

#include "tree/tree.h"

/* Calls `tell` with each place, such as "/json/inputs/0/name", and what is there: NULL for what is not there. Of a list
 * a child that has an `id` is named by it. Lists of another length differ as a whole. Texts lie in the arena. */
void places_compare(const struct tree *one, const struct tree *other,
                    void (*tell)(void *context, struct str place, const struct tree *one, const struct tree *other),
                    void *context, struct arena *arena);

/* Appends a value as the beginning of its JSON text, at most `most` bytes; "nothing" for NULL. */
void places_append_value(struct buf *out, const struct tree *value, size_t most);
