/* Finds tensors of a list by their names. A target may answer with a hundred thousand of them, so where many are asked
 * for, the names are sorted first. */
#pragma once

#include "tree/tree.h"

struct tensors {
    const struct tree *list;
    struct named_tensor *sorted; /* by name, then by place; NULL: few are asked for */
    size_t count;
};

/* `asked` says how many will be looked for. The list must live as long. */
struct tensors tensors_of(const struct tree *list, size_t asked, struct arena *arena);

/* Returns the first tensor of that name, and its place in the list; NULL: there is none. */
const struct tree *tensors_find(const struct tensors *tensors, struct str name, size_t *index);
