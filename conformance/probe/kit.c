/* What the target has of the models of the kit. */
#include "probe/steps.h"

#include "base/search.h"
#include "probe/claims.h"
#include "probe/kit_inputs.h"
#include "probe/learn.h"
#include "probe/models.h"
#include "probe/team.h"
#include "suite/model_name.h"

/* Says whether the models of the repository are for servers in a state of servers.json. */
static bool is_for_states(const struct suite *suite, struct str repository)
{
    return ANY_IN(state, tree_first(suite->states),
                  ANY_IN(name, tree_first(tree_member(state, "models")), str_equal(name->text, repository)));
}

/* Asks for the metadata of a model of the kit; `context` is an array of pointers to them. */
static struct found_one ask_for_model(struct probing *probing, const void *context, size_t number)
{
    const struct suite_model *const *models = context;
    const struct discovery_options *options = probing->options;
    struct arena *arena = probing->prober->arena;
    struct str name = model_name_mapped(models[number]->name, &options->flags.map);
    const struct tree *metadata = probing_metadata(probing, name);
    if (metadata && probing->discovery->knows_all && names_no_tensors(metadata)) {
        metadata = NULL;
        probing->prober->evidence = STR("its metadata names no tensors, and any name has metadata");
    }
    return (struct found_one){metadata                          ? metadata_bounded(arena, metadata)
                              : models_are_named(options, name) ? tree_new(arena, TREE_OBJECT)
                                                                : NULL,
                              probing->prober->evidence};
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

/* Returns why a model that has the name of one of the kit is another: its metadata names other inputs, and it takes
 * them. Empty if nothing shows that; metadata that the model does not keep to may be wrong. A mapped model is what the
 * user says. */
static struct str namesake(struct probing *probing, struct str kit, const struct tree *metadata)
{
    struct prober *prober = probing->prober;
    struct str name = model_name_mapped(kit, &probing->options->flags.map);
    const struct subject subject = {.name = name, .metadata = metadata};
    struct str differs = kit_inputs_differ(probing->suite, metadata, kit, name, prober->arena);
    bool taken = differs.size && str_equal(name, kit) &&
                 ANY(i, prober->profile_count, learn_is_answered(prober, prober->profiles[i], &subject) == INFERRED);
    return taken ? differs : STR("");
}

void find_kit_models(struct probing *probing)
{
    struct prober *prober = probing->prober;
    const struct suite *suite = probing->suite;
    struct tree *models = tree_new(prober->arena, TREE_OBJECT), *absent = tree_new(prober->arena, TREE_OBJECT),
                *namesakes = tree_new(prober->arena, TREE_OBJECT);
    const struct suite_model **asked = arena_alloc_zero(prober->arena, suite->model_count + 1, sizeof *asked);
    size_t count = 0;
    for (size_t i = 0; i < suite->model_count; i++)
        if (!is_for_states(suite, suite->models[i].repository) &&
            models_ask_for(probing->options, suite->models[i].name))
            asked[count++] = &suite->models[i];
    const struct found_one *found = team_ask(probing, ask_for_model, asked, count);
    for (size_t i = 0; i < count; i++) {
        struct str kit = asked[i]->name, other = found[i].tree ? namesake(probing, kit, found[i].tree) : STR("");
        if (found[i].tree && !other.size) {
            tree_add(models, kit, found[i].tree);
            continue;
        }
        tree_add(absent, kit, tree_string(prober->arena, other.size ? other : found[i].evidence));
        if (other.size)
            tree_add(namesakes, kit, tree_bool(prober->arena, true));
        else
            note_vain_map(prober, probing->options, kit, found[i].evidence);
    }
    probing->discovery->models = models;
    probing->discovery->namesakes = namesakes;
    probing->discovery->absent = absent;
}

/* Whether the index lists the model, and no entry of it is ready. */
static bool is_left_unloaded(const struct tree *index, struct str name)
{
    return ANY_IN(entry, index->first, str_equal(tree_text(entry, "name"), name)) &&
           !ANY_IN(entry, index->first, str_equal(tree_text(entry, "name"), name) && index_says(entry, "READY"));
}

void note_left_unloaded(struct probing *probing)
{
    struct prober *prober = probing->prober;
    const struct registry *registry = prober->registry;
    const struct tree *index = NULL;
    for (size_t i = 0; i < registry->profile_count && !index && probing->options->flags.allow_mutation; i++)
        if (prober_may_ask(prober, &registry->profiles[i]) &&
            claims_have(prober->claims, &registry->profiles[i], registry->profiles[i].claim))
            index = inquiry_index(prober, &registry->profiles[i]);
    FOR_EACH_IN(model, index ? probing->discovery->absent->first : NULL) {
        struct str theirs = model_name_mapped(model->name, &probing->options->flags.map);
        if (is_left_unloaded(index, theirs))
            buf_printf(&prober->notes,
                       "the index lists the model '%s', but it is not ready, so it is not asked; if a run that was "
                       "killed left it unloaded, load it again\n",
                       str_printable(prober->arena, theirs));
    }
}

void find_batches(struct probing *probing)
{
    struct prober *prober = probing->prober;
    const struct registry *registry = prober->registry;
    const struct discovery_options *options = probing->options;
    const struct tree *models = probing->discovery->models;
    struct tree *batches = tree_new(prober->arena, TREE_OBJECT);
    FOR_EACH_IN(model, models->first) {
        struct str theirs = model_name_mapped(model->name, &options->flags.map);
        int64_t kits = suite_model(probing->suite, model->name)->batch;
        int64_t batch = str_equal(theirs, model->name) ? kits : 0;
        for (size_t i = 0; i < registry->profile_count && kits && !batch; i++)
            if (prober_may_ask(prober, &registry->profiles[i]))
                batch = inquiry_largest_batch(prober, &registry->profiles[i], theirs);
        if (batch > 0)
            tree_add(batches, model->name, tree_int(prober->arena, batch));
    }
    probing->discovery->batches = batches;
}

/* `metadata` is what any profile says of the model, or NULL. */
static void note_unhosted(struct prober *prober, const struct profile *profile, struct str model,
                          const struct tree *metadata, struct tree *why)
{
    prober->evidence = STR("");
    if (tree_member_str(why, model) || inquiry_hosts(prober, profile, model))
        return;
    struct str evidence = prober->evidence;
    bool may_answer = protocol_inquiry(profile)->answer_shows_host && metadata;
    const struct subject subject = {.name = model, .metadata = metadata};
    if (!may_answer || learn_is_answered(prober, profile, &subject) != INFERRED)
        tree_add(why, model, tree_string(prober->arena, evidence));
}

void find_unhosted(struct probing *probing)
{
    struct prober *prober = probing->prober;
    const struct discovery_options *options = probing->options;
    const struct tree *models = probing->discovery->models;
    const struct tree *probes = probing->discovery->probes;
    struct tree *unhosted = tree_new(prober->arena, TREE_OBJECT);
    for (size_t i = 0; i < prober->profile_count; i++) {
        const struct profile *profile = prober->profiles[i];
        struct tree *why = tree_new(prober->arena, TREE_OBJECT);
        FOR_EACH_IN(model, models->first)
            note_unhosted(prober, profile, model_name_mapped(model->name, &options->flags.map), model, why);
        FOR_EACH_IN(probe, probes->first)
            note_unhosted(prober, profile, probe->name, tree_member(probe, "metadata"), why);
        tree_add(unhosted, profile->name, why);
    }
    takers_find(probing, unhosted);
    probing->discovery->unhosted = unhosted;
}
