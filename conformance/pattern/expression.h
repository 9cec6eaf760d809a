/* Regular expressions of $match: POSIX extended ones. Behind "(?i)" the case of letters does not matter. */
#pragma once

#include "base/str.h"

#include <regex.h>

/* Returns the compiled expression, which says only whether a text matches (REG_NOSUB). It is compiled once and stays
 * until the program ends, because the watchers ask the same few of every answer. NULL if it is no such expression, or
 * has a NUL. May be called from any thread. */
const regex_t *expression_find(struct str text);
