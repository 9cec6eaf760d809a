#include "probe/editions.h"

#include "probe/shown.h"

struct str editions_find(struct probing *probing)
{
    struct prober *prober = probing->prober;
    const struct tree *editions = prober->registry->editions;
    if (!editions || !editions->first)
        return STR("");
    if (probing->options->edition)
        return str_of(probing->options->edition);
    for (const struct tree *one = editions->first; one; one = one->next) {
        const struct tree *question = tree_member(one, "shown_by");
        const struct profile *profile = registry_profile(prober->registry, tree_text(one, "profile"));
        struct str evidence;
        if (!question || !prober_may_ask(prober, profile) || !is_shown(prober, profile, question, NULL, &evidence))
            continue;
        buf_printf(&prober->notes,
                   "judged by the edition %.*s, %.*s, which its answers fit (%.*s); --edition NAME "
                   "names another\n",
                   STR_ARG(one->name), STR_ARG(tree_text(one, "says")), STR_ARG(evidence));
        return one->name;
    }
    return editions->first->name;
}
