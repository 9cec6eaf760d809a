#include "probe/steps.h"

#include "probe/claims.h"
#include "probe/shown.h"

/* Adds the extension to what is told of those that are judged. */
static void note_shown(struct prober *prober, bool is_first, const struct profile *profile)
{
    buf_append_str(&prober->notes,
                   is_first
                       ? STR("no metadata of the server lists extensions; the judge uses those that its answers show: ")
                       : STR(", "));
    buf_printf(&prober->notes, "'%.*s' over %.*s (%.*s)", STR_ARG(profile->claim), STR_ARG(profile->endpoint->called),
               STR_ARG(prober->evidence));
}

void find_shown_extensions(struct probing *probing)
{
    struct prober *prober = probing->prober;
    const struct registry *registry = prober->registry;
    struct tree *unshown = tree_new(prober->arena, TREE_OBJECT);
    size_t told = prober->notes.size;
    for (size_t i = 0; i < registry->profile_count && prober->unlisted; i++) {
        const struct profile *profile = &registry->profiles[i];
        prober->evidence = STR("no model could be asked");
        if (!profile->shown_by || claims_have(prober->claims, profile, profile->claim))
            continue;
        bool shown = !probing->options->only && is_shown(probing, profile, profile->shown_by);
        if (shown)
            note_shown(prober, prober->notes.size == told, profile);
        if (shown || probing->options->only)
            tree_append(tree_member_str(prober->claims, profile->endpoint->name),
                        tree_string(prober->arena, profile->claim));
        else
            tree_add(unshown, profile->name, tree_string(prober->arena, prober->evidence));
    }
    if (prober->notes.size > told)
        buf_append_byte(&prober->notes, '\n');
    probing->discovery->unshown = unshown;
}
