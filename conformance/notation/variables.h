/* Variables: "${x}" stands for a value that a case is expanded by, or for something of the target (model,
 * model-in-other-case, no-model, host). */
#pragma once

#include "tree/tree.h"
#include <stdbool.h>

struct variable {
    struct str name;
    struct str label;         /* replaces the reference inside a string and in IDs */
    const struct tree *value; /* replaces a reference that stands alone; NULL: the label does, as a string */
    bool is_late;             /* known only when the case is played; until then its references stay as they are */
    bool is_segment;          /* in the path of a request line ("GET /v2/...") it is percent-encoded, as one segment */
};

struct variables {
    const struct variable *list;
    size_t count;
    const struct tree *found; /* discovery, for ${found:/ptr}; may be NULL */
    bool lenient;             /* what ${found:/ptr} does not find is null, and empty inside a string */
};

#define SERIES_MAX 10000 /* elements of one series */

/* Returns the value as it stands inside a string; of a list, an object or null, which cannot, a text without data. */
struct str variable_label(const struct tree *value);

/* Copies the tree into the arena with each variable replaced, in texts and in member names. An element {"$series":
 * [count, element]} of a list becomes so many, in which ${n} is the number of each, from 0. "${x}" alone keeps the type
 * of the value; "${x:/ptr}" is what the pointer finds in the value. INVALID_ARGUMENT names a variable that is unknown
 * or does not fit; NOT_FOUND one whose pointer finds nothing. */
struct status variables_resolve(const struct tree *tree, const struct variables *variables, struct arena *arena,
                                struct tree **resolved);

/* Whether a string in the tree refers to ${name}. */
bool variables_used(const struct tree *tree, struct str name);
