#include "probe/discovery.h"
#include "probe/editions.h"

#include "base/count.h"
#include "probe/bounded.h"
#include "probe/claims.h"
#include "probe/learn.h"
#include "probe/loading.h"
#include "probe/models.h"
#include "probe/probing.h"
#include "probe/takers.h"
#include "probe/team.h"
#include "probe/unlisted.h"
#include "protocols/prober.h"
#include "suite/model_name.h"
#include "support/seconds.h"

#include <time.h>

#define ANSWER_MAX ((size_t)64 << 20) /* bytes of an answer */

/* --- Whether it can be asked at all --- */

/* Answers that say, if there is no other, that somebody else than the server of the protocol answers, or that the judge
 * may not ask. */
static const struct {
    enum transport transport;
    const char *status, *help;
} hindrances[] = {
    {TRANSPORT_HTTP, "401", "it wants credentials: --header 'Authorization: ...'"},
    {TRANSPORT_HTTP, "403", "it wants credentials: --header 'Authorization: ...'"},
    {TRANSPORT_HTTP, "407", "a proxy wants credentials: --header 'Proxy-Authorization: ...'"},
    {TRANSPORT_HTTP, "502", "a proxy finds no server behind it; --wait SECONDS waits until there is one"},
    {TRANSPORT_HTTP, "504", "a proxy finds no server behind it; --wait SECONDS waits until there is one"},
    {TRANSPORT_HTTP, "503", "if it is starting, --wait SECONDS waits until it is ready"},
    {TRANSPORT_GRPC, "UNAUTHENTICATED", "it wants credentials: --header 'authorization: ...'"},
    {TRANSPORT_GRPC, "PERMISSION_DENIED", "it wants credentials: --header 'authorization: ...'"},
    {TRANSPORT_GRPC, "RESOURCE_EXHAUSTED", "it limits requests, and does not say how long (grpc-retry-pushback-ms)"},
    {TRANSPORT_GRPC, "UNAVAILABLE", "if it is starting, --wait SECONDS waits until it is ready"},
};

/* Returns what may help with an endpoint that never answered; or "". */
static const char *help_of_silence(const struct probing *probing, const struct address *address)
{
    const struct line *line = &probing->prober->lines[address->endpoint->index];
    bool connects = line->lost_as == OUTCOME_CLOSED || line->lost_as == OUTCOME_GARBLED;
    bool is_http = address->endpoint->transport == TRANSPORT_HTTP;
    if (connects && !address_is_secure(probing->client_options, address->at))
        return is_http ? "; if it speaks TLS, its address begins with https://"
                       : "; if it speaks TLS, its address begins with grpcs://";
    if (!str_starts(line->trouble, STR("no connection")))
        return "";
    return probing->options->flags.wait > 0
               ? arena_printf(probing->prober->arena, "; it was waited for %g s (--wait)", probing->options->flags.wait)
                     .data
               : "; if it is starting, --wait SECONDS waits until it is ready";
}

/* Returns why nothing can be judged over the endpoint; empty if something can. */
static struct str hindrance_of(const struct probing *probing, const struct address *address)
{
    const struct prober *prober = probing->prober;
    const struct endpoint *endpoint = address->endpoint;
    const struct line *line = &prober->lines[endpoint->index];
    if (!line->answered)
        return arena_printf(prober->arena, "%.*s never answered over %.*s: %.*s%s", STR_ARG(address->at),
                            STR_ARG(endpoint->called), STR_ARG(line->trouble), help_of_silence(probing, address));
    if (line->limited)
        return arena_printf(prober->arena, "%.*s over %.*s: %.*s", STR_ARG(address->at), STR_ARG(endpoint->called),
                            STR_ARG(line->trouble));
    if (line->redirects_to.size && str_starts(line->only, STR("3")))
        return arena_printf(prober->arena,
                            "%.*s redirects every request over %.*s, the first to %s: the judge follows no redirect, "
                            "give the address of the server itself",
                            STR_ARG(address->at), STR_ARG(endpoint->called),
                            str_printable(prober->arena, line->redirects_to));
    for (size_t i = 0; i < COUNT_OF(hindrances); i++)
        if (hindrances[i].transport == endpoint->transport && str_is(line->only, hindrances[i].status))
            return arena_printf(prober->arena, "%.*s answers every request over %.*s with %s; %s", STR_ARG(address->at),
                                STR_ARG(endpoint->called), hindrances[i].status, hindrances[i].help);
    return (struct str){NULL, 0};
}

