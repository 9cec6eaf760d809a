/* Code that is commented out. Internal to editions/. */
#pragma once

#include "base/str.h"

/* Returns the mark of a comment at `at`, "//" or "#", if a line of code stands behind it, which is then none. NULL: no
 * mark stands there, or prose stands behind it. */
const char *hidden_at(struct str text, size_t at);
