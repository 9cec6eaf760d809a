/* Signs that carry meaning in schemas and paths, and are words of their own. Internal to editions/. */
#ifndef EDITIONS_SIGNS_H
#define EDITIONS_SIGNS_H

#include "base/str.h"

/* Returns the word that the character `c` at `at` is, which takes `size` bytes there, itself or as an entity. NULL: it
 * is no such sign. `last` is the word before it, or empty. */
const char *sign_at(struct str text, size_t at, size_t size, char c, struct str last);

#endif
