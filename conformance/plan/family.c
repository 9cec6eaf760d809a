/* Makes the groups of a family: for each choice of its values and each model, replaces the variables of the act, then
 * makes a group for each encoding. */
#include "plan/planner.h"

#include "base/search.h"
#include "plan/request.h"
#include "probe/learn.h"
#include "protocols/protocol.h"
#include "suite/grammar.h"
#include "suite/model_name.h"
#include "support/percent.h"

#include <inttypes.h>

/* Members of a case that describe it; they do not belong to the act that is sent. */
static const char *const about[] = {"says",     "needs", "for",        "model", "control",      "expect", "over",
                                    "formerly", "seen",  "neighbours", "on",    "observations", "answer"};

/* Returns the member that names the model: `infer`, else `model`; NULL if there is none. */
static const struct tree *model_member(const struct tree *tree)
{
    const struct tree *infer = tree_member(tree, "infer");
    return infer ? infer : tree_member(tree, "model");
}

static bool is_any_model(const struct tree *name)
{
    return name && name->type == TREE_STRING && str_is(name->text, "*");
}

/* Sets the kit model, which is in `model` or `infer` and may depend on values of `for`. */
static bool choose_model(struct planner *planner, struct choice *choice)
{
    const struct tree *tree = choice->family->tree;
    const char *where = tree_member(tree, "infer") ? "infer" : "model";
    if (!tree_member(tree, where) || choice->probe)
        return true;
    const struct tree *name = plan_member(planner, choice, where);
    if (!name)
        return false;
    if (name->type != TREE_STRING || !suite_model(planner->suite, name->text))
        return fault_add(place_below(choice->place, str_of(where)), "model-known",
                         "there is no model '%s' in fixtures/models", str_printable(planner->arena, name->text));
    choice->kit_model = name->text;
    choice->model = model_name_mapped(name->text, &planner->target->flags.map);
    return true;
}

static void add_variables(struct choice *choice, const struct variable *more, size_t count, struct arena *arena)
{
    struct variable *all = arena_alloc_zero(arena, choice->variable_count + count, sizeof *all);
    if (choice->variable_count)
        memcpy(all, choice->variables, choice->variable_count * sizeof *all);
    if (count)
        memcpy(all + choice->variable_count, more, count * sizeof *all);
    choice->variables = all;
    choice->variable_count += count;
}

static struct variable segment(struct str name, struct str value)
{
    return (struct variable){.name = name, .label = value, .is_segment = true};
}

/* A part of a path that may have several segments. */
static struct variable segments(struct str name, struct str value)
{
    return (struct variable){.name = name, .label = value};
}

/* Where it stands alone it is a number, if the text consists of digits. */
static struct variable number(struct str name, struct str value, struct arena *arena)
{
    bool is_number = value.size && strspn(value.data, "0123456789") == value.size;
    return (struct variable){
        .name = name, .label = value, .value = is_number ? tree_number(arena, value) : tree_string(arena, value)};
}

/* Returns the act of the base: what is sent, with variables replaced and codecs kept. NULL after a fault. */
static struct tree *resolve_act(struct planner *planner, const struct choice *choice)
{
    struct tree *act = tree_new(planner->arena, TREE_OBJECT);
    const struct tree *learned = tree_member(choice->probe, "request");
    FOR_EACH_IN(member, choice->family->tree->first) {
        if (ANY(i, COUNT_OF(about), str_is(member->name, about[i])))
            continue;
        struct tree *part = plan_resolve(planner, choice, place_below(choice->place, member->name), member);
        if (!part)
            return NULL;
        if (str_is(member->name, "infer"))
            part = tree_string(planner->arena, choice->model);
        tree_add(act, member->name, part);
    }
    bool lacks_inputs = learned && tree_member(act, "infer") && !tree_member(act, "inputs");
    FOR_EACH_IN(member, lacks_inputs ? learned->first : NULL)
        if (!tree_member_str(act, member->name))
            tree_add(act, member->name, tree_copy(planner->arena, member));
    return act;
}

const struct named_act plan_acts[ACTS] = {
    {"tcp", ACT_TCP}, {"grpc", ACT_GRPC}, {"infer", ACT_INFER}, {"http", ACT_HTTP}};

