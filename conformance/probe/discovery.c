#include "probe/discovery.h"

#include "base/search.h"
#include "probe/claims.h"
#include "probe/steps.h"

#define ANSWER_MAX ((size_t)64 << 20) /* bytes of an answer */

/* Adds the extensions that the metadata lists to {ENDPOINT: extensions}. */
static void note_extensions(struct tree *listed, const struct profile *profile, const struct tree *metadata,
                            struct arena *arena)
{
    const struct tree *extensions = tree_member(metadata, "extensions");
    if (extensions && extensions->type == TREE_ARRAY && !tree_member_str(listed, profile->endpoint->name))
        tree_add(listed, profile->endpoint->name, tree_copy(arena, extensions));
}

/* Finds the first metadata of the server that a profile gives, and what the target claims. */
static void find_server(struct probing *probing)
{
    struct prober *prober = probing->prober;
    struct tree *found = NULL, *listed = tree_new(prober->arena, TREE_OBJECT);
    prober->unlisted = true;
    for (size_t i = 0; i < prober->profile_count; i++) {
        const struct profile *profile = prober->profiles[i];
        prober->evidence = STR("");
        struct tree *metadata = prober_may_ask(prober, profile) ? inquiry_server(prober, profile) : NULL;
        if (!metadata && prober->evidence.size)
            buf_printf(&prober->notes, "%.*s\n", STR_ARG(prober->evidence));
        note_extensions(listed, profile, metadata, prober->arena);
        prober->unlisted &= !metadata || !claims_are_listed(prober->registry, profile);
        found = found ? found : metadata;
    }
    probing->discovery->server = found ? found : tree_new(prober->arena, TREE_OBJECT);
    probing->discovery->claims = claims_of(prober, listed, probing->options);
    prober->claims = probing->discovery->claims;
}

/* In this order: each step may use what those before it have found. */
static void (*const steps[])(struct probing *probing) = {
    wait_until_up,      find_unspoken, find_server,    find_unspoken_extensions, find_one_connection, find_unknown_name,
    find_kit_models,    find_probes,   find_edition,   find_shown_extensions,    find_unhosted,       find_batches,
    note_left_unloaded, find_fixed,    find_spellings,
};

/* The member of struct discovery, under its own name. */
#define MEMBER(name) #name, offsetof(struct discovery, name)

/* What cases name by pointers. */
static const struct {
    const char *name;
    size_t offset;
} members[] = {
    {MEMBER(server)}, {MEMBER(unspoken)}, {MEMBER(claims)},    {MEMBER(models)},   {MEMBER(absent)},
    {MEMBER(probes)}, {MEMBER(unasked)},  {MEMBER(unshown)},   {MEMBER(unhosted)}, {MEMBER(batches)},
    {MEMBER(fixed)},  {MEMBER(details)},  {MEMBER(spellings)},
};

static struct tree *found_of(struct discovery *discovery, struct arena *arena)
{
    struct tree *found = tree_new(arena, TREE_OBJECT);
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        struct tree *member = *(struct tree **)((char *)discovery + members[i].offset);
        if (member)
            tree_add(found, str_of(members[i].name), tree_share(arena, member));
    }
    return found;
}

/* Takes over what the prober has counted and noted. */
static void conclude(const struct probing *probing)
{
    struct prober *prober = probing->prober;
    struct discovery *discovery = probing->discovery;
    const struct client_options *options = probing->client_options;
    discovery->versionless_refused = prober->versionless_refused;
    discovery->details = prober->details;
    discovery->found = found_of(discovery, prober->arena);
    discovery->inference_seconds = prober->inferences ? prober->inferring / (double)prober->inferences : 0;
    for (size_t i = 0; i < ENDPOINTS_MAX; i++) {
        const struct endpoint_state *state = &prober->endpoints[i];
        discovery->answers[i] = state->answered;
        discovery->succeeded[i] = state->asked_for && state->succeeded;
        if (state->asked_for)
            discovery->hindered[i] =
                secrets_hide(options->secrets, hindrance_of(probing, &options->addresses[i]), prober->arena);
    }
    discovery->notes = secrets_hide(options->secrets, arena_take(prober->arena, &prober->notes), prober->arena);
    discovery->requests = secrets_hide(options->secrets, arena_take(prober->arena, &prober->requests), prober->arena);
}

void discover(const struct suite *suite, const struct discovery_options *options, struct arena *arena,
              struct discovery *discovery)
{
    struct prober prober = {.registry = &suite->registry,
                            .profiles = options->profiles,
                            .profile_count = options->profile_count,
                            .arena = arena,
                            .scratch = memory_arena(),
                            .held = memory_arena()};
    struct client_options limited = *options->client;
    struct probing probing = {&prober, suite, options, &limited, discovery};
    *discovery = (struct discovery){0};
    if (limited.max_message > ANSWER_MAX)
        limited.max_message = ANSWER_MAX;
    for (size_t i = 0; i < ENDPOINTS_MAX; i++)
        prober.endpoints[i].asked_for = limited.addresses[i].at.size > 0;
    prober.client = client_create(&limited, arena);
    for (size_t i = 0; i < COUNT_OF(steps); i++)
        steps[i](&probing);
    conclude(&probing);
    arena_free(&prober.scratch);
    arena_free(&prober.held);
    client_destroy(prober.client);
}
