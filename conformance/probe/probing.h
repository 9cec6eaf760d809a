/* Internal to probe/: who asks, with which options, and what was found. */
#pragma once

#include "probe/discovery.h"
#include "protocols/prober.h"

struct probing {
    struct prober *prober;
    const struct suite *suite;
    const struct discovery_options *options;
    struct client_options *client_options; /* of each client that asks */
    struct discovery *discovery;
};

/* Returns the metadata of the model from the first profile that gives it. {} if the model is ready but has none; NULL
 * if it is not hosted. The prober's `evidence` says why there is none. */
struct tree *probing_metadata(struct probing *probing, struct str name);
