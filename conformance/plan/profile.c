/* Decides for which profiles a target is asked. */
#include "plan/plan.h"

#include "base/search.h"
#include "probe/claims.h"

static bool is_named(const struct plan_target *target, const struct profile *profile)
{
    return ANY(i, target->selected.profiles.count, str_is(profile->name, target->selected.profiles.items[i]));
}

bool target_claims(const struct plan_target *target, const struct profile *profile, struct str extension)
{
    return target->nominal || claims_have(target->discovery.claims, profile, extension);
}

struct str profile_not_asked(const struct plan_target *target, const struct profile *profile, struct arena *arena)
{
    const struct endpoint *endpoint = profile->endpoint;
    bool named = is_named(target, profile);
    if (!target->addresses[endpoint->index].at.size)
        return arena_printf(arena, "%.*s was not asked for (%.*s)", STR_ARG(endpoint->called), STR_ARG(endpoint->flag));
    if (target->selected.profiles.count && !named)
        return STR("only other profiles were asked for (--profile)");
    const struct tree *unshown = tree_member_str(target->discovery.unshown, profile->name);
    if (!named && unshown && !target_claims(target, profile, profile->claim))
        return arena_printf(
            arena,
            "the server has no metadata that lists extensions, and does not show '%.*s' (%.*s); --claim "
            "names what it has",
            STR_ARG(profile->claim), STR_ARG(unshown->text));
    if (!named && profile->claim.size && !target_claims(target, profile, profile->claim))
        return arena_printf(
            arena,
            "the server's metadata over %.*s does not list the extension '%.*s' (--claim names one that "
            "it has all the same)",
            STR_ARG(endpoint->called), STR_ARG(profile->claim));
    const struct tree *unspoken = tree_member_str(target->discovery.unspoken, profile->name);
    if (!named && unspoken)
        return arena_printf(arena, "the target does not speak it: %.*s", STR_ARG(unspoken->text));
    return (struct str){NULL, 0};
}

struct str encoding_not_offered(const struct plan_target *target, const struct encoding *encoding,
                                const struct profile *profile, struct arena *arena)
{
    const struct profile *also = encoding->also;
    struct str why = profile_not_asked(target, profile, arena);
    if (why.size || !also || is_named(target, also) || target_claims(target, also, also->claim))
        return why;
    return arena_printf(arena, "it has the form of another extension, and the server does not claim '%.*s'",
                        STR_ARG(also->claim));
}