/* Whether the server says at the endpoint that it is ready, under any of the profiles that can ask for that. A target
 * need not speak all of them. */
static bool is_up(struct prober *prober, const struct endpoint *endpoint)
{
    bool can_ask = false;
    for (size_t i = 0; i < prober->profile_count; i++) {
        const struct profile *profile = prober->profiles[i];
        if (profile->endpoint != endpoint || !protocol_side(profile)->is_up)
            continue;
        can_ask = true;
        if (side_is_up(prober, profile))
            return true;
    }
    return !can_ask;
}

/* Asks over each endpoint until the server says that it is ready, at most for the time that the user allows. */
static struct tree *wait_until_up(struct probing *probing)
{
    struct prober *prober = probing->prober;
    const struct discovery_options *options = probing->options;
    double until = seconds_now() + options->flags.wait;
    for (size_t i = 0; i < ENDPOINTS_MAX && options->flags.wait > 0; i++) {
        const struct endpoint *endpoint = options->client->addresses[i].endpoint;
        struct line *line = &prober->lines[i];
        bool up;
        if (!line->asked_for)
            continue;
        while (!(up = is_up(prober, endpoint)) && seconds_now() < until &&
               !(options->interrupted && *options->interrupted)) {
            nanosleep(&(struct timespec){.tv_nsec = 250000000}, NULL);
            *line = (struct line){.asked_for = line->asked_for}; /* it is asked again, however often it was silent */
        }
        if (!up)
            buf_printf(&prober->notes, "over %.*s the target does not say that it is ready after %g s of waiting\n",
                       STR_ARG(endpoint->called), options->flags.wait);
        *line = (struct line){.asked_for = line->asked_for}; /* what happened while it started does not count */
    }
    return NULL;
}

/* --- The server and the unknown name --- */

static void note_extensions(struct probing *probing, const struct profile *profile, const struct tree *metadata)
{
    const struct tree *extensions = tree_member(metadata, "extensions");
    if (extensions && extensions->type == TREE_ARRAY && !tree_member_str(probing->listed, profile->endpoint->name))
        tree_add(probing->listed, profile->endpoint->name, tree_copy(probing->prober->arena, extensions));
}

/* Returns the first metadata of the server that a profile gives. */
static struct tree *find_server(struct probing *probing)
{
    struct prober *prober = probing->prober;
    struct tree *found = NULL;
    prober->unlisted = true;
    for (size_t i = 0; i < prober->profile_count; i++) {
        const struct profile *profile = prober->profiles[i];
        struct str evidence = {0};
        struct tree *metadata = prober_may_ask(prober, profile) ? side_server(prober, profile, &evidence) : NULL;
        if (!metadata && evidence.size)
            buf_printf(&prober->notes, "%.*s\n", STR_ARG(evidence));
        note_extensions(probing, profile, metadata);
        prober->unlisted &= !metadata || !claims_are_listed(prober->registry, profile);
        found = found ? found : metadata;
    }
    return found ? found : tree_new(prober->arena, TREE_OBJECT);
}

static struct tree *find_claims(struct probing *probing)
{
    struct tree *claims = claims_of(probing->prober, probing->listed, probing->options);
    probing->prober->claims = claims;
    return claims;
}

/* Asks over connections that are opened for this. Returns what became of it. */
static enum outcome ask_anew(struct prober *prober, const struct client_options *options, const struct profile *profile)
{
    struct client *client = prober->client;
    struct line *line = &prober->lines[profile->endpoint->index], before = *line;
    enum outcome outcome = OUTCOME_UNREACHABLE;
    if (is_ok(client_create(options, prober->arena, &prober->client))) {
        side_is_up(prober, profile);
        outcome = line->lost ? line->lost_as : OUTCOME_ANSWERED;
        client_destroy(prober->client);
    }
    prober->client = client;
    *line = before;
    return outcome;
}

/* Finds out whether the target answers on a second connection while the first one is open. If it does so only when that
 * is closed, it is asked over one connection at a time from here on. */
