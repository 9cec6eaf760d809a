/* Makes requests of inputs, sends them until the model accepts one, and asks that one twice. */
#include "probe/accepted.h"

#include "base/search.h"
#include "pattern/match.h"
#include "probe/claims.h"
#include "probe/request.h"
#include "tensor/datatype.h"

#define FORMS_MAX 32 /* most encodings that are tried */

struct tree *outputs_asked(const struct learner *learner, struct arena *arena)
{
    struct tree *asked = tree_new(arena, TREE_ARRAY);
    FOR_EACH_IN(output, tree_first(tree_member(learner->learned.metadata, "outputs"))) {
        enum datatype datatype = datatype_from_name(tree_text(output, "datatype"));
        if (datatype == DATATYPE_NONE || datatype == DATATYPE_BOOL || datatype == DATATYPE_BYTES)
            continue;
        tree_append(asked, tree_object(arena, {"name", tree_string(arena, tree_text(output, "name"))},
                                       {"parameters", tree_copy(arena, learner->of_outputs)}));
    }
    return asked;
}

struct tree *request_of(const struct tree *from, struct arena *arena)
{
    static const char *const members[] = {"parameters", "inputs", "outputs"};
    struct tree *request = tree_new(arena, TREE_OBJECT);
    for (size_t i = 0; i < COUNT_OF(members); i++)
        if (tree_member(from, members[i]))
            tree_add(request, str_of(members[i]), tree_copy(arena, tree_member(from, members[i])));
    return request;
}

struct tree *act_of(const struct learner *learner, const struct tree *request, struct arena *arena)
{
    struct tree *act = request_of(request, arena);
    tree_add(act, STR("infer"), tree_string(arena, learner->name));
    if (learner->of_outputs)
        tree_set(act, STR("outputs"), outputs_asked(learner, arena));
    return act;
}

/* Whether the answer has more outputs than each play can compare. */
static bool is_too_wide(struct learner *learner, const struct tree *answer)
{
    const struct tree *outputs = tree_member(answer, "outputs");
    if (!outputs || outputs->count <= REQUEST_OUTPUTS_MAX)
        return false;
    learner->evidence =
        arena_printf(learner->prober->arena, "it answers with %zu outputs, more than the judge reads", outputs->count);
    return true;
}

/* Sends the request. If the model accepts it, sends it again and compares the answers. */
static enum inferred ask(struct learner *learner, const struct tree *act, const struct encoding *encoding,
                         struct str version)
{
    struct prober *prober = learner->prober;
    struct tree *first, *second = NULL;
    const struct tree *listed = tree_member(learner->learned.metadata, "outputs");
    const struct tree *outputs = listed && listed->type == TREE_ARRAY ? listed : NULL;
    enum inferred inferred = prober_infer(prober, act, outputs, encoding, version, &first);
    if (inferred != INFERRED) {
        if (inferred != INFER_UNSAYABLE || !learner->evidence.size)
            learner->evidence = prober->evidence;
        return inferred;
    }
    if (is_too_wide(learner, first))
        return INFER_TOO_LONG;
    if (learner->once)
        return INFERRED;
    prober_hold(prober);
    learner->learned.answer = first;
    learner->learned.alike = prober_infer(prober, act, outputs, encoding, version, &second) == INFERRED &&
                             match_alike(first, second, LIKENESS_CLOSE, prober->arena, NULL);
    return INFERRED;
}

static enum inferred try_all(struct learner *learner, make_act *make, const struct encoding *encoding,
                             struct str version, size_t *taken)
{
    enum inferred inferred = INFER_REFUSED;
    for (size_t number = 0; inferred == INFER_REFUSED; number++) {
        struct arena scratch = memory_arena();
        const struct tree *act = make(learner, number, &scratch);
        if (act)
            inferred = ask(learner, act, encoding, version);
        arena_free(&scratch);
        if (!act)
            break;
        *taken = number;
    }
    return inferred;
}

