/* The values that the steps of a play save for its later steps, and ${i} of steps that are played together. */
#pragma once

#include "notation/variables.h"
#include "plan/plan.h"

/* All zero at first, except the arena. */
struct saved {
    struct arena *arena; /* of the play */
    struct variable list[SAVED_MAX];
    size_t count;
    struct str lacking; /* pointer to a value that an answer lacks although later steps need it; or empty */
};

/* Makes the play of a step, in `arena`: each ${name} is replaced by the saved value, and ${i} by that of `number`,
 * counted from 0. Returns a fault of the suite, or an empty text. If a pointer finds nothing in a saved value,
 * `lacking` is set too. */
struct str saved_resolve(struct saved *saved, const struct step *step, size_t number, struct arena *arena,
                         struct play *own);

/* Saves what the step says of an answer (NULL: there is none), whose tree must live as long as the play. Sets `lacking`
 * if a value is missing. */
void saved_keep(struct saved *saved, const struct step *step, const struct tree *answer);
