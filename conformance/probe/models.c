#include "probe/models.h"
#include "probe/steps.h"

#include "base/search.h"
#include "probe/learn.h"
#include "probe/request.h"
#include "probe/team.h"
#include "suite/model_name.h"
#include "support/listing.h"

#include <fnmatch.h>

/* Models of the kit that are probed: with two inputs and outputs, with many outputs, of texts, of floats. */
static const char *const of_kit[] = {"simple", "many_outputs", "identity_bytes", "identity_fp32"};

bool models_ask_for(const struct discovery_options *options, struct str kit)
{
    return !options->only || str_is(model_name_mapped(kit, &options->flags.map), options->only) ||
           (*options->only && str_is(kit, of_kit[0]));
}

bool models_are_named(const struct discovery_options *options, struct str name)
{
    return ANY(i, options->flags.models.count, str_is(name, options->flags.models.items[i]));
}

#define NOT_READY "not ready" /* why a model is not asked; cases name it: /unasked/not ready */

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
    return model_name_mapped(kit, &choosing->options->flags.map);
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
    const struct tree *namesakes = choosing->probing->discovery->namesakes;
    return ANY(i, choosing->suite->model_count,
               str_equal(name_of_kit(choosing, choosing->suite->models[i].name), name) &&
                   !tree_member_str(namesakes, choosing->suite->models[i].name));
}

bool models_is_glob(const char *model)
{
    return strpbrk(model, "*?[") != NULL;
}

/* Whether --model names it, or has a glob that matches it. */
static bool names_model(const struct discovery_options *options, struct str name, struct arena *arena)
{
    return models_are_named(options, name) ||
           ANY(i, options->flags.models.count,
               fnmatch(options->flags.models.items[i], arena_copy(arena, name).data, 0) == 0);
}

static void choose_of_kit(struct choosing *choosing)
{
    const struct tree *hosted = choosing->probing->discovery->models;
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(of_kit) && count < PROBED_OF_KIT; i++)
        if (tree_member(hosted, of_kit[i])) {
            choose(choosing, name_of_kit(choosing, str_of(of_kit[i])));
            count++;
        }
}

/* --- What the target lists --- */

/* Returns the name of an entry, which is a string or an object. */
static struct str listed_name(const struct tree *entry)
{
    return entry->type == TREE_STRING ? entry->text : tree_text(entry, "name");
}

/* Whether the list says that the model is not ready; servers write the state in different words ("State.READY"). */
static bool is_unready(const struct tree *entry)
{
    static const char *const unready[] = {"UNAVAILABLE", "LOADING", "UNLOADING", "UNKNOWN"};
    return ANY(i, COUNT_OF(unready), str_is(tree_text(entry, "state"), unready[i]));
}

/* Whether a model of the list is asked for other reasons than that it stands there. */
static bool is_asked_anyway(const struct choosing *choosing, struct str name)
{
    return is_chosen(choosing, name) ||
           (is_of_suite(choosing, name) && !names_model(choosing->options, name, choosing->prober->arena));
}

/* Returns why a model of the list is not asked, of which `listed` were chosen before; empty if it is. */
static struct str why_unasked(const struct choosing *choosing, const struct tree *entry, size_t listed)
{
    const struct discovery_options *options = choosing->options;
    struct arena *arena = choosing->prober->arena;
    if (is_unready(entry))
        return STR(NOT_READY);
    if (options->flags.models.count && !names_model(options, listed_name(entry), arena))
        return STR("no --model names it");
    if (listed >= options->flags.models_max)
        return arena_printf(arena, "--models-max is %zu", options->flags.models_max);
    return (struct str){0};
}

/* Chooses the first of those that globs of the user match, or of all if he names none. */
static size_t choose_listed(struct choosing *choosing)
{
    size_t listed = 0;
    FOR_EACH_IN(entry, choosing->list->first) {
        struct str name = listed_name(entry);
        if (!name.size || is_asked_anyway(choosing, name) || why_unasked(choosing, entry, listed).size)
            continue;
        choose(choosing, name);
        listed++;
    }
    return listed;
}

