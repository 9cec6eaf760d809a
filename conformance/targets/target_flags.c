#include "targets/target_flags.h"

#include "base/search.h"
#include "protocols/protocol.h"
#include "support/listing.h"
#include "support/nearest.h"

/* --- Claims --- */

/* Returns the endpoint that people call so, if something can be claimed there. */
static const struct endpoint *endpoint_called(const struct registry *registry, struct str name)
{
    FOR_EACH(profile, registry->profiles, registry->profile_count)
        if (profile->claim.size && str_equal_ignoring_case(profile->endpoint->called, name))
            return profile->endpoint;
    return NULL;
}

/* Whether some profile is claimed so. */
static bool is_claim(const struct registry *registry, const struct claim *claim, struct nearest *nearest)
{
    FOR_EACH(profile, registry->profiles, registry->profile_count) {
        if (!profile->claim.size || (claim->endpoint && claim->endpoint != profile->endpoint))
            continue;
        if (str_equal(profile->claim, claim->extension))
            return true;
        nearest_try(nearest, profile->claim);
    }
    return false;
}

/* Fills the claim. Returns why the value names none, or an empty text. */
static struct str read(const struct registry *registry, const char *value, struct arena *arena, struct claim *claim)
{
    const char *colon = strchr(value, ':');
    struct str called = {value, colon ? (size_t)(colon - value) : 0};
    *claim = (struct claim){endpoint_called(registry, called), str_of(colon ? colon + 1 : value)};
    if (colon && !claim->endpoint)
        return arena_printf(arena,
                            "--claim: nothing can be claimed over '%s'; it is rest:NAME, grpc:NAME, or NAME for "
                            "both",
                            str_printable(arena, called));
    struct nearest nearest = {.word = claim->extension};
    if (is_claim(registry, claim, &nearest))
        return STR("");
    struct str over = claim->endpoint ? arena_printf(arena, " over %.*s", STR_ARG(claim->endpoint->called)) : STR("");
    struct str hint = nearest_hint(&nearest, 3, "see fixtures/encodings.json", arena);
    return arena_printf(arena, "--claim: there is no extension '%s'%.*s; %.*s", str_printable(arena, claim->extension),
                        STR_ARG(over), STR_ARG(hint));
}

struct str claimed_read(const struct registry *registry, const struct values *values, struct arena *arena,
                        struct claim **claims)
{
    struct str wrong = STR("");
    *claims = arena_alloc_zero(arena, values->count + 1, sizeof **claims);
    for (size_t i = 0; i < values->count && !wrong.size; i++)
        wrong = read(registry, values->items[i], arena, &(*claims)[i]);
    return wrong;
}

static struct str no_profile(struct target *target, const char *name)
{
    const struct registry *registry = &target->suite.registry;
    const char *printable = str_printable(&target->arena, str_of(name));
    struct nearest nearest = {.word = str_of(name)};
    struct listing names = {.arena = &target->arena};
    if (tree_member(registry->texts, name))
        return arena_printf(&target->arena,
                            "'%s' is not a profile but a text that profiles build on: --filter '%s.*' plays its cases "
                            "alone, --skip '%s.*' leaves them out",
                            printable, printable, printable);
    for (size_t i = 0; i < registry->profile_count; i++) {
        nearest_try(&nearest, registry->profiles[i].name);
        listing_add(&names, registry->profiles[i].name);
    }
    const char *all = arena_printf(&target->arena, "there are %.*s", STR_ARG(listing_text(&names))).data;
    return arena_printf(&target->arena, "there is no profile '%s'; %.*s", printable,
                        STR_ARG(nearest_hint(&nearest, 3, all, &target->arena)));
}

/* Takes every address that was given, even if no profile is asked for there. */
static void take_addresses(struct target *target)
{
    FOR_EACH(given, target->options->addresses, target->options->address_count) {
        const struct endpoint *endpoint = registry_endpoint(&target->suite.registry, str_of(given->endpoint));
        if (endpoint)
            target->known.addresses[endpoint->index] = (struct address){endpoint, given->at};
    }
}

/* Whether discovery asks for the profile: it is asked for, or it is what another one at its endpoint extends, and only
 * that has ways to ask for models. */
static bool is_asked(const struct registry *registry, const struct plan_target *given, const struct profile *profile,
                     struct arena *arena)
{
    const struct profile *others = registry->profiles;
    return !profile_not_asked(given, profile, arena).size ||
           (!profile->claim.size && ANY(i, registry->profile_count,
                                        others[i].endpoint == profile->endpoint && others[i].claim.size &&
                                            !profile_not_asked(given, &others[i], arena).size));
}

/* Chooses the profiles. An endpoint without a profile that is asked for is not used at all. */
static struct str check_profiles(struct target *target)
{
    const struct registry *registry = &target->suite.registry;
    const struct plan_target *known = &target->known;
    const struct values *profiles = &known->selected.profiles;
    const struct endpoint *missing = NULL;
    for (size_t i = 0; i < profiles->count; i++) {
        const struct profile *profile = registry_profile(registry, str_of(profiles->items[i]));
        if (!profile)
            return no_profile(target, profiles->items[i]);
        missing = known->addresses[profile->endpoint->index].at.size ? missing : profile->endpoint;
    }
    target->profiles = arena_alloc_zero(&target->arena, registry->profile_count, sizeof(*target->profiles));
    FOR_EACH(profile, registry->profiles, registry->profile_count) {
        if (!is_asked(registry, known, profile, &target->arena))
            continue;
        target->profiles[target->profile_count++] = profile;
        target->client.addresses[profile->endpoint->index] = known->addresses[profile->endpoint->index];
    }
    if (target->profile_count || !missing)
        return (struct str){0};
    return arena_printf(&target->arena, "the profile asked for needs %.*s", STR_ARG(missing->flag));
}

static struct str before_equals(const char *pair)
{
    return str_before(str_of(pair), '=');
}

static struct str check_names(struct target *target)
{
    const struct options *options = target->options;
    struct str wrong = claimed_read(&target->suite.registry, &options->claims, &target->arena, &target->claims);
    if (wrong.size)
        return wrong;
    if (options->flags.edition && !tree_member(target->suite.registry.editions, options->flags.edition))
        return arena_printf(&target->arena, "--edition: there is no edition '%s'; see fixtures/encodings.json",
                            str_printable(&target->arena, str_of(options->flags.edition)));
    for (size_t i = 0; i < options->flags.map.count; i++) {
        struct str kit = before_equals(options->flags.map.items[i]);
        if (!suite_model(&target->suite, kit))
            return arena_printf(&target->arena, "--map: the kit has no model '%s'; see fixtures/models",
                                str_printable(&target->arena, kit));
    }
    for (size_t i = 0; i < options->flags.states.count; i++) {
        struct str state = before_equals(options->flags.states.items[i]);
        if (!tree_member_str(target->suite.states, state))
            return arena_printf(&target->arena, "--state: there is no state '%s'; see fixtures/servers.json",
                                str_printable(&target->arena, state));
    }
    return (struct str){0};
}

struct str target_flags_take(struct target *target)
{
    take_addresses(target);
    struct str wrong = check_profiles(target);
    return wrong.size ? wrong : check_names(target);
}
