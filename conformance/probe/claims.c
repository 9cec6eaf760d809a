#include "probe/claims.h"

#include "base/search.h"

static void note_borrowed(struct prober *prober, const struct endpoint *endpoint, struct str from)
{
    const struct endpoint *other = registry_endpoint(prober->registry, from);
    if (prober->endpoints[endpoint->index].asked_for)
        buf_printf(&prober->notes,
                   "over %.*s the target does not say which extensions it has: those that it claims over %.*s count\n",
                   STR_ARG(endpoint->called), STR_ARG(other->called));
}

static struct tree *claims_at(struct prober *prober, const struct endpoint *endpoint, const struct tree *listed,
                              const struct discovery_options *options)
{
    struct tree *claims = tree_new(prober->arena, TREE_ARRAY);
    const struct tree *list = tree_member_str(listed, endpoint->name);
    if (!list && listed->first) {
        list = listed->first;
        note_borrowed(prober, endpoint, list->name);
    }
    FOR_EACH_IN(one, tree_first(list))
        if (one->type == TREE_STRING)
            tree_append(claims, tree_string(prober->arena, one->text));
    for (size_t i = 0; i < options->claim_count; i++)
        if (!options->claims[i].endpoint || options->claims[i].endpoint == endpoint)
            tree_append(claims, tree_string(prober->arena, options->claims[i].extension));
    return claims;
}

struct tree *claims_of(struct prober *prober, const struct tree *listed, const struct discovery_options *options)
{
    struct tree *claims = tree_new(prober->arena, TREE_OBJECT);
    FOR_EACH(profile, prober->registry->profiles, prober->registry->profile_count)
        if (profile->claim.size && !tree_member_str(claims, profile->endpoint->name))
            tree_add(claims, profile->endpoint->name, claims_at(prober, profile->endpoint, listed, options));
    return claims;
}

bool claims_are_listed(const struct registry *registry, const struct profile *profile)
{
    return ANY(i, registry->profile_count,
               registry->profiles[i].claim.size && str_equal(registry->profiles[i].protocol, profile->protocol));
}

bool claims_have(const struct tree *claims, const struct profile *profile, struct str extension)
{
    const struct tree *list = tree_member_str(claims, profile->endpoint->name);
    if (!list && profile->beside)
        list = tree_member_str(claims, profile->beside->endpoint->name);
    return ANY_IN(one, tree_first(list), str_equal(one->text, extension));
}