static void add_unasked(struct tree *all, struct str why, struct str name, struct arena *arena)
{
    if (!tree_member_str(all, why))
        tree_add(all, why, tree_new(arena, TREE_ARRAY));
    tree_append((struct tree *)tree_member_str(all, why), tree_string(arena, name));
}

/* Returns the others by the reason: {WHY: [names]}. */
static struct tree *unasked(const struct choosing *choosing, size_t listed)
{
    struct arena *arena = choosing->prober->arena;
    struct tree *all = tree_new(arena, TREE_OBJECT);
    struct str last = {0};
    FOR_EACH_IN(entry, choosing->list->first) {
        struct str name = listed_name(entry);
        if (!name.size || str_equal(name, last) /* another version */ || is_asked_anyway(choosing, name))
            continue;
        struct str why = why_unasked(choosing, entry, listed);
        add_unasked(all, why, name, arena);
        last = name;
    }
    return all;
}

/* Adds the entries of a list whose names the first one lacks. */
static struct tree *joined(struct tree *first, const struct tree *list, struct arena *arena)
{
    const struct tree *last = first ? first->last : NULL;
    struct tree *all = first ? first : tree_new(arena, TREE_ARRAY);
    FOR_EACH_IN(entry, list->first) {
        const struct tree *same = last ? first->first : NULL;
        while (same && !str_equal(listed_name(same), listed_name(entry)))
            same = same == last ? NULL : same->next;
        if (!same)
            tree_append(all, tree_copy(arena, entry));
    }
    return all;
}

/* Whether a profile whose endpoint may be another server's has an endpoint of its own beside those of the others, which
 * may not know the models that it lists. */
static bool lists_anothers(const struct prober *prober, const struct profile *profile)
{
    bool is_beside = false;
    for (size_t i = 0; i < prober->profile_count; i++) {
        const struct inquiry *inquiry = protocol_inquiry(prober->profiles[i]);
        if (!inquiry->server || inquiry->hosts || !prober_may_ask(prober, prober->profiles[i]))
            continue;
        if (prober->profiles[i]->endpoint == profile->endpoint)
            return false;
        is_beside = true;
    }
    return is_beside && protocol_inquiry(profile)->hosts;
}

/* Asks for the list of models, under the first profile that offers one, and adds what is listed at endpoints that may
 * be another server's. */
static void find_list(struct choosing *choosing)
{
    struct prober *prober = choosing->prober;
    const struct endpoint *asked = NULL;
    struct tree *all = NULL;
    prober->evidence = STR("");
    for (size_t i = 0; i < prober->profile_count; i++) {
        const struct profile *profile = prober->profiles[i];
        if (!prober_may_ask(prober, profile) || lists_anothers(prober, profile) ||
            (asked && (!protocol_inquiry(profile)->hosts || profile->endpoint == asked)))
            continue;
        const struct tree *list = inquiry_models(prober, profile);
        if (!asked)
            choosing->list_evidence = prober->evidence;
        if (list)
            all = joined(all, list, prober->arena);
        if (list && !asked)
            asked = profile->endpoint;
    }
    choosing->list = all;
}

/* Returns that the target lists other models, and not this one; empty if it gives no list, or has the model in it. */
static struct str not_listed(const struct choosing *choosing, struct str name)
{
    struct arena *arena = choosing->prober->arena;
    struct listing others = {.arena = arena, .most = LISTED_SHOWN};
    struct str last = {0};
    FOR_EACH_IN(entry, tree_first(choosing->list)) {
        struct str other = listed_name(entry);
        if (str_equal(other, name))
            return (struct str){0};
        if (!str_equal(other, last))
            listing_add(&others, str_of(str_printable(arena, other)));
        last = other; /* of several versions of a model, one is told */
    }
    if (!others.count)
        return (struct str){0};
    return arena_printf(arena, "the target lists no model '%s', but %.*s%s (%.*s)", str_printable(arena, name),
                        STR_ARG(others.named), others.count > LISTED_SHOWN ? " and more" : "",
                        STR_ARG(choosing->list_evidence));
}

