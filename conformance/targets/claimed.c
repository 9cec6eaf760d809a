#include "targets/claimed.h"

#include "base/search.h"
#include "support/nearest.h"

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
