/* Discovery: what the target is, asked before the first case: metadata of the server and of each kit model (by the name
 * that --map gives it), a model name that is unknown, whether inferences need a version; and of each model that is
 * probed a request that it takes, made from its metadata (probe/learn.h). How each question is asked is the protocols'
 * (protocols/protocol.h, struct side). */
#ifndef PROBE_DISCOVERY_H
#define PROBE_DISCOVERY_H

#include "client/client.h"
#include "suite/suite.h"

struct discovery_options {
    const struct client_options *client;
    const struct profile **profiles; /* that are asked for, in the registry's order */
    size_t profile_count;
    const char *const *map; /* "KIT=THEIRS" */
    size_t map_count;
    const char *const *models; /* to be probed; none: what the target lists */
    size_t model_count;
    const struct tree *examples; /* {MODEL: {inputs, parameters?}}: good requests (probe/example.h); or NULL */
    uint64_t seed;               /* of the data in requests */
};

/* `found` is {server: metadata, models: {KIT: metadata}, absent: {KIT: "GET /v2/models/simple gave 404"}, probes:
 * {MODEL: what probe/learn.h says}}; metadata is that of the first profile that gives it; {} if it cannot be had. */
struct discovery {
    struct tree *found;
    struct str no_model;         /* for ${no-model} */
    bool versionless_refused;    /* REST answers an inference with a version and refuses it without */
    bool answers[ENDPOINTS_MAX]; /* at least one exchange was answered, whatever it said; by the endpoint's index */
    struct str notes;            /* one line per oddity, for the report */
};

/* Asks over the endpoints that the options have addresses of. One whose first question times out, or that leaves three
 * unanswered, is asked no more. A target that answers nonsense is found with no model: that is no error. Fails only
 * when no client can be made. Everything lies in the arena. */
struct status discover(const struct suite *suite, const struct discovery_options *options, struct arena *arena,
                       struct discovery *discovery);

#endif
