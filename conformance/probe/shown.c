#include "probe/shown.h"

#include "base/search.h"
#include "notation/variables.h"
#include "pattern/match.h"
#include "protocols/answer.h"
#include "protocols/request.h"

/* Returns the act of a question, in the form of a case. `probe`: what was learned of the model, or NULL. */
static struct tree *act_of(const struct tree *question, const struct tree *probe, struct arena *arena)
{
    static const char *const taken[] = {"inputs", "parameters"};
    struct str name = tree_text(probe, "name");
    const struct variable model = {.name = STR("model"), .label = name, .is_segment = true};
    struct tree *found = tree_object(arena, {"probe", probe ? tree_share(arena, probe) : NULL}), *act;
    const struct variables variables = {.list = &model, .count = 1, .found = found, .lenient = true};
    if (!is_ok(variables_resolve(question, &variables, arena, &act)))
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
    return FIND(registry->encodings, i, registry->encoding_count, registry->encodings[i].profile == profile);
}

/* `probe` is what was learned of the model that the question is about, or NULL. */
static bool is_shown_of(struct prober *prober, const struct profile *profile, const struct tree *question,
                        const struct tree *probe)
{
    struct arena scratch = memory_arena();
    struct tree *act = act_of(question, probe, &scratch), *answer = NULL;
    bool versioned = prober->versionless_refused && protocol_inquiry(profile)->wants_versions;
    struct sending sending = {.encoding = act ? encoding_of(prober->registry, profile, act) : NULL,
                              .profile = profile,
                              .act = act,
                              .model = tree_text(probe, "name"),
                              .version = versioned ? tree_text(probe, "version") : STR("")};
    struct request request;
    if (sending.encoding && is_ok(request_make(&sending, &scratch, &request))) {
        struct str asked = request_is_http(&request) ? arena_printf(prober->arena, "%.*s %.*s", STR_ARG(request.method),
                                                                    STR_ARG(request.path))
                                                     : request.rpc;
        prober->about = sending.model;
        answer = prober_ask(prober, &request, sending.encoding, profile, asked.data);
    }
    bool shown = answer && answer_succeeds(answer, profile) &&
                 match_in_order(tree_member(act, "expect"), answer, &scratch, NULL, NULL);
    arena_free(&scratch);
    return shown;
}

bool is_shown(struct probing *probing, const struct profile *profile, const struct tree *question)
{
    struct prober *prober = probing->prober;
    const struct tree *probes = probing->discovery->probes;
    bool shown = false;
    if (!variables_used(question, STR("model")))
        return prober_may_ask(prober, profile) && is_shown_of(prober, profile, question, NULL);
    for (const struct tree *probe = tree_first(probes); probe && !shown && prober_may_ask(prober, profile);
         probe = probe->next)
        if (!tree_member(probe, "refused") || !tree_member(question, "infer"))
            shown = is_shown_of(prober, profile, question, probe);
    return shown;
}
