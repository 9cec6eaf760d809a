#include "probe/probing.h"

#include "base/search.h"
#include "probe/model_facts.h"

/* A model whose metadata is broken may still be there. Believe ready=yes only if an unknown name gets no. */
static bool is_ready(struct probing *probing, struct str name)
{
    struct prober *prober = probing->prober;
    return ANY(i, prober->profile_count,
               prober_may_ask(prober, prober->profiles[i]) && inquiry_is_ready(prober, prober->profiles[i], name) &&
                   !inquiry_is_ready(prober, prober->profiles[i], probing->discovery->no_model));
}

/* Returns the metadata that one profile gives; if the target wants a version, that of version 1 is asked for, and
 * then that of the last version that it lists, which is the one that requests will name. */
static struct tree *metadata_of(struct prober *prober, const struct profile *profile, struct str name)
{
    bool wants_versions = protocol_inquiry(profile)->wants_versions;
    struct tree *metadata = inquiry_metadata(prober, profile, name, STR(""));
    struct str evidence = prober->evidence;
    bool refused = !metadata && !prober->endpoints[profile->endpoint->index].lost;
    if (!metadata && wants_versions && prober_may_ask(prober, profile)) {
        metadata = inquiry_metadata(prober, profile, name, STR("1"));
        prober->versionless_refused |= refused && metadata;
        struct str last = model_last_version(metadata);
        struct tree *newest = str_is(last, "1") ? NULL : inquiry_metadata(prober, profile, name, last);
        metadata = newest ? newest : metadata;
    }
    prober->evidence = evidence; /* of the first question */
    return metadata;
}

struct tree *probing_metadata(struct probing *probing, struct str name)
{
    struct prober *prober = probing->prober;
    struct tree *metadata = NULL;
    bool has_evidence = false; /* the evidence is what the first endpoint that answered says */
    struct str evidence = prober->evidence = STR("the target gave no answer");
    for (size_t i = 0; i < prober->profile_count && !metadata; i++) {
        const struct profile *profile = prober->profiles[i];
        if (prober_may_ask(prober, profile))
            metadata = metadata_of(prober, profile, name);
        evidence = has_evidence ? evidence : prober->evidence;
        has_evidence |= prober->endpoints[profile->endpoint->index].answered;
    }
    if (!metadata && is_ready(probing, name)) {
        buf_printf(&prober->notes, "model '%s' is ready but has no metadata: %.*s\n",
                   str_printable(prober->arena, name), STR_ARG(evidence));
        metadata = tree_new(prober->arena, TREE_OBJECT);
    }
    prober->evidence = evidence;
    return metadata;
}