/* Returns the act that the case is played as. A watcher is played over the transport that it looks at. */
static enum act act_of(const struct tree *tree)
{
    const struct tree *on = tree_member(tree, "on");
    if (on)
        return tree_member(on, "grpc") && !tree_member(on, "http") ? ACT_GRPC : ACT_HTTP;
    for (size_t i = 0; i < ACTS; i++) {
        if (tree_member(tree, plan_acts[i].name))
            return plan_acts[i].act;
        FOR_EACH_IN(step, tree_first(tree_member(tree, "steps")))
            if (tree_member(step, plan_acts[i].name))
                return plan_acts[i].act;
    }
    return ACT_INFER;
}

/* Chooses the model of a case of the model "*". Its name, escaped for IDs, is their first label. */
static void choose_probe(struct planner *planner, struct choice *choice, const struct tree *probe, bool no_probe)
{
    choice->probe = probe;
    choice->no_probe = no_probe;
    choice->target = plan_probed_target(planner, probe);
    choice->model = tree_text(probe, "name");
    struct str label = no_probe || planner->target->nominal ? STR("*") : path_segment(choice->model, planner->arena);
    const struct variable name = segment(STR("*"), secrets_hide(planner->target->secrets, label, planner->arena));
    add_variables(choice, &name, 1, planner->arena);
}

/* Returns the address of the endpoint of the family's profile; for a family of several profiles, that of the first
 * endpoint that has one. Empty if there is none. */
static struct str address_of(const struct planner *planner, const struct family *family)
{
    const struct profile *profile = registry_profile_of_case(&planner->suite->registry, family->path);
    const struct address *addresses = planner->target->addresses;
    size_t index = profile ? profile->endpoint->index : 0;
    while (!profile && index + 1 < ENDPOINTS_MAX && !addresses[index].at.size)
        index++;
    return addresses[index].at.size ? addresses[index].at : STR("");
}

/* Returns "/versions/V" if the target refuses requests without a version, else nothing: what a path of the model goes
 * on with where its bytes are the point. */
static struct str versions_of(struct planner *planner, const struct choice *choice)
{
    const struct profile *profile = registry_profile_of_case(&planner->suite->registry, choice->family->path);
    struct str version = plan_version(choice->target, profile, choice->kit_model, choice->probe);
    const struct protocol *protocol = profile ? protocol_named(profile->protocol) : NULL;
    if (!version.size || !protocol || !protocol->below_model)
        return STR("");
    return arena_printf(planner->arena, "%s%.*s", protocol->below_model,
                        STR_ARG(path_segment(version, planner->arena)));
}

/* Returns the model's name in another case, one that the target does not know if discovery could tell. */
static struct str other_case_of(const struct planner *planner, struct str model)
{
    const struct tree *spelling = tree_member_str(planner->target->discovery.spellings, model);
    return spelling ? spelling->text : model_name_in_other_case(model, planner->arena);
}

/* Makes the groups. An act whose bytes are the point has one encoding, and its folder names the profile. An inference
 * is played in every encoding that plays the cases of its folder. */
static void plan_encodings(struct planner *planner, const struct choice *choice, const struct tree *act,
                           const struct tree *over)
{
    const struct registry *registry = &planner->suite->registry;
    const struct family *family = choice->family;
    enum act kind = act_of(family->tree);
    if (kind != ACT_INFER) {
        const struct profile *profile = registry_profile_of_case(registry, family->path);
        const struct encoding *encoding = registry_act(registry, kind);
        if (profile && profile->beside && profile->endpoint->transport != encoding->transport)
            encoding = registry_act(registry, profile->endpoint->transport == TRANSPORT_HTTP ? ACT_HTTP : ACT_GRPC);
        if (profile && profile->endpoint->transport == encoding->transport)
            plan_group(planner, choice, act, encoding, profile);
        else
            fault_add(choice->place, "profile", "a case of %.*s lies in the folder of a profile that is asked so",
                      STR_ARG(encoding->name));
        return;
    }
    FOR_EACH(encoding, registry->encodings, registry->encoding_count)
        if (encoding_plays(encoding, family->path) && plan_is_over(over, encoding))
            plan_group(planner, choice, act, encoding, encoding->profile);
}

