/* Finds out whether models can be loaded: a server that serves the model repository may have that switched off. */
#pragma once

#include "probe/probing.h"

/* Returns {ENDPOINT: why} of the endpoints over which the target refuses to load and to unload models, in the prober's
 * arena. It is asked to load a model that it serves, of the suite or of --model, and only if that is refused to unload
 * it; it is then loaded again. */
struct tree *loading_find_fixed(struct probing *probing);