static struct tree *find_lone(struct probing *probing)
{
    struct prober *prober = probing->prober;
    struct client_options *options = probing->client_options;
    for (size_t i = 0; i < prober->profile_count && !options->lone; i++) {
        const struct profile *profile = prober->profiles[i];
        struct client *client;
        if (profile->endpoint->transport != TRANSPORT_HTTP || !prober->lines[profile->endpoint->index].answered ||
            !protocol_side(profile)->is_up || ask_anew(prober, options, profile) != OUTCOME_TIMEOUT)
            continue;
        client_destroy(prober->client);
        options->lone = true;
        options->lone = ask_anew(prober, options, profile) == OUTCOME_ANSWERED;
        if (is_ok(client_create(options, prober->arena, &client)))
            prober->client = client;
    }
    if (options->lone)
        buf_append_literal(&prober->notes, "the target serves one connection at a time: it is judged with one job, and "
                                           "requests over HTTP leave no connection open\n");
    probing->discovery->lone = options->lone;
    return NULL;
}

static bool has_metadata(struct prober *prober, struct str name)
{
    struct str evidence;
    for (size_t i = 0; i < prober->profile_count; i++) {
        const struct profile *profile = prober->profiles[i];
        if (prober_may_ask(prober, profile) && side_metadata(prober, profile, name, STR(""), &evidence))
            return true;
    }
    return false;
}

static struct tree *find_unknown_name(struct probing *probing)
{
    struct prober *prober = probing->prober;
    static const char *const names[] = {"no_such_model", "no_such_model_either", "nor_this_model"};
    size_t i = 0, last = COUNT_OF(names) - 1;
    while (i < last && has_metadata(prober, str_of(names[i])))
        i++;
    if (i == last && has_metadata(prober, str_of(names[last])))
        buf_printf(&prober->notes, "the target knows every model name that was tried, %s too\n", names[last]);
    probing->discovery->no_model = str_of(names[i]);
    return NULL;
}

/* --- The profiles --- */

static bool carries_models(const struct profile *profile)
{
    return protocol_side(profile)->server != NULL;
}

/* Whether the target answers no question about itself under the profile with success, but speaks another protocol of
 * models at the same endpoint. Then it is not held to a profile to which whoever answers there is held otherwise. */
static bool yields_to_another(struct prober *prober, const struct profile *profile, const struct profile **spoken,
                              size_t count, struct str *evidence)
{
    const struct profile *other = NULL;
    struct str ignored;
    for (size_t i = 0; i < count; i++)
        if (spoken[i]->endpoint == profile->endpoint && carries_models(spoken[i]) &&
            protocol_side(spoken[i])->is_spoken)
            other = spoken[i];
    if (!other || protocol_side(profile)->is_spoken || !carries_models(profile) || !prober_may_ask(prober, profile) ||
        side_server(prober, profile, evidence) || side_is_up(prober, profile) || side_models(prober, profile, &ignored))
        return false;
    *evidence = arena_printf(prober->arena, "%.*s; it speaks %.*s", STR_ARG(*evidence), STR_ARG(other->says));
    return true;
}

/* Leaves out the profiles that the target does not speak, so that nothing more is asked for them. */
static struct tree *find_spoken(struct probing *probing)
{
    struct prober *prober = probing->prober;
    struct tree *unspoken = tree_new(prober->arena, TREE_OBJECT);
    const struct profile **spoken = arena_alloc_zero(prober->arena, prober->profile_count, sizeof(*spoken));
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < prober->profile_count; i++) {
        const struct profile *profile = prober->profiles[i];
        struct str evidence = {0};
        if (!prober_may_ask(prober, profile) || side_is_spoken(prober, profile, &evidence))
            spoken[count++] = profile;
        else
            tree_add(unspoken, profile->name, tree_string(prober->arena, evidence));
    }
    for (size_t i = 0; i < count; i++) {
        struct str evidence = {0};
        if (yields_to_another(prober, spoken[i], spoken, count, &evidence))
            tree_add(unspoken, spoken[i]->name, tree_string(prober->arena, evidence));
        else
            spoken[kept++] = spoken[i];
    }
    prober->profiles = spoken;
    prober->profile_count = kept;
    return unspoken;
}

/* Does the same for extensions, which discovery does not ask otherwise. */
static struct tree *find_spoken_extensions(struct probing *probing)
{
    struct prober *prober = probing->prober;
    struct tree *unspoken = tree_member(probing->discovery->found, "unspoken");
    for (size_t i = 0; i < prober->registry->profile_count; i++) {
        const struct profile *profile = &prober->registry->profiles[i];
        struct str evidence = {0};
        if (profile->claim.size && prober_may_ask(prober, profile) && !tree_member_str(unspoken, profile->name) &&
            !side_is_spoken(prober, profile, &evidence))
            tree_add(unspoken, profile->name, tree_string(prober->arena, evidence));
    }
    return NULL;
}