static void add_axes(struct planner *planner, struct choice *choice, const struct axes *axes, size_t number)
{
    struct variable *values = arena_alloc_zero(planner->arena, axes->count, sizeof *values);
    axes_choose(axes, number, values);
    add_variables(choice, values, axes->count, planner->arena);
}

static void add_target(struct planner *planner, struct choice *choice)
{
    struct str address = address_of(planner, choice->family);
    bool secure = str_starts(address, STR("https://"));
    const struct variable list[] = {segment(STR("no-model"), planner->target->discovery.no_model),
                                    segment(STR("scheme"), secure ? STR("https") : STR("http")),
                                    segment(STR("host"), address_authority(address)),
                                    segments(STR("prefix"), address_prefix(address))};
    add_variables(choice, list, COUNT_OF(list), planner->arena);
}

static void add_model(struct planner *planner, struct choice *choice)
{
    struct arena *arena = planner->arena;
    struct str model = choice->model, version = plan_last_version(choice->target, choice->kit_model, choice->probe);
    const struct tree *batch = tree_member_str(planner->target->discovery.batches, choice->kit_model);
    const struct suite_model *kit = suite_model(planner->suite, choice->kit_model);
    struct str rows = batch ? batch->text : arena_printf(arena, "%" PRId64, kit ? kit->batch : 0);
    const struct variable list[] = {segment(STR("model"), model),
                                    segment(STR("model-in-other-case"), other_case_of(planner, model)),
                                    segment(STR("model-encoded"), percent_every_byte(model, arena)),
                                    segments(STR("versions"), versions_of(planner, choice)),
                                    segment(STR("version"), version),
                                    number(STR("version-number"), version, arena),
                                    number(STR("batch"), rows, arena)};
    add_variables(choice, list, COUNT_OF(list), arena);
}

/* False after a fault. */
static bool add_late_names(struct planner *planner, struct choice *choice)
{
    struct variable list[SAVED_MAX];
    size_t count = plan_late_names(choice->family->tree, list);
    if (count > SAVED_MAX)
        return fault_add(place_below(choice->place, STR("steps")), "steps", "a case may save %d values, and no more",
                         SAVED_MAX);
    add_variables(choice, list, count, planner->arena);
    return true;
}

static void plan_choice(struct planner *planner, const struct family *family, const struct axes *axes, size_t number,
                        const struct tree *probe, bool no_probe)
{
    struct choice choice = {.family = family,
                            .place = family_place(family, planner->faults),
                            .label_count = axes->count + (probe != NULL),
                            .target = planner->target};
    if (probe)
        choose_probe(planner, &choice, probe, no_probe);
    add_axes(planner, &choice, axes, number);
    add_target(planner, &choice);
    if (!choose_model(planner, &choice))
        return;
    if (choice.model.size)
        add_model(planner, &choice);
    if (!add_late_names(planner, &choice))
        return;
    planner->lacking = STR("");
    const struct tree *act = resolve_act(planner, &choice);
    const struct tree *over = plan_member(planner, &choice, "over");
    if (act)
        plan_encodings(planner, &choice, act, over);
}

void plan_family(struct planner *planner, const struct family *family)
{
    struct place place = family_place(family, planner->faults);
    struct axes axes;
    if (!grammar_check("case", family->tree, place))
        return;
    if (!plan_report(place_below(place, STR("for")), "for",
                     axes_read(tree_member(family->tree, "for"), planner->suite->tables, planner->arena, &axes)))
        return;
    if (!is_any_model(model_member(family->tree))) {
        for (size_t i = 0; i < axes.choices; i++)
            plan_choice(planner, family, &axes, i, NULL, false);
        return;
    }
    const struct tree *probes = planner->target->discovery.probes;
    const struct tree *probe = tree_first(probes);
    bool none = !probe && !planner->target->nominal;
    if (!probe)
        probe = learn_nothing(planner->arena);
    for (; probe; probe = probe->next)
        for (size_t i = 0; i < axes.choices; i++)
            plan_choice(planner, family, &axes, i, probe, none);
}
