/* Models are held while they are used: who looks a model up is its holder until it is released, on whatever thread.
 * Only holders may read what lies in the memory of a model (names, shapes, weights).
 *
 * Holders are counted so that a model can go while the server runs: to unload a model, or to swap a new one in, one
 * waits until nobody holds the old one, and frees it. For that a request takes no lock, and it shares no cache line
 * with other processors, because each of them counts for itself (base/tally.h). The tally lies beside the model, in
 * memory that lives as long as the repository: so counting in never touches memory that may be gone.
 *
 * Nothing swaps models yet. When something does, a model could go between the look-up and the counting; only
 * hold_version in repository.c has to change for that, and none of its callers. A version then has two generations,
 * each a pointer to a model and a tally, and the number of the current one. A reader reads the number, enters the tally
 * of that generation, and reads the number again. If it has changed, the reader leaves and begins anew; only if it has
 * not, the reader looks at the pointer. A writer waits until the other generation is free, puts the new model there,
 * writes the next number, and frees the old model when its tally is zero. All these steps have one order that every
 * thread sees (they are sequentially consistent): a reader that saw the old number twice had entered before the writer
 * wrote the next one, so every sum that the writer takes afterwards contains the reader until it leaves. A reader that
 * comes too late sees another number, and leaves without having looked at the pointer. */
#ifndef MODELS_HOLD_H
#define MODELS_HOLD_H

#include "base/tally.h"
#include "models/model.h"

struct model_hold {
    struct model *model;       /* NULL: none is held */
    struct tally_place *place; /* where the holder is counted */
};

/* Ends the hold; the model may be gone afterwards. Does nothing if none is held. */
static inline void model_release(struct model_hold *hold)
{
    if (hold->model)
        tally_leave(hold->place);
    *hold = (struct model_hold){0};
}

#endif