/* --- Models of the kit --- */

/* Says whether the models of the repository are for servers in a state of servers.json. */
static bool is_for_states(const struct suite *suite, struct str repository)
{
    for (const struct tree *state = tree_first(suite->states); state; state = state->next) {
        const struct tree *models = tree_member(state, "models");
        for (const struct tree *name = tree_first(models); name; name = name->next)
            if (str_equal(name->text, repository))
                return true;
    }
    return false;
}

/* Asks for the metadata of a model of the kit; `context` is an array of pointers to them. */
static struct found_one ask_for_model(struct probing *probing, const void *context, size_t number)
{
    const struct suite_model *const *models = context;
    const struct discovery_options *options = probing->options;
    struct arena *arena = probing->prober->arena;
    struct str name = model_name_mapped(models[number]->name, &options->flags.map);
    struct found_one found;
    const struct tree *metadata = probing_metadata(probing, name, &found.evidence);
    found.tree = metadata                          ? metadata_bounded(arena, metadata)
                 : models_are_named(options, name) ? tree_new(arena, TREE_OBJECT)
                                                   : NULL;
    return found;
}

/* Notes that --map has no effect, if it names a model that the target does not have. */
static void note_vain_map(struct prober *prober, const struct discovery_options *options, struct str kit,
                          struct str evidence)
{
    struct str theirs = model_name_mapped(kit, &options->flags.map);
    if (!str_equal(theirs, kit))
        buf_printf(&prober->notes, "--map %.*s=%s has no effect: the target does not host that model (%.*s)\n",
                   STR_ARG(kit), str_printable(prober->arena, theirs), STR_ARG(evidence));
}

static struct tree *find_models(struct probing *probing)
{
    struct prober *prober = probing->prober;
    const struct suite *suite = probing->suite;
    struct tree *models = tree_new(prober->arena, TREE_OBJECT);
    const struct suite_model **asked = arena_alloc_zero(prober->arena, suite->model_count + 1, sizeof *asked);
    size_t count = 0;
    for (size_t i = 0; i < suite->model_count; i++)
        if (!is_for_states(suite, suite->models[i].repository) &&
            models_ask_for(probing->options, suite->models[i].name))
            asked[count++] = &suite->models[i];
    const struct found_one *found = team_ask(probing, ask_for_model, asked, count);
    for (size_t i = 0; i < count; i++)
        if (found[i].tree) {
            tree_add(models, asked[i]->name, found[i].tree);
        } else {
            tree_add(probing->absent, asked[i]->name, tree_string(prober->arena, found[i].evidence));
            note_vain_map(prober, probing->options, asked[i]->name, found[i].evidence);
        }
    return models;
}

static struct tree *absent_models(struct probing *probing)
{
    return probing->absent;
}

static bool is_ready_in(const struct tree *index, struct str name)
{
    for (const struct tree *entry = index->first; entry; entry = entry->next) {
        struct str state = tree_text(entry, "state");
        if (str_equal(tree_text(entry, "name"), name) && state.size && memmem(state.data, state.size, "READY", 5))
            return true;
    }
    return false;
}

static bool is_listed_in(const struct tree *index, struct str name)
{
    const struct tree *entry = index->first;
    while (entry && !str_equal(tree_text(entry, "name"), name))
        entry = entry->next;
    return entry != NULL;
}

/* Notes the models of the kit that the index lists and that are not ready, where models may be loaded: a run that was
 * killed may have left them so. */
static struct tree *note_left_unloaded(struct probing *probing)
{
    struct prober *prober = probing->prober;
    const struct registry *registry = prober->registry;
    const struct tree *index = NULL;
    struct str evidence;
    for (size_t i = 0; i < registry->profile_count && !index && probing->options->flags.allow_mutation; i++)
        if (prober_may_ask(prober, &registry->profiles[i]) &&
            claims_have(prober->claims, &registry->profiles[i], registry->profiles[i].claim))
            index = side_index(prober, &registry->profiles[i], &evidence);
    for (const struct tree *model = index ? probing->absent->first : NULL; model; model = model->next) {
        struct str theirs = model_name_mapped(model->name, &probing->options->flags.map);
        if (is_listed_in(index, theirs) && !is_ready_in(index, theirs))
            buf_printf(&prober->notes,
                       "the index lists the model '%s', but it is not ready, so it is not asked: load it, if a run "
                       "that was killed has left it so\n",
                       str_printable(prober->arena, theirs));
    }
    return NULL;
}

