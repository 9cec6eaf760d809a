#include "probe/prober.h"

#include "client/encode.h"
#include "client/infer.h"
#include "client/rpcs.h"
#include "support/memory.h"
#include "wire/message.h"
#include "support/percent.h"

#define SAID_MAX 300 /* bytes of a refusal that are told */

bool prober_may_ask(const struct line *line)
{
    return line->asked_for && line->unanswered < UNANSWERED_MAX;
}

struct tree *prober_ask(struct prober *prober, const struct request *request, enum encoding encoding,
                        const char *question, struct str *evidence)
{
    struct line *line = request->rest ? &prober->rest : &prober->grpc;
    struct answer answer;
    arena_reset(&prober->scratch, ARENA_NO_BUDGET);
    client_exchange(prober->client, request, NULL, &prober->scratch, &answer);
    line->lost = answer.outcome != OUTCOME_ANSWERED;
    if (line->lost) {
        bool waited = answer.outcome == OUTCOME_TIMEOUT, first = !line->answered;
        line->answered |= answer_begins(&answer);
        if (waited || !line->answered) /* of a target that answers otherwise, a lost question costs nothing */
            line->unanswered += waited && first ? UNANSWERED_MAX : 1;
        *evidence = arena_printf(prober->arena, "%s: %.*s", question, STR_ARG(answer.trouble));
        return NULL;
    }
    line->answered = true;
    struct str trouble;
    struct tree *tree = answer_tree(encoding, request->rpc, &answer, &prober->scratch, &trouble);
    if (request->rest)
        *evidence = arena_printf(prober->arena, "%s gave %d", question, answer.status);
    else
        *evidence = arena_printf(prober->arena, "%s gave %.*s", question, STR_ARG(tree_text(tree, "code")));
    if (trouble.size)
        *evidence = arena_printf(prober->arena, "%.*s: %.*s", STR_ARG(*evidence), STR_ARG(trouble));
    return tree;
}

void prober_hold(struct prober *prober)
{
    struct arena last = prober->scratch;
    prober->scratch = prober->held;
    prober->held = last;
}

struct tree *prober_keep(struct prober *prober, const struct tree *tree)
{
    return tree ? tree_copy_whole(prober->arena, tree) : NULL;
}

static bool is_2xx(const struct tree *answer)
{
    int64_t status;
    return answer && tree_to_int64(tree_member(answer, "status"), &status) && status >= 200 && status <= 299;
}

bool prober_succeeds(struct prober *prober, struct str path)
{
    struct str evidence;
    struct request request = {.rest = true, .method = STR("GET"), .path = path};
    return is_2xx(prober_ask(prober, &request, ENCODING_HTTP, "GET", &evidence));
}

static struct tree *fetch(struct prober *prober, const char *method, struct str path, struct str *evidence)
{
    struct header header = {STR("Content-Type"), STR("application/json")};
    bool post = strcmp(method, "POST") == 0;
    struct request request = {.rest = true, .method = str_of(method), .path = path};
    if (post) {
        request.headers = &header;
        request.header_count = 1;
        request.body = STR("{}");
        request.has_body = true;
    }
    struct str question = arena_printf(prober->arena, "%s %.*s", method, STR_ARG(path));
    struct tree *answer = prober_ask(prober, &request, ENCODING_HTTP, question.data, evidence);
    const struct tree *json = is_2xx(answer) ? tree_member(answer, "json") : NULL;
    if (json && (json->type == TREE_OBJECT || (post && json->type == TREE_ARRAY)))
        return prober_keep(prober, json);
    if (is_2xx(answer))
        *evidence = arena_printf(prober->arena, "%.*s, but no JSON object", STR_ARG(*evidence));
    return NULL;
}

struct tree *prober_get(struct prober *prober, struct str path, struct str *evidence)
{
    return fetch(prober, "GET", path, evidence);
}

struct tree *prober_post(struct prober *prober, struct str path, struct str *evidence)
{
    return fetch(prober, "POST", path, evidence);
}

struct tree *prober_call(struct prober *prober, const char *rpc, struct str model, struct str *evidence)
{
    struct request request = {.rpc = arena_printf(prober->arena, "/inference.GRPCInferenceService/%s", rpc)};
    struct tree *message = tree_new(prober->arena, TREE_OBJECT);
    if (model.size > 0)
        tree_add(message, STR("name"), tree_string(prober->arena, model));
    struct buf bytes = {0};
    wire_from_tree(rpc_method(request.rpc)->input, message, &bytes, prober->arena);
    request.message = arena_copy(prober->arena, buf_str(&bytes));
    buf_free(&bytes);
    struct str question = arena_printf(prober->arena, "%s of '%s'", rpc, str_printable(prober->arena, model));
    struct tree *answer = prober_ask(prober, &request, ENCODING_GRPC, model.size > 0 ? question.data : rpc, evidence);
    const struct tree *reply = str_is(tree_text(answer, "code"), "OK") ? tree_member(answer, "message") : NULL;
    return reply && reply->type == TREE_OBJECT ? prober_keep(prober, reply) : NULL;
}

struct str prober_path(struct prober *prober, struct str name, const char *below)
{
    struct str segment = path_segment(name, prober->arena);
    return arena_printf(prober->arena, "/v2/models/%.*s%s", STR_ARG(segment), below);
}

enum inferred prober_infer(struct prober *prober, const struct tree *act, enum encoding encoding, struct str version,
                           struct tree **answer, struct str *evidence)
{
    bool rest = encoding_is_rest(encoding);
    struct arena scratch = memory_arena();
    struct request request = {.large = true};
    struct meaning meaning = {act, act, version};
    struct header json = {STR("Content-Type"), STR("application/json")};
    struct status status = rest ? encode_rest(&meaning, encoding == ENCODING_REST_NESTED, &scratch, &request)
                                : encode_grpc(&meaning, encoding == ENCODING_GRPC_RAW, &scratch, &request);
    enum inferred inferred = INFER_UNSAYABLE;
    if (!is_ok(status))
        *evidence = arena_copy(prober->arena, status.message);
    if (is_ok(status)) {
        request.headers = rest ? &json : NULL;
        request.header_count = rest ? 1 : 0;
        struct str model = tree_text(act, "infer");
        struct str question =
            rest ? arena_printf(prober->arena, "POST %.*s", STR_ARG(request.path))
                 : arena_printf(prober->arena, "ModelInfer of '%s'", str_printable(prober->arena, model));
        struct tree *received = prober_ask(prober, &request, encoding, question.data, evidence);
        bool good = rest ? is_2xx(received) : received && str_is(tree_text(received, "code"), "OK");
        inferred = good ? INFERRED : received ? INFER_REFUSED : INFER_SILENT;
        if (inferred == INFER_REFUSED) {
            struct str said = rest ? tree_text(tree_member(received, "json"), "error") : tree_text(received, "details");
            if (rest && !said.size)
                said = tree_text(received, "body");
            if (said.size > SAID_MAX)
                said.size = SAID_MAX;
            if (said.size)
                *evidence =
                    arena_printf(prober->arena, "%.*s: %s", STR_ARG(*evidence), str_printable(prober->arena, said));
        }
        if (answer)
            *answer = received;
    }
    arena_free(&scratch);
    return inferred;
}
