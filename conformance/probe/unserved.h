/* What the index of a model repository says is ready, although nothing else of the target knows it. */
#pragma once

#include "probe/probing.h"

/* Asks for the index over each transport that has one, and, for each name that it says is READY and of which discovery
 * has not found metadata, whether the model is ready. Returns a list of the names of those that have no metadata and
 * are not ready over any transport, in the prober's arena. Discovery must have found the models of the kit and the
 * probed ones. */
struct tree *unserved_find(struct probing *probing, const struct tree *probes);
