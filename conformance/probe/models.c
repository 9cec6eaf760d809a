#include "probe/models.h"

#include "base/count.h"
#include "probe/bounded.h"
#include "probe/learn.h"
#include "probe/request.h"
#include "probe/team.h"
#include "probe/unserved.h"
#include "suite/model_name.h"

/* Models of the kit that are probed: one with two inputs and outputs, one with many outputs, one of texts, one of
 * floats. */
static const char *const of_kit[] = {"simple", "many_outputs", "identity_bytes", "identity_fp32"};

bool models_ask_for(const struct discovery_options *options, struct str kit)
{
    return !options->only || str_is(model_name_mapped(kit, options->map, options->map_count), options->only) ||
           (*options->only && str_is(kit, of_kit[0]));
}

bool models_are_named(const struct discovery_options *options, struct str name)
{
    for (size_t i = 0; i < options->model_count; i++)
        if (str_is(name, options->models[i]))
            return true;
    return false;
}

struct choosing {
    struct probing *probing;
    struct prober *prober;
    const struct suite *suite;
    const struct discovery_options *options;
    struct tree *chosen;      /* {NAME: true} */
    const struct tree *list;  /* of models, as the target gives it; NULL: it gives none */
    struct str list_evidence; /* what was asked for it: "POST /v2/repository/index gave 200" */
};

/* Returns the target's name for a model of the kit. */
static struct str name_of_kit(const struct choosing *choosing, struct str kit)
{
    return model_name_mapped(kit, choosing->options->map, choosing->options->map_count);
}

static bool is_chosen(const struct choosing *choosing, struct str name)
{
    return tree_member_str(choosing->chosen, name) != NULL;
}

static void choose(struct choosing *choosing, struct str name)
{
    if (name.size && !is_chosen(choosing, name))
        tree_add(choosing->chosen, name, tree_bool(choosing->prober->arena, true));
}

/* Whether the suite has cases for the model. Such models are not probed, except a few. */
static bool is_of_suite(const struct choosing *choosing, struct str name)
{
    for (size_t i = 0; i < choosing->suite->model_count; i++)
        if (str_equal(name_of_kit(choosing, choosing->suite->models[i].name), name))
            return true;
    return false;
}

static void choose_of_kit(struct choosing *choosing)
{
    const struct tree *hosted = tree_member(choosing->probing->discovery->found, "models");
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(of_kit) && count < PROBED_OF_KIT; i++)
        if (tree_member(hosted, of_kit[i])) {
            choose(choosing, name_of_kit(choosing, str_of(of_kit[i])));
            count++;
        }
}

/* --- What the target lists --- */

/* Returns the name of an entry, which is a text or an object. In an index, a model that is said to be unready is
 * skipped; servers write the state in different words ("State.READY"). */
static struct str listed_name(const struct tree *entry)
{
    static const char *const unready[] = {"UNAVAILABLE", "LOADING", "UNLOADING", "UNKNOWN"};
    if (entry->type == TREE_STRING)
        return entry->text;
    for (size_t i = 0; i < COUNT_OF(unready); i++)
        if (str_is(tree_text(entry, "state"), unready[i]))
            return (struct str){0};
    return tree_text(entry, "name");
}

/* Chooses the first of them, unless the user named some. The others are noted as not asked. */
static void choose_listed(struct choosing *choosing, const struct tree *list)
{
    struct arena *arena = choosing->prober->arena;
    struct tree *unasked = tree_new(arena, TREE_ARRAY);
    for (const struct tree *entry = list->first; entry; entry = entry->next) {
        struct str name = listed_name(entry);
        bool again = unasked->last && str_equal(unasked->last->text, name); /* another version */
        if (!name.size || again || is_chosen(choosing, name) || is_of_suite(choosing, name))
            continue;
        if (!choosing->options->model_count && choosing->chosen->count < PROBED_MAX)
            choose(choosing, name);
        else
            tree_append(unasked, tree_string(arena, name));
    }
    tree_add(choosing->probing->discovery->found, STR("unasked"), unasked);
}

/* Asks for the list of models, under the first profile that offers one. */
static void find_list(struct choosing *choosing)
{
    struct prober *prober = choosing->prober;
    for (size_t i = 0; i < prober->profile_count && !choosing->list; i++)
        if (prober_may_ask(prober, prober->profiles[i]))
            choosing->list = side_models(prober, prober->profiles[i], &choosing->list_evidence);
}