static struct tree *find_edition(struct probing *probing)
{
    probing->discovery->edition = editions_find(probing);
    return NULL;
}

static struct tree *find_fixed(struct probing *probing)
{
    return probing->options->flags.allow_mutation ? loading_find_fixed(probing) : NULL;
}

static struct tree *details(struct probing *probing)
{
    return probing->prober->details;
}

/* Notes the largest batch of models of the kit that have one: what the kit says, and of a mapped model what the target
 * says, if it does. */
static struct tree *find_batches(struct probing *probing)
{
    struct prober *prober = probing->prober;
    const struct registry *registry = prober->registry;
    const struct discovery_options *options = probing->options;
    const struct tree *models = tree_member(probing->discovery->found, "models");
    struct tree *batches = tree_new(prober->arena, TREE_OBJECT);
    for (const struct tree *model = models->first; model; model = model->next) {
        struct str theirs = model_name_mapped(model->name, &options->flags.map);
        int64_t kits = suite_model(probing->suite, model->name)->batch;
        int64_t batch = str_equal(theirs, model->name) ? kits : 0;
        for (size_t i = 0; i < registry->profile_count && kits && !batch; i++)
            if (prober_may_ask(prober, &registry->profiles[i]))
                batch = side_largest_batch(prober, &registry->profiles[i], theirs);
        if (batch > 0)
            tree_add(batches, model->name, tree_int(prober->arena, batch));
    }
    return batches;
}

/* `metadata` is what any profile says of the model, or NULL. */
static void note_unhosted(struct prober *prober, const struct profile *profile, struct str model,
                          const struct tree *metadata, struct tree *why)
{
    struct str evidence = {0};
    if (tree_member_str(why, model) || side_hosts(prober, profile, model, &evidence))
        return;
    bool may_answer = protocol_side(profile)->answer_shows_host && metadata;
    const struct subject subject = {.name = model, .metadata = metadata};
    struct str said;
    if (!may_answer || learn_is_answered(prober, profile, &subject, &said) != INFERRED)
        tree_add(why, model, tree_string(prober->arena, evidence));
}

/* Notes the models that a profile does not serve although the target hosts them. */
static struct tree *find_unhosted(struct probing *probing)
{
    struct prober *prober = probing->prober;
    const struct discovery_options *options = probing->options;
    const struct tree *models = tree_member(probing->discovery->found, "models");
    const struct tree *probes = tree_member(probing->discovery->found, "probes");
    struct tree *unhosted = tree_new(prober->arena, TREE_OBJECT);
    for (size_t i = 0; i < prober->profile_count; i++) {
        const struct profile *profile = prober->profiles[i];
        struct tree *why = tree_new(prober->arena, TREE_OBJECT);
        for (const struct tree *model = models->first; model; model = model->next)
            note_unhosted(prober, profile, model_name_mapped(model->name, &options->flags.map), model, why);
        for (const struct tree *probe = probes->first; probe; probe = probe->next)
            note_unhosted(prober, profile, probe->name, tree_member(probe, "metadata"), why);
        tree_add(unhosted, profile->name, why);
    }
    takers_find(probing, unhosted);
    return unhosted;
}

/* --- Names in another case --- */

static bool knows(struct prober *prober, struct str name)
{
    struct str evidence;
    if (has_metadata(prober, name))
        return true;
    for (size_t i = 0; i < prober->profile_count && prober->versionless_refused; i++) {
        const struct profile *profile = prober->profiles[i];
        if (protocol_side(profile)->wants_versions && prober_may_ask(prober, profile) &&
            side_metadata(prober, profile, name, STR("1"), &evidence))
            return true;
    }
    return false;
}

/* A target may host both 'simple' and 'SIMPLE', so the latter proves nothing about the case of names. A target that
 * knows the name in a third spelling too does not look at the case. */
static struct found_one find_spelling(struct probing *probing, const void *context, size_t number)
{
    struct prober *prober = probing->prober;
    struct str name = ((const struct str *)context)[number];
    struct str other = model_name_in_other_case(name, prober->arena);
    struct str third = model_name_in_third_case(name, prober->arena);
    if (str_equal(third, name) || str_equal(third, other) || !knows(prober, other) || knows(prober, third))
        return (struct found_one){0};
    buf_printf(&prober->notes, "the target hosts '%s' beside '%s'\n", str_printable(prober->arena, other),
               str_printable(prober->arena, name));
    return (struct found_one){.tree = tree_string(prober->arena, third)};
}

