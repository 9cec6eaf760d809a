/* Compares answers with patterns: equality, open objects, exact lists, and the $matchers of the fixture form.
 *
 * The folder pattern/ decides only whether a value meets a pattern, and says where it differs. It knows no requirement,
 * no verdict and no target. It uses notation/ and support/; it may include no other folder of conformance/.
 *
 * An object with a member "data" whose datatype is known (from the pattern, else from the value) is a tensor. Its data
 * is converted to that datatype and compared element by element, however it is nested: NaN equals NaN, -0 differs from
 * 0, and $ulps allows a distance. In an infer answer, BOOL data may be 0 and 1. If the pattern gives the data as a
 * codec, it stands for the packed bytes of the tensor. Everything else is compared as JSON. */
#pragma once

#include "tree/tree.h"

/* Whether `value` (NULL: absent) meets `pattern`. If not, `why` (may be NULL) gets one sentence about the first
 * difference, with its pointer: "/outputs/0/data/3: expected 4, got 5". `name` (may be NULL) gets the name of the $any
 * choice that matched, the first one of each $any; several names are joined by ", ". Texts lie in the arena. If the
 * pattern itself is wrong, which is a fault of the suite, the result is false and `why` begins with "suite: ". */
bool match(const struct tree *pattern, const struct tree *value, struct arena *arena, struct str *why,
           struct str *name);

/* Does the same for the acts http, grpc and tcp, where "outputs" at the root is an exact list like any other. In
 * match(), for infer answers, outputs match by name, in any order, and there may be more of them. */
bool match_in_order(const struct tree *pattern, const struct tree *value, struct arena *arena, struct str *why,
                    struct str *name);

/* How much the outputs of two answers must be alike. */
enum likeness {
    LIKENESS_EXACT, /* names, datatypes, shapes and every element */
    LIKENESS_CLOSE, /* the same, but floats may differ a little, null agrees with NaN and the infinities, and U+FFFD
                       with bytes that are no text: for models whose arithmetic is not specified */
    LIKENESS_FORM,  /* names and datatypes only: for models that answer differently each time */
};

/* Whether two infer answers are the same in the sense of "same": status class or code, model_name, and the outputs by
 * name with datatype, shape and data. `why` as in match(). */
bool match_same(const struct tree *expected, const struct tree *value, enum likeness likeness, struct arena *arena,
                struct str *why);

/* Whether the outputs alone are alike; for answers over different transports. */
bool match_alike(const struct tree *expected, const struct tree *value, enum likeness likeness, struct arena *arena,
                 struct str *why);

/* Whether `why` of a mismatch reports a fault of the suite. */
bool match_is_suite_fault(struct str why);

/* Whether `why` of a mismatch says that nothing stands at a place of the answer's body or message. */
bool match_found_nothing(struct str why);

/* Whether the tree is an object whose only member is a $matcher. No codec is one, nor is $json. (phrase.c) */
bool match_is_matcher(const struct tree *pattern);
