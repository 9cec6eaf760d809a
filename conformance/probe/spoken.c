/* Which of the profiles the target speaks. */
#include "probe/steps.h"

#include "base/search.h"

static bool carries_models(const struct profile *profile)
{
    return protocol_inquiry(profile)->server != NULL;
}

/* Whether the target answers no question about itself under the profile with success, but speaks another protocol of
 * models at the same endpoint. Then it is not held to a profile to which whoever answers there is held otherwise. */
static bool yields_to_another(struct prober *prober, const struct profile *profile, const struct profile **spoken,
                              size_t count)
{
    const struct profile *other = NULL;
    for (size_t i = 0; i < count; i++)
        if (spoken[i]->endpoint == profile->endpoint && carries_models(spoken[i]) &&
            protocol_inquiry(spoken[i])->is_spoken)
            other = spoken[i];
    if (!other || protocol_inquiry(profile)->is_spoken || !carries_models(profile) ||
        !prober_may_ask(prober, profile) || inquiry_server(prober, profile))
        return false;
    struct str evidence = prober->evidence;
    if (inquiry_is_up(prober, profile) || inquiry_models(prober, profile))
        return false;
    prober->evidence = arena_printf(prober->arena, "%.*s; it speaks %.*s", STR_ARG(evidence), STR_ARG(other->says));
    return true;
}

void find_unspoken(struct probing *probing)
{
    struct prober *prober = probing->prober;
    struct tree *unspoken = tree_new(prober->arena, TREE_OBJECT);
    const struct profile **spoken = arena_alloc_zero(prober->arena, prober->profile_count, sizeof(*spoken));
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < prober->profile_count; i++) {
        const struct profile *profile = prober->profiles[i];
        prober->evidence = STR("");
        if (!prober_may_ask(prober, profile) || inquiry_is_spoken(prober, profile))
            spoken[count++] = profile;
        else
            tree_add(unspoken, profile->name, tree_string(prober->arena, prober->evidence));
    }
    for (size_t i = 0; i < count; i++) {
        prober->evidence = STR("");
        if (yields_to_another(prober, spoken[i], spoken, count))
            tree_add(unspoken, spoken[i]->name, tree_string(prober->arena, prober->evidence));
        else
            spoken[kept++] = spoken[i];
    }
    prober->profiles = spoken;
    prober->profile_count = kept;
    probing->discovery->unspoken = unspoken;
}

void find_unspoken_extensions(struct probing *probing)
{
    struct prober *prober = probing->prober;
    struct tree *unspoken = probing->discovery->unspoken;
    FOR_EACH(profile, prober->registry->profiles, prober->registry->profile_count) {
        prober->evidence = STR("");
        if (profile->claim.size && prober_may_ask(prober, profile) && !tree_member_str(unspoken, profile->name) &&
            !inquiry_is_spoken(prober, profile))
            tree_add(unspoken, profile->name, tree_string(prober->arena, prober->evidence));
    }
}
