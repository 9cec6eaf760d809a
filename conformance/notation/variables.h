/* "${x}": the values that a case is expanded by, and what stands for the target (model, model-in-other-case, no-model,
 * host). */
#ifndef NOTATION_VARIABLES_H
#define NOTATION_VARIABLES_H

#include "tree/tree.h"
#include <stdbool.h>

struct variable {
    struct str name;
    struct str label;         /* what it is inside a text, and in IDs */
    const struct tree *value; /* what it is alone; NULL: a text, the label */
    bool is_late;             /* known when the case is played: until then each reference stands for itself */
    bool is_segment;          /* in a request line ("GET /v2/...") it stands percent-encoded, as one segment */
};

struct variables {
    const struct variable *list;
    size_t count;
    const struct tree *found; /* discovery, for ${found:/ptr}; may be NULL */
};

/* A copy of the tree with each variable replaced, in texts and in members' names. "${x}" alone keeps the value's type;
 * "${x:/ptr}" is what the pointer finds in the value. INVALID_ARGUMENT names the variable that is unknown or does not
 * fit. */
struct status variables_resolve(const struct tree *tree, const struct variables *variables, struct arena *arena,
                                struct tree **resolved);

/* The same for one text. */
struct status variables_text(struct str text, const struct variables *variables, struct arena *arena,
                             struct str *resolved);

/* Whether some text of the tree holds "${name". */
bool variables_used(const struct tree *tree, struct str name);

#endif