/* Whether an output holds NaN or an infinity, for which JSON has no numbers: from raw bytes, these are strings. */
static bool is_beyond_json(const struct tree *answer)
{
    FOR_EACH_IN(output, tree_first(tree_member(answer, "outputs"))) {
        const struct tree *data = tree_member(output, "data");
        bool text = str_is(tree_text(output, "datatype"), "BYTES");
        FOR_EACH_IN(at, data && !text ? data->first : NULL)
            if (at->type == TREE_STRING)
                return true;
    }
    return false;
}

/* The encodings of the profiles that are asked for, in the order in which their protocols want them tried. */
struct forms {
    const struct encoding *encodings[FORMS_MAX];
    size_t count;
};

static bool is_asked(const struct prober *prober, const struct encoding *encoding)
{
    return ANY(i, prober->profile_count, prober->profiles[i] == encoding->profile);
}

/* Whether the encoding belongs to an extension that the target claims, or may have without saying so, and is another
 * form of what an encoding that is asked for carries: what that one cannot say, it may. */
static bool is_claimed(const struct prober *prober, const struct encoding *encoding)
{
    struct str claim = encoding->profile->claim;
    if (!claim.size || (!prober->unlisted && !claims_have(prober->claims, encoding->profile, claim)))
        return false;
    const struct encoding *others = prober->registry->encodings;
    return ANY(i, prober->registry->encoding_count,
               others[i].profile == encoding->inherits && str_equal(others[i].cases, encoding->cases) &&
                   is_asked(prober, &others[i]));
}

static struct forms forms_to_try(const struct prober *prober)
{
    struct forms forms = {.count = 0};
    for (size_t p = 0; p < prober->profile_count; p++) {
        const struct protocol *protocol = protocol_named(prober->profiles[p]->protocol);
        bool again = ANY(i, p, str_equal(prober->profiles[i]->protocol, prober->profiles[p]->protocol));
        for (size_t i = 0; i < protocol->form_count && !again; i++) {
            const struct encoding *encoding = registry_encoding(prober->registry, str_of(protocol->forms[i].encoding));
            bool wanted = encoding && (is_asked(prober, encoding) || is_claimed(prober, encoding));
            if (wanted && forms.count < FORMS_MAX)
                forms.encodings[forms.count++] = encoding;
        }
    }
    return forms;
}

enum inferred try_encoding(struct learner *learner, make_act *make, const struct encoding *encoding, size_t *taken)
{
    struct prober *prober = learner->prober;
    bool versions = protocol_inquiry(encoding->profile)->wants_versions;
    bool versioned = versions && prober->versionless_refused;
    enum inferred inferred = try_all(learner, make, encoding, versioned ? learner->learned.version : STR(""), taken);
    if (inferred == INFER_REFUSED && versions && !versioned && !prober->versions_known) {
        inferred = try_all(learner, make, encoding, learner->learned.version, taken);
        if (inferred == INFERRED) {
            prober->versionless_refused = true;
            buf_printf(&prober->notes, "%.*s refuses an inference without a version\n",
                       STR_ARG(encoding->profile->endpoint->called));
        }
    }
    return inferred;
}

bool find_request(struct learner *learner, make_act *make, size_t *taken)
{
    struct prober *prober = learner->prober;
    struct forms forms = forms_to_try(prober);
    bool rest_refuses = false, found = false, said = false;
    for (size_t i = 0; i < forms.count && !found; i++) {
        const struct encoding *encoding = forms.encodings[i];
        bool rest = encoding->transport == TRANSPORT_HTTP;
        if (!prober_may_ask(prober, encoding->profile) || (said && !is_asked(prober, encoding)))
            continue;
        enum inferred inferred = try_encoding(learner, make, encoding, taken);
        said |= inferred != INFER_UNSAYABLE;
        rest_refuses |= rest && inferred == INFER_REFUSED;
        if (inferred == INFERRED && rest_refuses && is_beyond_json(learner->learned.answer)) {
            learner->evidence = STR("its outputs are NaN or infinite, which JSON cannot say");
            break;
        }
        found = inferred == INFERRED;
        prober->versions_known |= found && protocol_inquiry(encoding->profile)->wants_versions;
    }
    return found;
}
