#include "probe/steps.h"

#include "base/search.h"
#include "probe/claims.h"
#include "suite/model_name.h"

/* Returns the name of a model that may be loaded; empty if there is none. */
static struct str loadable(const struct probing *probing)
{
    const struct discovery_options *options = probing->options;
    const struct tree *model = probing->discovery->models->first;
    const struct tree *probe = probing->discovery->probes->first;
    if (model)
        return model_name_mapped(model->name, &options->flags.map);
    while (probe && !tree_is_true(probe, "named"))
        probe = probe->next;
    return probe ? probe->name : (struct str){0};
}

/* Whether the evidence says that the server failed, which is no refusal. */
static bool is_fault(struct str evidence)
{
    static const char *const faults[] = {" gave 500", " gave INTERNAL", " gave UNKNOWN"};
    return ANY(i, COUNT_OF(faults),
               evidence.size && memmem(evidence.data, evidence.size, faults[i], strlen(faults[i])) != NULL);
}

/* Orders something. Returns whether the target answered that it does not do it. */
static bool is_refused(struct prober *prober, const struct profile *profile, struct str model, bool load)
{
    bool done = inquiry_order(prober, profile, model, load);
    return !done && !prober->endpoints[profile->endpoint->index].lost && !is_fault(prober->evidence);
}

static bool is_fixed(struct prober *prober, const struct profile *profile, struct str model)
{
    if (!is_refused(prober, profile, model, true))
        return false;
    struct str evidence = prober->evidence;
    bool is_fixed = is_refused(prober, profile, model, false);
    if (!is_fixed)
        inquiry_order(prober, profile, model, true);
    prober->evidence = evidence;
    return is_fixed;
}

static struct tree *fixed_of(struct probing *probing)
{
    struct prober *prober = probing->prober;
    struct tree *fixed = tree_new(prober->arena, TREE_OBJECT);
    struct str model = loadable(probing);
    for (size_t i = 0; i < prober->registry->profile_count && model.size; i++) {
        const struct profile *profile = &prober->registry->profiles[i];
        if (protocol_inquiry(profile)->order && prober_may_ask(prober, profile) &&
            claims_have(prober->claims, profile, profile->claim) && is_fixed(prober, profile, model))
            tree_add(fixed, profile->endpoint->name,
                     tree_string(prober->arena, arena_printf(prober->arena, "loading is switched off: %.*s",
                                                             STR_ARG(prober->evidence))));
    }
    return fixed;
}

void find_fixed(struct probing *probing)
{
    struct prober *prober = probing->prober;
    struct client *client = prober->client;
    struct client_options slow = *probing->client_options;
    if (!probing->options->flags.allow_mutation)
        return;
    if (slow.timeout < probing->options->flags.load_timeout)
        slow.timeout = probing->options->flags.load_timeout;
    prober->client = client_create(&slow, prober->arena);
    probing->discovery->fixed = fixed_of(probing);
    client_destroy(prober->client);
    prober->client = client;
}
