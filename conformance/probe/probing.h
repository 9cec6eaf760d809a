/* What the parts of discovery share: who asks, with which options, and what is found. */
#ifndef PROBE_PROBING_H
#define PROBE_PROBING_H

#include "probe/discovery.h"
#include "protocols/prober.h"

struct probing {
    struct prober *prober;
    const struct suite *suite;
    const struct discovery_options *options;
    struct discovery *discovery;
};

/* Metadata of the model, from the first profile that gives it: {} if the model is ready and has none, NULL if it is not
 * hosted. Then `evidence` says why. */
struct tree *probing_metadata(struct probing *probing, struct str name, struct str *evidence);

#endif