/* Returns that the target lists other models, and not this one; empty if it gives no list, or has the model in it. */
static struct str not_listed(const struct choosing *choosing, struct str name)
{
    struct arena *arena = choosing->prober->arena;
    struct str others = {0}, last = {0};
    size_t told = 0;
    for (const struct tree *entry = choosing->list ? choosing->list->first : NULL; entry; entry = entry->next) {
        struct str other = entry->type == TREE_STRING ? entry->text : tree_text(entry, "name");
        if (str_equal(other, name))
            return (struct str){0};
        if (!str_equal(other, last) && told++ < LISTED_TOLD)
            others =
                arena_printf(arena, "%.*s%s%s", STR_ARG(others), others.size ? ", " : "", str_printable(arena, other));
        last = other; /* of several versions of a model, one is told */
    }
    return !told
               ? others
               : arena_printf(arena, "the target lists no model '%s', but %.*s%s (%.*s)", str_printable(arena, name),
                              STR_ARG(others), told > LISTED_TOLD ? " and more" : "", STR_ARG(choosing->list_evidence));
}

/* --- All of them --- */

/* Chooses the only model that is asked about, where it would be chosen among all. */
static void choose_only(struct choosing *choosing, struct str only)
{
    choose_of_kit(choosing);
    if (models_are_named(choosing->options, only) || tree_member_str(choosing->options->examples, only) ||
        !is_of_suite(choosing, only))
        choose(choosing, only);
}

static void choose_models(struct choosing *choosing)
{
    const struct discovery_options *options = choosing->options;
    if (options->only) {
        choose_only(choosing, str_of(options->only));
        return;
    }
    for (size_t i = 0; i < options->model_count; i++)
        choose(choosing, str_of(options->models[i]));
    const struct tree *examples = options->examples;
    for (const struct tree *example = examples ? examples->first : NULL; example; example = example->next)
        choose(choosing, example->name);
    choose_of_kit(choosing);
    find_list(choosing);
    if (choosing->list)
        choose_listed(choosing, choosing->list);
}

/* Returns metadata from which a request can be made: that of the first profile, unless it cannot be used and another
 * profile's can. */
static const struct tree *usable_metadata(struct probing *probing, struct str name, struct str *evidence)
{
    struct prober *prober = probing->prober;
    const struct tree *first = probing_metadata(probing, name, evidence);
    if (!first || request_is_makeable(first, name))
        return first;
    for (size_t i = 1; i < prober->profile_count; i++) {
        const struct profile *profile = prober->profiles[i];
        const struct tree *other =
            prober_may_ask(prober, profile) ? side_metadata(prober, profile, name, STR(""), evidence) : NULL;
        if (other && request_is_makeable(other, name))
            return other;
    }
    return first;
}

/* Asks for the metadata of a chosen model; `context` is an array of their names. */
static struct found_one ask_for_metadata(struct probing *probing, const void *context, size_t number)
{
    struct found_one found;
    const struct tree *metadata = usable_metadata(probing, ((const struct str *)context)[number], &found.evidence);
    found.tree = metadata ? metadata_bounded(probing->prober->arena, metadata) : NULL;
    return found;
}

struct tree *probe_models(struct probing *probing)
{
    struct prober *prober = probing->prober;
    const struct discovery_options *options = probing->options;
    struct choosing choosing = {.probing = probing,
                                .prober = prober,
                                .suite = probing->suite,
                                .options = options,
                                .chosen = tree_new(prober->arena, TREE_OBJECT)};
    struct tree *probes = tree_new(prober->arena, TREE_OBJECT);
    choose_models(&choosing);
    struct str *names = arena_alloc_zero(prober->arena, choosing.chosen->count + 1, sizeof *names);
    size_t count = 0;
    for (const struct tree *model = choosing.chosen->first; model; model = model->next)
        names[count++] = model->name;
    const struct found_one *found = team_ask(probing, ask_for_metadata, names, count);
    for (const struct tree *model = choosing.chosen->first; model; model = model->next, found++) {
        const struct tree *metadata = found->tree;
        const struct tree *example = tree_member_str(options->examples, model->name);
        bool is_named = models_are_named(options, model->name);
        /* Whoever names a model, or gives an example of it, says that it is there, whatever is missing of it. */
        if (!metadata && !example && !is_named) {
            buf_printf(&prober->notes, "model '%s' is not hosted: %.*s\n", str_printable(prober->arena, model->name),
                       STR_ARG(found->evidence));
            continue;
        }
        struct tree *probe = learn_model(prober, model->name, metadata, found->evidence, example, options->seed);
        tree_add(probe, STR("named"), tree_bool(prober->arena, is_named || is_of_suite(&choosing, model->name)));
        tree_add(probe, STR("unlisted"),
                 tree_string(prober->arena, metadata || example ? STR("") : not_listed(&choosing, model->name)));
        tree_add(probes, model->name, probe);
    }
    const struct tree *unserved = probes->count ? unserved_find(probing, probes) : NULL;
    for (struct tree *probe = probes->first; probe; probe = probe->next)
        tree_add(probe, STR("unserved"), tree_copy(prober->arena, unserved));
    if (!probes->count && prober_was_answered(prober))
        buf_append_literal(&prober->notes, "no model was found to be probed (no document says how a server lists its "
                                           "models): name yours by --model NAME\n");
    return probes;
}
