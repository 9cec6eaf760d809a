#include "probe/unlisted.h"

#include "notation/variables.h"
#include "probe/claims.h"
#include "probe/shown.h"

/* Asks about each probed model, or once where the question names none, until an answer shows the extension. */
static bool find(struct probing *probing, const struct profile *profile, struct str *evidence)
{
    struct prober *prober = probing->prober;
    const struct tree *probes = tree_member(probing->discovery->found, "probes");
    bool of_model = variables_used(profile->shown_by, STR("model")), shown = false;
    if (!of_model)
        return prober_may_ask(prober, profile) && is_shown(prober, profile, profile->shown_by, NULL, evidence);
    for (const struct tree *probe = probes->first; probe && !shown && prober_may_ask(prober, profile);
         probe = probe->next)
        if (!tree_member(probe, "refused") || !tree_member(profile->shown_by, "infer"))
            shown = is_shown(prober, profile, profile->shown_by, probe, evidence);
    return shown;
}

/* Adds the extension to what is told of those that are judged. */
static void tell(struct buf *notes, bool is_first, const struct profile *profile, struct str evidence)
{
    buf_append_str(notes, is_first ? STR("no metadata of the server lists extensions; judged are those that its "
                                         "answers show: ")
                                   : STR(", "));
    buf_printf(notes, "'%.*s' over %.*s (%.*s)", STR_ARG(profile->claim), STR_ARG(profile->endpoint->called),
               STR_ARG(evidence));
}

struct tree *unlisted_find(struct probing *probing)
{
    struct prober *prober = probing->prober;
    const struct registry *registry = prober->registry;
    struct tree *unshown = tree_new(prober->arena, TREE_OBJECT);
    size_t told = prober->notes.size;
    for (size_t i = 0; i < registry->profile_count && prober->unlisted; i++) {
        const struct profile *profile = &registry->profiles[i];
        struct str evidence = STR("no model could be asked");
        if (!profile->shown_by || claims_have(prober->claims, profile, profile->claim))
            continue;
        bool shown = !probing->options->only && find(probing, profile, &evidence);
        if (shown)
            tell(&prober->notes, prober->notes.size == told, profile, evidence);
        if (shown || probing->options->only)
            tree_append(tree_member_str(prober->claims, profile->endpoint->name),
                        tree_string(prober->arena, profile->claim));
        else
            tree_add(unshown, profile->name, tree_string(prober->arena, evidence));
    }
    if (prober->notes.size > told)
        buf_append_byte(&prober->notes, '\n');
    return unshown;
}
