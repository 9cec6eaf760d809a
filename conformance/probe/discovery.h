/* Discovery: what the target is, asked before the first case: server metadata, the metadata of each kit model (by the
 * name that --map gives it), a model name that is unknown, whether REST wants a version; and of each model that is
 * probed a request that it takes, made from its metadata (probe/learn.h). Mandatory features only, but for the list of
 * models: GET /v2/models or the repository index, where they are offered. */
#ifndef PROBE_DISCOVERY_H
#define PROBE_DISCOVERY_H

#include "client/exchange.h"
#include "plan/plan.h"

struct discovery_options {
    const struct client_options *client;
    const char *const *map; /* "KIT=THEIRS" */
    size_t map_count;
    const char *const *models; /* to be probed; none: what the target lists */
    size_t model_count;
    const struct tree *examples; /* {MODEL: {inputs, parameters?}}: good requests (probe/example.h); or NULL */
    uint64_t seed;               /* of the data in requests */
};

/* `found` is {server: metadata, models: {KIT: metadata}, absent: {KIT: "GET /v2/models/simple gave 404"}, probes:
 * {MODEL: what probe/learn.h says}}; metadata is the JSON of REST, else the message of gRPC; {} if it cannot be had. */
struct discovery {
    struct tree *found;
    struct str no_model;             /* for ${no-model} */
    bool versionless_refused;        /* REST answers an inference with a version and refuses it without */
    bool rest_answers, grpc_answers; /* at least one exchange was answered, whatever it said */
    struct str notes;                /* one line per oddity, for the report */
};

/* Asks over the transports that the options name. A transport whose first question times out, or that leaves three
 * unanswered, is asked no more. A target that answers nonsense is found with no model: that is no error. Fails only
 * when no client can be made. Everything lies in the arena. */
struct status discover(const struct suite *suite, const struct discovery_options *options, struct arena *arena,
                       struct discovery *discovery);

#endif
