/* What the index of a model repository says is ready, although nothing else of the target knows it. */
#include "probe/steps.h"

#include "base/search.h"
#include "probe/claims.h"

#define ASKED_MAX 64 /* names that are asked for; an index may be long */

static bool is_served(struct prober *prober, struct str name)
{
    return ANY(i, prober->profile_count,
               prober_may_ask(prober, prober->profiles[i]) &&
                   (inquiry_metadata(prober, prober->profiles[i], name, STR("")) ||
                    inquiry_is_ready(prober, prober->profiles[i], name)));
}

struct tree *unserved_find(struct probing *probing, const struct tree *probes)
{
    struct prober *prober = probing->prober;
    const struct tree *hosted = probing->discovery->models;
    struct tree *unserved = tree_new(prober->arena, TREE_ARRAY), *asked = tree_new(prober->arena, TREE_ARRAY);
    FOR_EACH(profile, prober->registry->profiles, prober->registry->profile_count) {
        const struct tree *index = protocol_inquiry(profile)->index && prober_may_ask(prober, profile) &&
                                           claims_have(prober->claims, profile, profile->claim)
                                       ? inquiry_index(prober, profile)
                                       : NULL;
        FOR_EACH_IN(entry, tree_first(index)) {
            struct str name = tree_text(entry, "name");
            if (!name.size || !index_says(entry, "READY") || tree_member_str(hosted, name) ||
                tree_member_str(tree_member_str(probes, name), STR("metadata")) ||
                ANY_IN(at, asked->first, str_equal(at->text, name)) || asked->count == ASKED_MAX)
                continue;
            tree_append(asked, tree_string(prober->arena, name));
            if (!is_served(prober, name))
                tree_append(unserved, tree_string(prober->arena, name));
        }
    }
    return unserved;
}
