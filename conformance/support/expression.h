/* Regular expressions: POSIX extended ones. After "(?i)" the case of letters does not matter. Each is compiled once
 * and stays until the program ends, because the same few are asked of every answer. From any thread. */
#pragma once

#include "base/str.h"

/* Whether it is such an expression: it can be compiled, and has no NUL. */
bool is_expression(struct str text);

/* Whether a part of the text matches the expression, which is one. */
bool expression_meets(struct str expression, struct str text);
