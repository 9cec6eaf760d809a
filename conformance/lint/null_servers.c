/* Null servers answer the same to every request. Every expectation is judged offline on their answers. An expectation
 * that such an answer meets proves nothing alone: it needs a control, or a base if it belongs to a neighbour, which the
 * same server does not meet. */
#include "lint/linter.h"

#include "base/search.h"
#include "judge/verdict.h"
#include "protocols/answer.h"
#include "protocols/protocol.h"
#include "protocols/request.h"

struct null_server {
    const char *says; /* what the server does */
    enum transport transport;
    struct answer answer;
};

static struct header json_headers[] = {{{"Content-Type", 12}, {"application/json", 16}},
                                       {{"Content-Length", 14}, {"2", 1}}};
static struct header empty_headers[] = {{{"Content-Length", 14}, {"0", 1}}};

static const struct null_server null_servers[] = {
    {"answers 200 and {} to everything",
     TRANSPORT_HTTP,
     {.status = 200, .headers = {json_headers, 2}, .body = {"{}", 2}}},
    {"answers 500 to everything", TRANSPORT_HTTP, {.status = 500, .headers = {empty_headers, 1}, .body = {"", 0}}},
    {"answers 200 and nothing to everything",
     TRANSPORT_HTTP,
     {.status = 200, .headers = {empty_headers, 1}, .body = {"", 0}}},
    {"answers OK and an empty message to everything",
     TRANSPORT_GRPC,
     {.code = STATUS_OK, .message = {"", 0}, .has_message = true}},
    {"answers INTERNAL to everything", TRANSPORT_GRPC, {.code = STATUS_INTERNAL, .details = {"", 0}}},
    {"answers UNIMPLEMENTED to everything", TRANSPORT_GRPC, {.code = STATUS_UNIMPLEMENTED, .details = {"", 0}}},
    {"ends every call with OK and without a message", TRANSPORT_GRPC, {.code = STATUS_OK, .details = {"", 0}}},
};

#define NULL_SERVER_COUNT COUNT_OF(null_servers)
#define CHAIN_MAX         8 /* controls that wait for controls; those that wait in a circle are another finding */

/* Returns the rpc that the play calls; empty over HTTP. */
static struct str rpc_of(const struct play *play, struct arena *arena)
{
    const struct form *form = protocol_form(play->group->encoding);
    struct str named = form && form->rpc ? str_of(form->rpc) : tree_text(play->act, "grpc");
    return named.size ? request_rpc(named, play->group->profile, arena) : (struct str){NULL, 0};
}

static bool is_stream(const struct play *play)
{
    const struct form *form = protocol_form(play->group->encoding);
    return tree_member(play->act, "messages") || (form && form->streams);
}

/* The answer of the server to a stream, or to the part of it that is read. A server that sends messages sends as many
 * as it gets, or as are read. */
static struct answer as_stream(const struct null_server *server, const struct play *play, size_t reads,
                               struct arena *arena)
{
    struct answer answer = server->answer;
    const struct tree *messages = tree_member(play->act, "messages");
    size_t count = reads < SIZE_MAX ? reads : messages ? messages->count : 1;
    answer.streams = true;
    answer.message_count = answer.has_message ? count : 0;
    answer.messages = arena_alloc_zero(arena, count + 1, sizeof *answer.messages);
    answer.open = answer.has_message && reads < SIZE_MAX;
    return answer;
}