static struct tree *find_spellings(struct probing *probing)
{
    const struct discovery_options *options = probing->options;
    struct arena *arena = probing->prober->arena;
    const struct tree *found = probing->discovery->found;
    struct tree *spellings = tree_new(arena, TREE_OBJECT);
    const struct tree *models = tree_member(found, "models"), *probes = tree_member(found, "probes");
    struct str *names = arena_alloc_zero(arena, models->count + probes->count + 1, sizeof *names);
    size_t count = 0;
    for (const struct tree *model = models->first; model; model = model->next)
        names[count++] = model_name_mapped(model->name, &options->flags.map);
    for (const struct tree *probe = probes->first; probe; probe = probe->next)
        if (!tree_member_str(models, probe->name))
            names[count++] = probe->name;
    const struct found_one *spelled = team_ask(probing, find_spelling, names, count);
    for (size_t i = 0; i < count; i++)
        if (spelled[i].tree && !tree_member_str(spellings, names[i]))
            tree_add(spellings, names[i], spelled[i].tree);
    return spellings;
}

/* --- All of it --- */

/* In this order: each step may use what those before it have found. What it returns becomes that member of `found`;
 * NULL: nothing does. */
static const struct {
    const char *member;
    struct tree *(*find)(struct probing *probing);
} steps[] = {
    {NULL, wait_until_up},       {"unspoken", find_spoken},      {"server", find_server},
    {"claims", find_claims},     {NULL, find_spoken_extensions}, {NULL, find_lone},
    {NULL, find_unknown_name},   {"models", find_models},        {"absent", absent_models},
    {"probes", probe_models},    {NULL, find_edition},           {"unshown", unlisted_find},
    {"unhosted", find_unhosted}, {"batches", find_batches},      {NULL, note_left_unloaded},
    {"fixed", find_fixed},       {"details", details},           {"spellings", find_spellings},
};

/* Takes over what the prober has counted and noted. */
static void conclude(const struct probing *probing)
{
    struct prober *prober = probing->prober;
    struct discovery *discovery = probing->discovery;
    const struct client_options *options = probing->client_options;
    discovery->versionless_refused = prober->versionless_refused;
    discovery->alone = prober->inferences ? prober->inferring / (double)prober->inferences : 0;
    for (size_t i = 0; i < ENDPOINTS_MAX; i++) {
        const struct line *line = &prober->lines[i];
        discovery->answers[i] = line->answered;
        discovery->succeeded[i] = line->asked_for && line->succeeded;
        if (line->asked_for)
            discovery->hindered[i] =
                secrets_hide(options->secrets, hindrance_of(probing, &options->addresses[i]), prober->arena);
    }
    discovery->notes = secrets_hide(options->secrets, arena_take(prober->arena, &prober->notes), prober->arena);
    discovery->requests = secrets_hide(options->secrets, arena_take(prober->arena, &prober->requests), prober->arena);
}

struct status discover(const struct suite *suite, const struct discovery_options *options, struct arena *arena,
                       struct discovery *discovery)
{
    struct prober prober = {.registry = &suite->registry,
                            .profiles = options->profiles,
                            .profile_count = options->profile_count,
                            .arena = arena,
                            .scratch = memory_arena(),
                            .held = memory_arena()};
    struct client_options limited = *options->client;
    struct probing probing = {&prober,
                              suite,
                              options,
                              &limited,
                              discovery,
                              .listed = tree_new(arena, TREE_OBJECT),
                              .absent = tree_new(arena, TREE_OBJECT)};
    *discovery = (struct discovery){.found = tree_new(arena, TREE_OBJECT)};
    if (limited.max_message > ANSWER_MAX)
        limited.max_message = ANSWER_MAX;
    for (size_t i = 0; i < ENDPOINTS_MAX; i++)
        prober.lines[i].asked_for = limited.addresses[i].at.size > 0;
    struct status status = client_create(&limited, arena, &prober.client);
    if (!is_ok(status))
        return status;
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        struct tree *found = steps[i].find(&probing);
        if (found)
            tree_add(discovery->found, str_of(steps[i].member), found);
    }
    conclude(&probing);
    arena_free(&prober.scratch);
    arena_free(&prober.held);
    client_destroy(prober.client);
    return STATUS_IS_OK;
}
