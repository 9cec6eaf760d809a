/* Models are held while they are used: whoever looks a model up is its holder until he releases it, on any thread. What
 * a model's memory holds (names, shapes, weights) may be read by holders only.
 *
 * Holders are counted so that a model can go while the server runs: whoever unloads one, or swaps a new one in, waits
 * until nobody holds the old one, and frees it. Requests pay no lock for that, and share no cache line: a tally counts
 * on each processor for itself (base/tally.h). The tally lies beside the model, in memory that lives as long as the
 * repository; so nobody counts himself in at a place that may be gone.
 *
 * Between looking up and counting in, a model may be swapped. That will be safe for callers as they are, because only
 * the look-up (hold_version in repository.c) has to know: a version then has two generations, each a pointer to a model
 * and a tally, and the number of the current one. A reader reads the number, enters the tally of that generation, and
 * reads the number again; if it has changed, he leaves and begins anew; only then does he read the pointer. Who swaps
 * waits until the other generation has no holder, puts the new model there, writes the next number, and frees the old
 * model when its tally is zero. As all these steps have one order that every thread agrees on, a reader who saw the old
 * number twice was counted before the new one was written: every later sum contains him until he leaves. A reader who
 * is late sees another number and leaves without having looked at the pointer. */
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