static enum verdict judge_null(const struct assertion *assertion, size_t reads, const struct null_server *server,
                               struct arena *arena, struct str *why)
{
    const struct play *play = assertion->play;
    const struct group *group = play->group;
    const struct answer answer = is_stream(play) ? as_stream(server, play, reads, arena) : server->answer;
    struct observed observed = {.answer = &answer, .profile = group->profile};
    const struct request request = {.endpoint = group->profile->endpoint, .rpc = rpc_of(play, arena)};
    observed.tree = answer_tree(group->encoding, group->profile, &request, &answer, arena, &observed.trouble);
    /* The base gets another answer, so that "same" is never met. If the null server meets the base too, that is
     * reported at the base. */
    struct tree *base = tree_new(arena, TREE_OBJECT);
    tree_add(base, STR("model_name"), tree_string(arena, STR("the base answered otherwise")));
    observed.base = play->is_base ? NULL : base;
    struct result result;
    judge_assertion(assertion, &observed, arena, &result);
    *why = result.why;
    return result.verdict;
}

/* `reads` is the number of messages that a step of a stream reads, else SIZE_MAX. */
static bool is_met_once(const struct assertion *assertion, size_t reads, const struct null_server *server)
{
    struct arena scratch = memory_arena();
    struct str why;
    enum verdict verdict = judge_null(assertion, reads, server, &scratch, &why);
    bool any_may = assertion->requirement->level == LEVEL_MAY;
    arena_free(&scratch);
    return verdict_passes(verdict) && !any_may;
}

/* Whether the null server meets the assertion. Of a play with steps, it must meet every step that expects the key. */
static bool is_met(const struct assertion *assertion, const struct null_server *server)
{
    const struct play *play = assertion->play;
    bool met = true;
    for (size_t s = 0; s < play->step_count && met; s++) {
        const struct play *step = play->steps[s].play;
        size_t reads = play->steps[s].way == WAY_STREAM ? play->steps[s].reads : SIZE_MAX;
        for (size_t i = 0; i < step->assertion_count && met; i++)
            if (step->assertions[i].requirement == assertion->requirement)
                met = is_met_once(&step->assertions[i], reads, server);
    }
    return play->step_count ? met : is_met_once(assertion, SIZE_MAX, server);
}

/* Whether a play (or its one assertion) tells the null server from a real one. */
static bool tells(const struct play *play, const struct assertion *one, const struct null_server *server)
{
    FOR_EACH(assertion, play->assertions, play->assertion_count) {
        bool counts = one ? assertion == one : plan_builds_on(play, assertion);
        if (counts && !is_met(assertion, server))
            return true;
    }
    return false;
}

/* A control over another transport is judged on the null server with the same number for that transport. */
static size_t counterpart(size_t kind, enum transport transport)
{
    size_t number = 0, found = 0;
    return FIRST(i, NULL_SERVER_COUNT, null_servers[i].transport == transport && found++ == number, i, kind);
}

static bool controls_tell(const struct play *base, size_t kind, int depth);

/* A control tells by its own answer, or because something does for which it waits itself. */
static bool control_tells(const struct control *control, size_t kind, int depth)
{
    const struct play *play = control->play, *base = play->group->plays[0];
    size_t own = counterpart(kind, play->group->encoding->transport);
    return tells(play, control->assertion, &null_servers[own]) ||
           (play != base && tells(base, NULL, &null_servers[own])) || controls_tell(base, own, depth);
}

/* Of controls that prove the same, each must tell. */
static bool controls_tell(const struct play *base, size_t kind, int depth)
{
    bool all = true;
    for (size_t i = 0; i < base->control_count && depth > 0; i++) {
        const struct control *control = &base->controls[i];
        all = all && control_tells(control, kind, depth - 1);
        if (all && !control->or_next)
            return true;
        all |= !control->or_next;
    }
    return false;
}

/* The first case of the same profile that such a server does not pass, as a hint; "" if there is none. */
static const char *control_hint(struct linter *linter, const struct play *play, const struct null_server *server)
{
    FOR_EACH(other, linter->plan->plays, linter->plan->play_count)
        if (other->is_base && other->group != play->group && other->group->profile == play->group->profile &&
            tells(other, NULL, server))
            return arena_printf(linter->arena, "; `\"control\": \"%.*s\"` would", STR_ARG(other->group->family->path))
                .data;
    return "";
}

