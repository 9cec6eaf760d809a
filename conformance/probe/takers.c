#include "probe/steps.h"

#include "base/search.h"
#include "probe/claims.h"
#include "probe/learn.h"
#include "probe/team.h"
#include "suite/model_name.h"

struct asking {
    const struct profile *profile; /* of the extension */
    bool compares;                 /* a refusal counts only of a model that answers without the extension */
    const struct subject *models;
};

/* Whether the model answers a request that asks for no extension, over any transport. */
static bool answers_plainly(struct prober *prober, const struct profile *extension, const struct subject *model)
{
    const struct profile **profiles = prober->profiles;
    return ANY(i, prober->profile_count,
               !profiles[i]->claim.size && str_equal(profiles[i]->protocol, extension->protocol) &&
                   learn_is_answered(prober, profiles[i], model) == INFERRED);
}

/* Asks one model. The result is true if it takes the extension, and a text that says how it refuses it. */
static struct found_one ask_model(struct probing *probing, const void *context, size_t number)
{
    const struct asking *asking = context;
    const struct subject *model = &asking->models[number];
    struct prober *prober = probing->prober;
    enum inferred inferred = learn_is_answered(prober, asking->profile, model);
    struct str refusal = prober->evidence;
    bool refuses = inferred == INFER_REFUSED && (!asking->compares || answers_plainly(prober, asking->profile, model));
    return (struct found_one){.tree = inferred == INFERRED ? tree_bool(prober->arena, true)
                                      : refuses            ? tree_string(prober->arena, refusal)
                                                           : NULL};
}

static bool is_asked(const struct prober *prober, const struct profile *profile)
{
    return claims_have(prober->claims, profile, profile->claim) ||
           ANY(i, prober->profile_count, prober->profiles[i] == profile);
}

/* Collects models of the suite, those that are built in or the others. Models that are built in do not answer whatever
 * they are asked: some want a sequence, or wait for another request. They are asked only where a model refuses, and
 * nothing is asked of them without the extension. Returns how many there are now. */
static size_t add_of_suite(const struct probing *probing, bool built_in, struct subject *models, size_t count)
{
    const struct discovery_options *options = probing->options;
    const struct tree *hosted = probing->discovery->models;
    FOR_EACH_IN(model, hosted->first)
        if (str_is(suite_model(probing->suite, model->name)->repository, "builtin") == built_in)
            models[count++] =
                (struct subject){.name = model_name_mapped(model->name, &options->flags.map), .metadata = model};
    return count;
}

static size_t add_probed(const struct probing *probing, struct subject *models, size_t count)
{
    const struct tree *probes = probing->discovery->probes;
    FOR_EACH_IN(probe, probes->first)
        if (!tree_member(probe, "refused") && tree_member(probe, "request"))
            models[count++] =
                (struct subject){probe->name, tree_member(probe, "metadata"), tree_member(probe, "request")};
    return count;
}

/* What became of the questions to the models of an extension. */
struct asked {
    size_t taken, refused;
};

static struct asked count_answers(const struct found_one *found, size_t count)
{
    struct asked asked = {0};
    for (size_t i = 0; i < count; i++) {
        bool refuses = found[i].tree && found[i].tree->type == TREE_STRING;
        asked.refused += refuses;
        asked.taken += found[i].tree && !refuses;
    }
    return asked;
}

/* Adds the models that refuse to `why`. */
static void excuse(struct probing *probing, const struct asking *asking, const struct found_one *found, size_t count,
                   struct tree *why)
{
    struct arena *arena = probing->prober->arena;
    for (size_t i = 0; i < count; i++) {
        struct str name = asking->models[i].name;
        if (found[i].tree && found[i].tree->type == TREE_STRING && !tree_member_str(why, name))
            tree_add(why, name,
                     tree_string(arena, arena_printf(arena,
                                                     "model '%s' does not take the extension '%.*s', as other models "
                                                     "do: %.*s",
                                                     str_printable(arena, name), STR_ARG(asking->profile->claim),
                                                     STR_ARG(found[i].tree->text))));
    }
}

/* For the report: how many models refuse, and how the first of them does. */
static void note_excused(struct probing *probing, const struct profile *profile, const struct tree *why)
{
    struct buf *notes = &probing->prober->notes;
    buf_printf(notes, "%.*s: %.*s\n", STR_ARG(profile->name), STR_ARG(why->first->text));
    if (why->count > 1)
        buf_printf(notes, "%.*s: %zu more models do not take it either\n", STR_ARG(profile->name), why->count - 1);
}

static void find_for(struct probing *probing, const struct profile *profile, struct tree *unhosted)
{
    const struct discovery *discovery = probing->discovery;
    struct arena *arena = probing->prober->arena;
    size_t most = discovery->models->count + discovery->probes->count;
    struct subject *models = arena_alloc_zero(arena, most + 1, sizeof *models);
    size_t count = add_probed(probing, models, add_of_suite(probing, false, models, 0));
    size_t built_in = add_of_suite(probing, true, models, count) - count;
    const struct asking first = {profile, true, models}, second = {profile, false, models + count};
    const struct found_one *found_first = team_ask(probing, ask_model, &first, count);
    struct asked asked = count_answers(found_first, count);
    if (!asked.refused)
        return;
    const struct found_one *found_second = team_ask(probing, ask_model, &second, built_in);
    if (!asked.taken && !count_answers(found_second, built_in).taken)
        return;
    struct tree *why = tree_member_str(unhosted, profile->name);
    if (!why) {
        why = tree_new(arena, TREE_OBJECT);
        tree_add(unhosted, profile->name, why);
    }
    excuse(probing, &first, found_first, count, why);
    excuse(probing, &second, found_second, built_in, why);
    note_excused(probing, profile, why);
}

void takers_find(struct probing *probing, struct tree *unhosted)
{
    const struct registry *registry = probing->prober->registry;
    FOR_EACH(profile, registry->profiles, registry->profile_count)
        if (profile->by_model && is_asked(probing->prober, profile))
            find_for(probing, profile, unhosted);
}
