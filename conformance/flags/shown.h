/* Words of the command line as a message or a report may show them: without what only the target may know. */
#pragma once

#include "base/arena.h"

/* Returns an address that may be wrong, in the arena, with credentials (before an @) and queries hidden. */
struct str shown_address(const char *address, struct arena *arena);

/* Returns a word of the command line, in the arena, if something in it is hidden; `before` is the word before it. */
struct str shown_word(const char *before, const char *word, struct arena *arena);
