#include "protocols/prober.h"

#include "base/search.h"
#include "notation/schemas.h"
#include "protocols/answer.h"
#include "protocols/request.h"
#include "tree/pointer.h"
#include "wire/message.h"

#define SAID_MAX 300 /* bytes of a refusal that are quoted */

bool prober_may_ask(const struct prober *prober, const struct profile *profile)
{
    const struct endpoint_state *state = &prober->endpoints[profile->endpoint->index];
    return state->asked_for && !state->limited && state->kinds.different < KINDS_SILENT_TO_BE;
}

bool prober_was_answered(const struct prober *prober)
{
    return ANY(i, ENDPOINTS_MAX, prober->endpoints[i].answered);
}

static void note_status(struct prober *prober, struct endpoint_state *state, struct str status)
{
    state->differs |= state->only.size && !str_equal(state->only, status);
    if (!state->only.size && !state->differs)
        state->only = arena_copy(prober->arena, status);
    if (state->differs)
        state->only = STR("");
}

/* Returns where the answer redirects to; empty if it does not. */
static struct str redirect_of(const struct answer *answer)
{
    return answer->status / 100 == 3 ? answer_header(answer, "location") : STR("");
}

static struct kind *kind_of(struct prober *prober, struct endpoint_state *state, const struct request *request,
                            const struct encoding *encoding)
{
    struct arena scratch = memory_arena();
    bool http = request_is_http(request);
    struct str verb = arena_printf(&scratch, "%s%.*s", encoding->act == ACT_INFER ? "infer " : "",
                                   STR_ARG(http ? request->method : STR("")));
    uint64_t key = kind_key(verb, http ? request->path : request->rpc, prober->about, &scratch);
    arena_free(&scratch);
    return kinds_find(&state->kinds, key);
}

struct tree *prober_ask(struct prober *prober, const struct request *request, const struct encoding *encoding,
                        const struct profile *profile, const char *question)
{
    struct endpoint_state *state = &prober->endpoints[request->endpoint->index];
    struct kind *kind = kind_of(prober, state, request, encoding);
    struct answer answer;
    if (kind->silent >= (kind->answered ? SILENT_MAX : NEVER_HEARD_MAX)) {
        state->lost = true;
        state->lost_as = OUTCOME_TIMEOUT;
        prober->evidence = arena_printf(prober->arena, "%s was not asked: %zu others like it got no answer in time",
                                        question, kind->silent);
        return NULL;
    }
    struct request asked = *request;
    asked.name = prober->on_tape;
    arena_reset(&prober->scratch, ARENA_NO_BUDGET);
    client_exchange(prober->client, &asked, NULL, &prober->scratch, &answer);
    prober->seconds = answer.seconds;
    state->lost = answer.outcome != OUTCOME_ANSWERED;
    if (state->lost) {
        state->answered |= answer_begins(&answer);
        state->limited |= answer.outcome == OUTCOME_LIMITED;
        state->lost_as = answer.outcome;
        if (!state->trouble.size || state->limited)
            state->trouble = arena_copy(prober->arena, answer.trouble);
        /* If the target has answered before, a refused or closed connection is not counted. */
        if (answer.outcome == OUTCOME_TIMEOUT || !state->answered)
            kinds_note_silence(&state->kinds, kind);
        prober->evidence = arena_printf(prober->arena, "%s: %.*s", question, STR_ARG(answer.trouble));
        return NULL;
    }
    state->answered = true;
    if (!state->redirects_to.size)
        state->redirects_to = arena_copy(prober->arena, redirect_of(&answer));
    kinds_note_answer(&state->kinds, kind);
    struct str trouble;
    struct tree *tree = answer_tree(encoding, profile, request, &answer, &prober->scratch, &trouble);
    struct str status =
        request_is_http(request) ? arena_printf(&prober->scratch, "%d", answer.status) : tree_text(tree, "code");
    note_status(prober, state, status);
    state->succeeded |= answer_succeeds(tree, profile);
    prober->evidence = arena_printf(prober->arena, "%s gave %.*s", question, STR_ARG(status));
    if (trouble.size)
        prober->evidence = arena_printf(prober->arena, "%.*s: %.*s", STR_ARG(prober->evidence), STR_ARG(trouble));
    return tree;
}

void prober_hold(struct prober *prober)
{
    struct arena last = prober->scratch;
    prober->scratch = prober->held;
    prober->held = last;
}

/* --- Questions over HTTP --- */

static bool is_2xx(const struct tree *answer)
{
    int64_t status;
    return answer && tree_to_int64(tree_member(answer, "status"), &status) && status >= 200 && status <= 299;
}

bool prober_succeeds(struct prober *prober, const struct profile *profile, struct str path)
{
    return is_2xx(prober_send(prober, profile, "GET", path));
}

struct tree *prober_send(struct prober *prober, const struct profile *profile, const char *method, struct str path)
{
    struct header header = {STR("Content-Type"), STR("application/json")};
    bool post = strcmp(method, "POST") == 0;
    struct request request = {.endpoint = profile->endpoint, .method = str_of(method), .path = path};
    if (post) {
        request.headers = (struct header_list){&header, 1};
        request.body = STR("{}");
        request.has_body = true;
    }
    struct str question = arena_printf(prober->arena, "%s %.*s", method, STR_ARG(path));
    return prober_ask(prober, &request, registry_act(prober->registry, ACT_HTTP), profile, question.data);
}

