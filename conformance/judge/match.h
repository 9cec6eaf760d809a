/* Patterns against answers: equality, open objects, exact lists, and the $matchers of the fixture form, as a table.
 *
 * Tensors of infer answers match by name; their data is compared element by element after conversion to the expected datatype
 * (NaN equals NaN, -0 differs from 0; $ulps gives a distance). */
#ifndef JUDGE_MATCH_H
#define JUDGE_MATCH_H

#include "tree/tree.h"

/* True if `value` (NULL: absent) meets `pattern`. Else `why` gets one sentence for the first difference, with its pointer:
 * "/outputs/0/data/3: expected 4, got 5". `name` (may be NULL) gets the $any name that matched. Two names that both match
 * are a fault of the suite: false, and why begins with "suite: ". */
bool match(const struct tree *pattern, const struct tree *value, struct arena *arena, struct str *why, struct str *name);

/* Equality of two infer answers in what "same" covers: status class or code, model_name, outputs by name with datatype, shape, data. */
bool match_same(const struct tree *expected, const struct tree *value, struct arena *arena, struct str *why);

#endif