static void check_play(struct linter *linter, const struct play *play, size_t kind)
{
    const struct null_server *server = &null_servers[kind];
    const struct play *base = play->group->plays[0];
    bool guarded = controls_tell(base, kind, CHAIN_MAX) || (!play->is_base && tells(base, NULL, server));
    struct place place = family_place(play->group->family, linter->faults);
    for (size_t i = 0; i < play->assertion_count && !guarded; i++)
        if (is_met(&play->assertions[i], server))
            fault_add(place, "null-server", "'%.*s' is met by a server that %s, and no control tells%s",
                      STR_ARG(play->assertions[i].id), server->says, control_hint(linter, play, server));
}

/* An assertion of which an $any is looked at, in a copy of its observation. */
struct naming {
    struct linter *linter;
    struct assertion assertion;
    size_t kind;
    struct arena *scratch;
};

static void put(struct tree *node, const struct tree *content)
{
    struct tree *next = node->next;
    struct str name = node->name;
    *node = *content;
    node->next = next;
    node->name = name;
}

/* Tries each name of each $any below the node alone, with the choices above it made. Of two that fit one answer, which
 * the first is would be an accident of their order. */
static void check_names(const struct naming *naming, struct tree *node)
{
    const struct tree *any = tree_member(node, "$any");
    const struct tree whole = *node;
    struct str first = {0}, why;
    for (struct tree *child = any ? NULL : node->first; child; child = child->next)
        check_names(naming, child);
    FOR_EACH_IN(choice, tree_first(any)) {
        put(node, choice);
        bool fits = verdict_passes(
            judge_null(&naming->assertion, SIZE_MAX, &null_servers[naming->kind], naming->scratch, &why));
        check_names(naming, node);
        put(node, &whole);
        if (fits && first.data)
            fault_add(family_place(naming->assertion.play->group->family, naming->linter->faults), "any-exclusive",
                      "'%.*s' and a server that %s: both '%.*s' and '%.*s' of $any match",
                      STR_ARG(naming->assertion.id), null_servers[naming->kind].says, STR_ARG(first),
                      STR_ARG(choice->name));
        if (fits)
            first = choice->name;
    }
}

static void check_pattern(struct linter *linter, const struct assertion *assertion, size_t kind)
{
    struct arena scratch = memory_arena();
    struct str why;
    struct place place = family_place(assertion->play->group->family, linter->faults);
    if (judge_null(assertion, SIZE_MAX, &null_servers[kind], &scratch, &why) == VERDICT_ERROR)
        fault_add(place, "pattern", "'%.*s' and a server that %s: %s", STR_ARG(assertion->id), null_servers[kind].says,
                  str_printable(&scratch, why));
    else {
        struct tree *copy = tree_copy(&scratch, assertion->observation);
        struct naming naming = {linter, *assertion, kind, &scratch};
        naming.assertion.observation = copy;
        check_names(&naming, copy);
    }
    arena_free(&scratch);
}

static void check_open(struct linter *linter, const struct assertion *assertion)
{
    if (assertion->requirement->level != LEVEL_OPEN || assertion->of_refusal ||
        tree_member(assertion->observation, "$any"))
        return;
    struct place place = family_place(assertion->play->group->family, linter->faults);
    fault_add(place, "any-open", "'%.*s' is of level open and has no $any", STR_ARG(assertion->id));
}

void lint_null_servers(struct linter *linter)
{
    FOR_EACH(play, linter->plan->plays, linter->plan->play_count) {
        for (size_t a = 0; a < play->assertion_count; a++)
            check_open(linter, &play->assertions[a]);
        for (size_t kind = 0; kind < NULL_SERVER_COUNT; kind++) {
            if (null_servers[kind].transport != play->group->encoding->transport || play->not_applicable.size)
                continue;
            for (size_t a = 0; a < play->assertion_count; a++)
                check_pattern(linter, &play->assertions[a], kind);
            check_play(linter, play, kind);
        }
    }
}