struct tree *prober_fetch(struct prober *prober, const struct profile *profile, const char *method, struct str path)
{
    bool post = strcmp(method, "POST") == 0;
    struct tree *answer = prober_send(prober, profile, method, path);
    const struct tree *json = is_2xx(answer) ? tree_member(answer, "json") : NULL;
    if (json && (json->type == TREE_OBJECT || (post && json->type == TREE_ARRAY)))
        return tree_copy_whole(prober->arena, json);
    if (is_2xx(answer))
        prober->evidence = arena_printf(prober->arena, "%.*s, but no JSON object", STR_ARG(prober->evidence));
    return NULL;
}

bool prober_order(struct prober *prober, const struct profile *profile, struct str path)
{
    return is_2xx(prober_send(prober, profile, "POST", path));
}

/* --- Questions over gRPC --- */

struct tree *prober_call(struct prober *prober, const struct profile *profile, const char *rpc,
                         const struct tree *message, struct str about)
{
    struct request request = {.endpoint = profile->endpoint,
                              .rpc = arena_printf(prober->arena, "/%.*s/%s", STR_ARG(profile->service), rpc)};
    struct buf bytes = {0};
    wire_from_tree(schema_rpc(request.rpc)->input, message, &bytes, prober->arena);
    request.message = arena_take(prober->arena, &bytes);
    struct str question = about.size > 0
                              ? arena_printf(prober->arena, "%s of '%s'", rpc, str_printable(prober->arena, about))
                              : str_of(rpc);
    struct tree *answer =
        prober_ask(prober, &request, registry_act(prober->registry, ACT_GRPC), profile, question.data);
    const struct tree *reply = str_is(tree_text(answer, "code"), "OK") ? tree_member(answer, "message") : NULL;
    return reply && reply->type == TREE_OBJECT ? tree_copy_whole(prober->arena, reply) : NULL;
}

/* --- What inferences need --- */

const struct tree *prober_details(struct prober *prober, const struct profile *profile, struct str model)
{
    if (!prober->details)
        prober->details = tree_new(prober->arena, TREE_OBJECT);
    struct tree *known = tree_member_str(prober->details, profile->name);
    if (!known && prober_may_ask(prober, profile)) {
        known = inquiry_details(prober, profile);
        known = known ? known : tree_new(prober->arena, TREE_OBJECT);
        tree_add(prober->details, profile->name, known);
    }
    const struct tree *details = tree_member_str(known, model);
    if (known && !details && prober_may_ask(prober, profile)) {
        struct tree *left_out = inquiry_details_left_out(prober, profile, model);
        tree_add(known, model, left_out ? left_out : tree_new(prober->arena, TREE_NULL));
        details = tree_member_str(known, model);
    }
    return details && details->type != TREE_NULL ? details : NULL;
}

/* --- Inferences --- */

/* Returns what a refusal says: the text at the profile's `error`, else the body. */
static struct str said_by(struct tree *answer, const struct profile *profile)
{
    const struct tree *error = profile->error.size ? pointer_find(answer, profile->error) : NULL;
    struct str said = error && error->type == TREE_STRING ? error->text : (struct str){0};
    if (!said.size)
        said = tree_text(answer, "body");
    said.size = said.size < SAID_MAX ? said.size : SAID_MAX;
    return said;
}

enum inferred prober_infer(struct prober *prober, const struct tree *act, const struct tree *outputs,
                           const struct encoding *encoding, struct str version, struct tree **answer)
{
    const struct profile *profile = encoding->profile;
    const struct sending sending = {.encoding = encoding,
                                    .profile = profile,
                                    .act = act,
                                    .version = version,
                                    .outputs = outputs,
                                    .details = prober_details(prober, profile, tree_text(act, "infer"))};
    struct arena scratch = memory_arena();
    struct request request;
    struct status status = request_make(&sending, &scratch, &request);
    enum inferred inferred = INFER_UNSAYABLE;
    if (!is_ok(status)) {
        prober->evidence = arena_copy(prober->arena, status.message);
    } else {
        struct str model = tree_text(act, "infer");
        struct str question =
            request_is_http(&request)
                ? arena_printf(prober->arena, "%.*s %.*s", STR_ARG(request.method), STR_ARG(request.path))
                : arena_printf(prober->arena, "%s of '%s'", protocol_form(encoding)->rpc,
                               str_printable(prober->arena, model));
        request.large = true;
        prober->about = model;
        struct tree *received = prober_ask(prober, &request, encoding, profile, question.data);
        inferred = answer_succeeds(received, profile) ? INFERRED : received ? INFER_REFUSED : INFER_SILENT;
        prober->inferences += inferred == INFERRED;
        prober->inferring += inferred == INFERRED ? prober->seconds : 0;
        struct str said = inferred == INFER_REFUSED ? said_by(received, profile) : (struct str){0};
        if (said.size)
            prober->evidence =
                arena_printf(prober->arena, "%.*s: %s", STR_ARG(prober->evidence), str_printable(prober->arena, said));
        if (answer)
            *answer = received;
    }
    arena_free(&scratch);
    return inferred;
}
