/* A model is held while it is used. Looking a model up holds it, until it is released on any thread. Only a holder may
 * read what lies in the memory of a model: names, shapes, weights.
 *
 * Holders are counted so that a model can be removed while the server runs: whoever unloads or replaces it waits until
 * nobody holds the old one, and frees it. A request takes no lock for this, and shares no cache line with other
 * processors, because each processor has a counter of its own (base/tally.h). The tally lies in memory that lives as
 * long as the repository, and not in the model. So counting never touches memory that may be freed.
 *
 * Today no code replaces models. With such code, a model could be freed between look-up and counting. Then only
 * hold_version in repository.c must change, not its callers, in this way: A version has two generations, each a pointer
 * to a model and a tally, and the number of the current generation. A reader reads the number, enters the tally of that
 * generation, and reads the number again. If it has changed, the reader leaves and starts again. If not, the reader may
 * use the pointer. A writer waits until the other generation is free, puts the new model there, writes the next number,
 * and frees the old model when its tally is zero. All these steps are sequentially consistent, so all threads see them
 * in one order. A reader that saw the old number twice entered before the writer wrote the next one, so every later sum
 * of the writer includes the reader until it leaves. A reader that comes too late sees another number and leaves; it
 * has not used the pointer. */
#ifndef MODELS_HOLD_H
#define MODELS_HOLD_H

#include "base/tally.h"
#include "models/model.h"

struct model_hold {
    struct model *model;       /* NULL if no model is held */
    struct tally_place *place; /* where this holder is counted */
};

/* Ends the hold; the model may be freed afterwards. Does nothing if no model is held. */
static inline void model_release(struct model_hold *hold)
{
    if (hold->model)
        tally_leave(hold->place);
    *hold = (struct model_hold){0};
}

#endif
