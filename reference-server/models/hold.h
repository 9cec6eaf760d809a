/* A model is held while it is used. Looking a model up holds it, until it is released on any thread. Only a holder may
 * read what lies in the memory of a model: names, shapes, weights.
 *
 * Models are loaded and unloaded while the server runs. A request takes no lock for that, and shares no cache line with
 * other processors. It counts itself twice: for the moment of the look-up as a reader of the catalog (readers.h), and
 * until the release as a holder of the model's generation (generation.h). Whoever unloads or replaces a generation
 * takes it out of the catalog, waits for the readers, and from then on nobody new can hold it. When its holders have
 * left, it is freed. */
#pragma once

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