/* Returns why a glob of the user chooses nothing; empty if each matches a model of the list. */
static struct str find_unmatched_glob(const struct choosing *choosing)
{
    struct arena *arena = choosing->prober->arena;
    for (size_t i = 0; i < choosing->options->flags.models.count; i++) {
        const char *model = choosing->options->flags.models.items[i];
        const struct tree *entry = tree_first(choosing->list);
        while (entry && fnmatch(model, arena_copy(arena, listed_name(entry)).data, 0) != 0)
            entry = entry->next;
        if (entry || !models_is_glob(model))
            continue;
        struct str others = not_listed(choosing, str_of(model));
        return arena_printf(arena, "--model '%s' is a glob, and %.*s", str_printable(arena, str_of(model)),
                            STR_ARG(others.size ? others : STR("the target lists no models")));
    }
    return (struct str){0};
}

/* --- All of them --- */

/* Chooses the only model that is asked about, where it would be chosen among all. */
static void choose_only(struct choosing *choosing, struct str only)
{
    choose_of_kit(choosing);
    if (names_model(choosing->options, only, choosing->prober->arena) ||
        tree_member_str(choosing->options->examples, only) || !is_of_suite(choosing, only))
        choose(choosing, only);
}

static void choose_models(struct choosing *choosing)
{
    const struct discovery_options *options = choosing->options;
    if (options->only) {
        choose_only(choosing, str_of(options->only));
        return;
    }
    for (size_t i = 0; i < options->flags.models.count; i++)
        if (!models_is_glob(options->flags.models.items[i]))
            choose(choosing, str_of(options->flags.models.items[i]));
    FOR_EACH_IN(example, tree_first(options->examples))
        choose(choosing, example->name);
    choose_of_kit(choosing);
    find_list(choosing);
    if (choosing->list)
        choosing->probing->discovery->unasked = unasked(choosing, choose_listed(choosing));
    choosing->probing->discovery->unmatched_glob = find_unmatched_glob(choosing);
}

/* Returns metadata from which a request can be made: that of the first profile, unless it cannot be used and another
 * profile's can. */
static const struct tree *usable_metadata(struct probing *probing, struct str name)
{
    struct prober *prober = probing->prober;
    const struct tree *first = probing_metadata(probing, name);
    if (!first || request_is_makeable(first, name))
        return first;
    for (size_t i = 1; i < prober->profile_count; i++) {
        const struct profile *profile = prober->profiles[i];
        const struct tree *other =
            prober_may_ask(prober, profile) ? inquiry_metadata(prober, profile, name, STR("")) : NULL;
        if (other && request_is_makeable(other, name))
            return other;
    }
    return first;
}

/* Asks for the metadata of a chosen model; `context` is an array of their names. */
static struct found_one ask_for_metadata(struct probing *probing, const void *context, size_t number)
{
    const struct tree *metadata = usable_metadata(probing, ((const struct str *)context)[number]);
    return (struct found_one){metadata ? metadata_bounded(probing->prober->arena, metadata) : NULL,
                              probing->prober->evidence};
}

/* A chosen model, and what is known of it before it is learned. */
struct chosen {
    struct str name, absent; /* absent: why there is no metadata */
    const struct tree *metadata, *example;
};

/* Learns a chosen model; `context` is an array of them. */
static struct found_one learn_chosen(struct probing *probing, const void *context, size_t number)
{
    const struct chosen *model = &((const struct chosen *)context)[number];
    return (struct found_one){.tree = learn_model(probing->prober, model->name, model->metadata, model->absent,
                                                  model->example, probing->options->flags.seed)};
}

/* Learns all of them: the first alone, which shows how long an inference takes then, the others side by side. */
static struct found_one *learn_all(struct probing *probing, const struct chosen *models, size_t count)
{
    struct found_one *found = arena_alloc_zero(probing->prober->arena, count + 1, sizeof *found);
    if (count)
        found[0] = learn_chosen(probing, models, 0);
    if (count > 1)
        memcpy(found + 1, team_ask(probing, learn_chosen, models + 1, count - 1), (count - 1) * sizeof *found);
    return found;
}

