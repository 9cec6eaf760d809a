#include "probe/unlisted.h"

#include "base/count.h"
#include "notation/variables.h"
#include "pattern/match.h"
#include "probe/claims.h"
#include "protocols/answer.h"
#include "protocols/request.h"
#include "support/memory.h"

/* Returns the act that would show the extension, in the form of a case. `probe` is what was learned of the model, or
 * NULL. */
static struct tree *act_of(const struct profile *profile, const struct tree *probe, struct arena *arena)
{
    static const char *const taken[] = {"inputs", "parameters"};
    struct str name = tree_text(probe, "name");
    const struct variable model = {.name = STR("model"), .label = name, .is_segment = true};
    struct tree *found = tree_new(arena, TREE_OBJECT), *act;
    if (probe)
        tree_add(found, STR("probe"), tree_share(arena, probe));
    const struct variables variables = {.list = &model, .count = 1, .found = found, .lenient = true};
    if (!is_ok(variables_resolve(profile->shown_by, &variables, arena, &act)))
        return NULL;
    for (size_t i = 0; i < COUNT_OF(taken) && tree_member(act, "infer"); i++) {
        const struct tree *member = tree_member(tree_member(probe, "request"), taken[i]);
        if (member)
            tree_add(act, str_of(taken[i]), tree_share(arena, member));
    }
    return act;
}

static const struct encoding *encoding_of(const struct registry *registry, const struct profile *profile,
                                          const struct tree *act)
{
    if (!tree_member(act, "infer"))
        return registry_act(registry, tree_member(act, "grpc") ? ACT_GRPC : ACT_HTTP);
    for (size_t i = 0; i < registry->encoding_count; i++)
        if (registry->encodings[i].profile == profile)
            return &registry->encodings[i];
    return NULL;
}

/* Whether the answer to the act shows the extension. `evidence` says what was answered. */
static bool is_shown(struct prober *prober, const struct profile *profile, const struct tree *probe,
                     struct str *evidence)
{
    struct arena scratch = memory_arena();
    struct tree *act = act_of(profile, probe, &scratch), *answer = NULL;
    bool versioned = prober->versionless_refused && protocol_side(profile)->wants_versions;
    struct sending sending = {.encoding = act ? encoding_of(prober->registry, profile, act) : NULL,
                              .profile = profile,
                              .act = act,
                              .model = tree_text(probe, "name"),
                              .version = versioned ? tree_text(probe, "version") : STR("")};
    struct request request;
    if (sending.encoding && is_ok(request_make(&sending, &scratch, &request))) {
        struct str question = request_is_http(&request) ? arena_printf(prober->arena, "%.*s %.*s",
                                                                       STR_ARG(request.method), STR_ARG(request.path))
                                                        : request.rpc;
        prober->about = sending.model;
        answer = prober_ask(prober, &request, sending.encoding, profile, question.data, evidence);
    }
    bool shown = answer && answer_succeeds(answer, profile) &&
                 match_in_order(tree_member(act, "expect"), answer, &scratch, NULL, NULL);
    arena_free(&scratch);
    return shown;
}

/* Asks about each probed model, or once where the question names none, until an answer shows the extension. */
static bool find(struct probing *probing, const struct profile *profile, struct str *evidence)
{
    struct prober *prober = probing->prober;
    const struct tree *probes = tree_member(probing->discovery->found, "probes");
    bool of_model = variables_used(profile->shown_by, STR("model")), shown = false;
    if (!of_model)
        return prober_may_ask(prober, profile) && is_shown(prober, profile, NULL, evidence);
    for (const struct tree *probe = probes->first; probe && !shown && prober_may_ask(prober, profile);
         probe = probe->next)
        if (!tree_member(probe, "refused") || !tree_member(profile->shown_by, "infer"))
            shown = is_shown(prober, profile, probe, evidence);
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
