#include "probe/steps.h"

#include "probe/shown.h"

#define WAITS 2.0 /* seconds that an answer may take which shows an edition */

/* Asks until a question is not answered as hoped. It asks over a connection of its own, and for a short time, so that a
 * target that never answers these questions holds nothing up and is not blamed for it here. */
static bool are_shown_soon(struct probing *probing, const struct profile *profile, const struct tree *questions)
{
    struct prober *prober = probing->prober;
    struct client_options options = *probing->client_options;
    struct endpoint_state *state = &prober->endpoints[profile->endpoint->index], before = *state;
    struct client *client = prober->client;
    bool shown = true;
    options.timeout = options.timeout < WAITS ? options.timeout : WAITS;
    prober->client = client_create(&options, prober->arena);
    for (const struct tree *question = questions->first; question && shown; question = question->next)
        shown = is_shown(probing, profile, question);
    client_destroy(prober->client);
    prober->client = client;
    *state = before;
    return shown;
}

static struct str edition_of(struct probing *probing)
{
    struct prober *prober = probing->prober;
    const struct tree *editions = prober->registry->editions;
    if (!editions || !editions->first)
        return STR("");
    if (probing->options->flags.edition)
        return str_of(probing->options->flags.edition);
    FOR_EACH_IN(one, editions->first) {
        const struct tree *questions = tree_member(one, "shown_by");
        const struct profile *profile = registry_profile(prober->registry, tree_text(one, "profile"));
        prober->evidence = STR("");
        if (!questions || !are_shown_soon(probing, profile, questions))
            continue;
        buf_printf(
            &prober->notes,
            "judged by the edition %.*s, %.*s, because its answers fit it (%.*s); --edition NAME chooses another\n",
            STR_ARG(one->name), STR_ARG(tree_text(one, "says")), STR_ARG(prober->evidence));
        return one->name;
    }
    return editions->first->name;
}

void find_edition(struct probing *probing)
{
    probing->discovery->edition = edition_of(probing);
}
