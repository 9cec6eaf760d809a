/* Patterns against answers: equality, open objects, exact lists, and the $matchers of the fixture form, as a table.
 *
 * An object with a member "data" whose datatype is known (from the pattern, else from the value) is a tensor: its data
 * is compared element by element after conversion to that datatype, however it is nested (NaN equals NaN, -0 differs
 * from 0; $ulps gives a distance), and BOOL data of an
 * infer answer may be said as 0 and 1, and data given as a codec stands for the tensor's packed bytes. Everything else
 * is compared as JSON. */
#ifndef PATTERN_MATCH_H
#define PATTERN_MATCH_H

#include "tree/tree.h"

/* True if `value` (NULL: absent) meets `pattern`. Else `why` (may be NULL) gets one sentence for the first difference,
 * with its pointer:
 * "/outputs/0/data/3: expected 4, got 5". `name` (may be NULL) gets the $any name that matched, several joined by ", ".
 * Two names of one $any that both match, or a pattern that is no pattern, are faults of the suite: false, and why
 * begins with "suite: ". */
bool match(const struct tree *pattern, const struct tree *value, struct arena *arena, struct str *why,
           struct str *name);

/* The same for the acts http and grpc, where "outputs" at the root is an exact list like any other. (match(), for infer
 * answers: its tensors match by name, in any order, and there may be more.) */
bool match_in_order(const struct tree *pattern, const struct tree *value, struct arena *arena, struct str *why,
                    struct str *name);

/* How alike the outputs of two answers must be. */
enum likeness {
    LIKENESS_EXACT, /* names, datatypes, shapes and every element */
    LIKENESS_CLOSE, /* the same, but floats may be a little apart: of models whose arithmetic nobody promised; and
                     * null agrees with NaN and the infinities */
    LIKENESS_FORM,  /* names and datatypes only: of models that answer otherwise each time */
};

/* Equality of two infer answers in what "same" covers: status class or code, model_name, outputs by name with datatype,
 * shape, data. */
bool match_same(const struct tree *expected, const struct tree *value, enum likeness likeness, struct arena *arena,
                struct str *why);

/* The same of the outputs alone, for answers over different transports. */
bool match_alike(const struct tree *expected, const struct tree *value, enum likeness likeness, struct arena *arena,
                 struct str *why);

/* Whether `why` of a mismatch says that the suite itself is at fault. */
bool match_is_suite_fault(struct str why);

/* Whether the tree is an object whose only member is one of the $matchers (a codec is not). */
bool match_is_matcher(const struct tree *pattern);

#endif
