/* Null servers: servers that say the same to everything. Every expectation is judged on their answers, offline. One
 * that such an answer meets proves nothing by itself: it needs a control, or, in a neighbour, a base, that the same
 * server does not meet. */
#include "lint/linter.h"

#include "client/infer.h"
#include "judge/verdict.h"

struct null_server {
    const char *says; /* what it does */
    bool rest;
    struct answer answer;
};

static struct header json_headers[] = {{{"Content-Type", 12}, {"application/json", 16}},
                                       {{"Content-Length", 14}, {"2", 1}}};
static struct header empty_headers[] = {{{"Content-Length", 14}, {"0", 1}}};

static const struct null_server null_servers[] = {
    {"answers 200 and {} to everything",
     true,
     {.status = 200, .headers = json_headers, .header_count = 2, .body = {"{}", 2}}},
    {"answers 500 to everything", true, {.status = 500, .headers = empty_headers, .header_count = 1, .body = {"", 0}}},
    {"answers 200 and nothing to everything",
     true,
     {.status = 200, .headers = empty_headers, .header_count = 1, .body = {"", 0}}},
    {"answers OK and an empty message to everything",
     false,
     {.code = STATUS_OK, .message = {"", 0}, .has_message = true}},
    {"answers INTERNAL to everything", false, {.code = STATUS_INTERNAL, .details = {"", 0}}},
    {"answers UNIMPLEMENTED to everything", false, {.code = STATUS_UNIMPLEMENTED, .details = {"", 0}}},
};

#define NULL_SERVER_COUNT (sizeof null_servers / sizeof *null_servers)

static enum verdict judge_null(const struct linter *linter, const struct assertion *assertion,
                               const struct null_server *server, struct arena *arena, struct str *why)
{
    const struct play *play = assertion->play;
    enum encoding encoding = play->group->encoding;
    struct str rpc = STR("/inference.GRPCInferenceService/ModelInfer");
    struct str named = tree_text(play->act, "grpc");
    if (named.size)
        rpc = memchr(named.data, '/', named.size)
                  ? arena_printf(arena, "/%.*s", STR_ARG(named))
                  : arena_printf(arena, "/inference.GRPCInferenceService/%.*s", STR_ARG(named));
    struct observed observed = {.answer = &server->answer, .rules = &linter->suite->encodings[encoding]};
    observed.tree = answer_tree(encoding, rpc, &server->answer, arena, &observed.trouble);
    /* A base that answered something else: "same" is never met, for a base that is met is judged by itself. */
    struct tree *base = tree_new(arena, TREE_OBJECT);
    tree_add(base, STR("model_name"), tree_string(arena, STR("the base answered otherwise")));
    observed.base = play->is_base ? NULL : base;
    struct result result;
    judge_assertion(assertion, &observed, arena, &result);
    *why = result.why;
    return result.verdict;
}

static bool is_met_once(const struct linter *linter, const struct assertion *assertion,
                        const struct null_server *server)
{
    struct arena scratch = memory_arena();
    struct str why;
    enum verdict verdict = judge_null(linter, assertion, server, &scratch, &why);
    bool any_may = assertion->requirement->level == LEVEL_MAY;
    arena_free(&scratch);
    return verdict_passes(verdict) && !any_may;
}

/* In a play of steps, by the answer to every step that expects the key. */
static bool is_met(const struct linter *linter, const struct assertion *assertion, const struct null_server *server)
{
    const struct play *play = assertion->play;
    bool met = true;
    for (size_t s = 0; s < play->step_count && met; s++) {
        const struct play *step = play->steps[s].play;
        for (size_t i = 0; i < step->assertion_count && met; i++)
            if (step->assertions[i].requirement == assertion->requirement)
                met = is_met_once(linter, &step->assertions[i], server);
    }
    return play->step_count ? met : is_met_once(linter, assertion, server);
}

/* Whether what must hold in the play (or the one assertion) tells the null server from a real one. */
static bool tells(const struct linter *linter, const struct play *play, const struct assertion *one,
                  const struct null_server *server)
{
    for (size_t i = 0; i < play->assertion_count; i++) {
        const struct assertion *assertion = &play->assertions[i];
        bool counts = one ? assertion == one : assertion->requirement->level == LEVEL_MUST && !assertion->of_refusal;
        if (counts && !is_met(linter, assertion, server))
            return true;
    }
    return false;
}

static bool controls_tell(const struct linter *linter, const struct play *base, size_t kind)
{
    for (size_t i = 0; i < base->control_count; i++) {
        const struct control *control = &base->controls[i];
        bool rest = encoding_is_rest(control->play->group->encoding);
        /* A control over the other transport meets the null server of the same number there. */
        const struct null_server *server = &null_servers[kind % 3 + (rest ? 0 : 3)];
        if (tells(linter, control->play, control->assertion, server))
            return true;
    }
    return false;
}

static void check_play(struct linter *linter, const struct play *play, size_t kind)
{
    const struct null_server *server = &null_servers[kind];
    const struct play *base = play->group->plays[0];
    bool guarded = controls_tell(linter, base, kind) || (!play->is_base && tells(linter, base, NULL, server));
    struct str file = arena_printf(linter->arena, "%.*s.json", STR_ARG(play->group->family->path));
    for (size_t i = 0; i < play->assertion_count && !guarded; i++)
        if (is_met(linter, &play->assertions[i], server))
            fault_add(linter->faults, file, STR(""), "null-server",
                      "'%.*s' is met by a server that %s, and no control tells", STR_ARG(play->assertions[i].id),
                      server->says);
}

static bool has_any(const struct tree *pattern)
{
    bool found = tree_member(pattern, "$any") != NULL;
    for (const struct tree *child = pattern->first; child && !found; child = child->next)
        found = has_any(child);
    return found;
}

/* An $any of which two names fit one answer cannot be decided; another fault of the suite is a pattern that is none. */
static void check_names(struct linter *linter, const struct assertion *assertion, size_t kind)
{
    struct arena scratch = memory_arena();
    struct str why;
    struct str file = arena_printf(linter->arena, "%.*s.json", STR_ARG(assertion->play->group->family->path));
    if (judge_null(linter, assertion, &null_servers[kind], &scratch, &why) == VERDICT_ERROR)
        fault_add(linter->faults, file, STR(""), has_any(assertion->observation) ? "any-exclusive" : "pattern",
                  "'%.*s' and a server that %s: %s", STR_ARG(assertion->id), null_servers[kind].says,
                  str_printable(&scratch, why));
    arena_free(&scratch);
}

static void check_open(struct linter *linter, const struct assertion *assertion)
{
    if (assertion->requirement->level != LEVEL_OPEN || assertion->of_refusal ||
        tree_member(assertion->observation, "$any"))
        return;
    struct str file = arena_printf(linter->arena, "%.*s.json", STR_ARG(assertion->play->group->family->path));
    fault_add(linter->faults, file, STR(""), "any-open", "'%.*s' is of level open and has no $any",
              STR_ARG(assertion->id));
}

void lint_null_servers(struct linter *linter)
{
    for (size_t i = 0; i < linter->plan->play_count; i++) {
        const struct play *play = &linter->plan->plays[i];
        for (size_t a = 0; a < play->assertion_count; a++)
            check_open(linter, &play->assertions[a]);
        for (size_t kind = 0; kind < NULL_SERVER_COUNT; kind++) {
            if (null_servers[kind].rest != encoding_is_rest(play->group->encoding) || play->not_applicable.size)
                continue;
            for (size_t a = 0; a < play->assertion_count; a++)
                check_names(linter, &play->assertions[a], kind);
            check_play(linter, play, kind);
        }
    }
}
