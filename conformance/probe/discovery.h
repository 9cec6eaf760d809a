/* Discovery: what the target is, asked before the first case with mandatory features only: server metadata, the metadata of each
 * kit model (or what --map and --model name), a model name that is unknown. */
#ifndef PROBE_DISCOVERY_H
#define PROBE_DISCOVERY_H

#include "client/exchange.h"
#include "fixture/plan.h"

struct discovery {
    struct tree *found; /* {server: {...}, models: {KIT: {...}}} */
    struct str no_model;
    bool versionless_refused;
    bool rest_answers, grpc_answers; /* at least one exchange was answered, whatever it said */
    struct str notes; /* one line per oddity, for the report */
};

struct status discover(const struct suite *suite, const struct client_options *options, const char *const *map, size_t map_count,
                       struct arena *arena, struct discovery *discovery);

#endif
