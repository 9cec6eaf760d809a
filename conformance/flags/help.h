/* What --help prints. */
#pragma once

#include "base/arena.h"

/* Returns the help of a command, in the arena; of "", or what is no command, that of the program. */
struct str help_of(const char *command, struct arena *arena);
