/* Names that the target does not know: one for ${no-model}, and names of its models in another case. */
#include "probe/steps.h"

#include "base/search.h"
#include "probe/team.h"
#include "suite/model_name.h"

static bool has_metadata(struct prober *prober, struct str name)
{
    return ANY(i, prober->profile_count,
               prober_may_ask(prober, prober->profiles[i]) &&
                   inquiry_metadata(prober, prober->profiles[i], name, STR("")));
}

void find_unknown_name(struct probing *probing)
{
    struct prober *prober = probing->prober;
    static const char *const names[] = {"no_such_model", "no_such_model_either", "nor_this_model"};
    size_t i = 0, last = COUNT_OF(names) - 1;
    while (i < last && has_metadata(prober, str_of(names[i])))
        i++;
    probing->discovery->knows_all = i == last && has_metadata(prober, str_of(names[last]));
    if (probing->discovery->knows_all)
        buf_printf(&prober->notes, "the target knows every model name that was tried, even %s\n", names[last]);
    probing->discovery->no_model = str_of(names[i]);
}

/* --- Names in another case --- */

static bool knows(struct prober *prober, struct str name)
{
    if (has_metadata(prober, name))
        return true;
    for (size_t i = 0; i < prober->profile_count && prober->versionless_refused; i++) {
        const struct profile *profile = prober->profiles[i];
        if (protocol_inquiry(profile)->wants_versions && prober_may_ask(prober, profile) &&
            inquiry_metadata(prober, profile, name, STR("1")))
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

void find_spellings(struct probing *probing)
{
    const struct discovery_options *options = probing->options;
    struct arena *arena = probing->prober->arena;
    struct tree *spellings = tree_new(arena, TREE_OBJECT);
    const struct tree *models = probing->discovery->models, *probes = probing->discovery->probes;
    struct str *names = arena_alloc_zero(arena, models->count + probes->count + 1, sizeof *names);
    size_t count = 0;
    FOR_EACH_IN(model, models->first)
        names[count++] = model_name_mapped(model->name, &options->flags.map);
    FOR_EACH_IN(probe, probes->first)
        if (!tree_member_str(models, probe->name))
            names[count++] = probe->name;
    const struct found_one *spelled = team_ask(probing, find_spelling, names, count);
    for (size_t i = 0; i < count; i++)
        if (spelled[i].tree && !tree_member_str(spellings, names[i]))
            tree_add(spellings, names[i], spelled[i].tree);
    probing->discovery->spellings = spellings;
}
