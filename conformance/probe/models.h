/* Which models are probed: those of --model, else what the target lists, else those of the kit that it hosts. */
#ifndef PROBE_MODELS_H
#define PROBE_MODELS_H

#include "probe/probing.h"

#define PROBED_MAX    16 /* models that a target lists and nobody asked for by name */
#define PROBED_OF_KIT 3  /* models of the kit, which have cases of their own */

/* Learns each (learn.h). Returns {NAME: what was learned}, in order. */
struct tree *probe_models(struct probing *probing);

#endif