/* Asks for the metadata of the chosen models. Returns those that are hosted; the others are noted. */
static struct chosen *find_hosted(const struct choosing *choosing, size_t *count)
{
    struct prober *prober = choosing->prober;
    const struct discovery_options *options = choosing->options;
    struct chosen *hosted = arena_alloc_zero(prober->arena, choosing->chosen->count + 1, sizeof *hosted);
    struct str *names = arena_alloc_zero(prober->arena, choosing->chosen->count + 1, sizeof *names);
    *count = 0;
    FOR_EACH_IN(model, choosing->chosen->first)
        names[(*count)++] = model->name;
    const struct found_one *found = team_ask(choosing->probing, ask_for_metadata, names, *count);
    *count = 0;
    for (const struct tree *model = choosing->chosen->first; model; model = model->next, found++) {
        const struct tree *example = tree_member_str(options->examples, model->name);
        /* A model that the user names, or gives an example of, counts as hosted even without metadata. */
        if (found->tree || example || names_model(options, model->name, prober->arena))
            hosted[(*count)++] = (struct chosen){model->name, found->evidence, found->tree, example};
        else
            buf_printf(&prober->notes, "model '%s' is not hosted: %.*s\n", str_printable(prober->arena, model->name),
                       STR_ARG(found->evidence));
    }
    return hosted;
}

/* Whether a profile says that the model is ready; or hosts it, and has no words for that. */
static bool counts_as_ready(struct prober *prober, const struct profile *profile, struct str name)
{
    const struct inquiry *inquiry = protocol_inquiry(profile);
    return inquiry->is_ready ? inquiry_is_ready(prober, profile, name)
                             : inquiry->hosts && inquiry_hosts(prober, profile, name);
}

static bool says_ready(struct prober *prober, struct str name)
{
    return ANY(i, prober->profile_count,
               prober_may_ask(prober, prober->profiles[i]) && counts_as_ready(prober, prober->profiles[i], name));
}

void find_probes(struct probing *probing)
{
    struct prober *prober = probing->prober;
    const struct discovery_options *options = probing->options;
    struct choosing choosing = {.probing = probing,
                                .prober = prober,
                                .suite = probing->suite,
                                .options = options,
                                .chosen = tree_new(prober->arena, TREE_OBJECT)};
    struct tree *probes = tree_new(prober->arena, TREE_OBJECT);
    size_t count;
    choose_models(&choosing);
    const struct chosen *models = find_hosted(&choosing, &count);
    const struct found_one *learned = learn_all(probing, models, count);
    for (size_t i = 0; i < count; i++) {
        const struct chosen *model = &models[i];
        struct tree *probe = learned[i].tree;
        bool is_named = names_model(options, model->name, prober->arena);
        bool is_of_list = probing->discovery->unasked && !is_named && !is_of_suite(&choosing, model->name);
        if (is_of_list && !model->example && tree_member(probe, "refused") && !says_ready(prober, model->name)) {
            add_unasked(probing->discovery->unasked, STR(NOT_READY), model->name, prober->arena);
            continue;
        }
        tree_add(probe, STR("named"), tree_bool(prober->arena, is_named || is_of_suite(&choosing, model->name)));
        tree_add(probe, STR("unlisted"),
                 tree_string(prober->arena,
                             model->metadata || model->example ? STR("") : not_listed(&choosing, model->name)));
        tree_add(probes, model->name, probe);
    }
    const struct tree *unserved = probes->count ? unserved_find(probing, probes) : NULL;
    for (struct tree *probe = probes->first; probe; probe = probe->next)
        tree_add(probe, STR("unserved"), tree_copy(prober->arena, unserved));
    if (!probes->count && prober_was_answered(prober))
        buf_append_literal(&prober->notes, "no model was found that can be probed (no document says how a server lists "
                                           "its models): name yours with --model NAME\n");
    probing->discovery->probes = probes;
}
