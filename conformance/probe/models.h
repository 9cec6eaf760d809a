/* Chooses the models that are probed: those of --model, else those that the target lists, else those of the kit that it
 * hosts. */
#ifndef PROBE_MODELS_H
#define PROBE_MODELS_H

#include "probe/probing.h"

#define PROBED_MAX    16 /* models that the target lists, if the user named none */
#define PROBED_OF_KIT 3  /* models of the kit, for which there are cases anyway */

/* Learns each model (learn.h). Returns {NAME: what was learned}, in order, in the prober's arena. */
struct tree *probe_models(struct probing *probing);

#endif
