#include "watch/traffic.h"

#include "client/limit.h"
#include "judge/watchers.h"
#include "notation/variables.h"
#include "pattern/match.h"
#include "protocols/answer.h"

#include <stdio.h>

/* What is watched of a profile (fixtures/watch.json). */
struct watched_profile {
    const struct tree *rules, *rows;
    struct group group; /* of what passes: the profile, and the act that its bytes are */
};

struct traffic {
    const struct suite *suite;
    struct traffic_findings *findings;
    struct watched_profile *profiles;
    size_t count;
    struct list watchers; /* const struct play */
};

/* --- watch.json --- */

static void read_profile(const struct suite *suite, const struct tree *rules, struct watched_profile *watched)
{
    const struct profile *profile = registry_profile(&suite->registry, rules->name);
    const struct tree *other = tree_member_str(suite->watched, tree_text(rules, "rows_of"));
    const struct tree *rows = tree_member(other ? other : rules, "rows");
    bool is_grpc = profile->endpoint->transport == TRANSPORT_GRPC;
    *watched = (struct watched_profile){.rules = rules, .rows = tree_first(rows)};
    watched->group =
        (struct group){.profile = profile, .encoding = registry_act(&suite->registry, is_grpc ? ACT_GRPC : ACT_HTTP)};
}

struct traffic *traffic_new(const struct suite *suite, const struct plan *plan, struct traffic_findings *findings,
                            struct arena *arena)
{
    struct traffic *traffic = arena_new_of(arena, struct traffic);
    const struct tree *rules = tree_first(suite->watched);
    *traffic = (struct traffic){.suite = suite, .findings = findings};
    traffic->profiles = arena_alloc_zero(arena, rules ? suite->watched->count : 1, sizeof(struct watched_profile));
    for (; rules; rules = rules->next)
        if (registry_profile(&suite->registry, rules->name))
            read_profile(suite, rules, &traffic->profiles[traffic->count++]);
    for (size_t i = 0; i < plan->play_count; i++)
        if (plan->plays[i].watches)
            list_append(&traffic->watchers, &plan->plays[i], arena);
    return traffic;
}

/* --- One exchange --- */

/* An exchange while it is judged. */
struct judging {
    struct traffic *traffic;
    struct watched_profile *watched;
    struct passed *passed;
    struct arena *arena;
    struct str asked;           /* "POST /v2/models/add/infer", or the name of the rpc */
    const struct tree *request; /* request_tree(); NULL: the request did not come as a whole */
    size_t fault_count;         /* of the request */
    bool may_be_refused;        /* a refusal of it has the form that the profile demands of one */
    struct play play;           /* a watcher's; its assertions: what becomes of a request that is wrong */
    struct exchange exchange;
};

static bool fits(const struct judging *judging, const struct tree *pattern, const struct tree *value)
{
    return !pattern || match_in_order(pattern, value, judging->arena, NULL, NULL);
}

static struct watched_profile *watched_of(const struct judging *judging)
{
    const struct traffic *traffic = judging->traffic;
    const struct tree *asked = tree_string(judging->arena, judging->asked);
    for (size_t i = 0; i < traffic->count; i++) {
        struct watched_profile *watched = &traffic->profiles[i];
        const struct tree *of = tree_member(watched->rules, "of");
        if (of && watched->group.profile->endpoint == judging->passed->endpoint && fits(judging, of, asked))
            return watched;
    }
    return NULL;
}

/* Whether the row binds whatever edition of the documents somebody follows, which traffic does not tell. */
static bool is_of_all_editions(const struct judging *judging, const struct requirement *row)
{
    const struct registry *registry = &judging->traffic->suite->registry;
    return ALL_IN(edition, tree_first(registry->editions), registry_in_edition(registry, row->sources, edition->name));
}

/* A query is left out of what is told: it may be a secret. */
static void add_finding(const struct judging *judging, enum side side, const struct requirement *row, struct str why,
                        struct str received)
{
    if (!is_of_all_editions(judging, row))
        return;
    const char *query = memchr(judging->asked.data, '?', judging->asked.size);
    struct str asked = {judging->asked.data, query ? (size_t)(query - judging->asked.data) : judging->asked.size};
    if (match_is_suite_fault(why))
        traffic_not_judged(judging->traffic,
                           arena_printf(judging->arena, "a fault in a pattern for %.*s", STR_ARG(row->key)).data);
    else
        findings_add(
            judging->traffic->findings,
            &(struct traffic_finding){.side = side, .row = row, .asked = asked, .why = why, .received = received});
}

/* --- The client --- */

static bool is_of(const struct judging *judging, const struct tree *row)
{
    const struct tree *on = tree_member(row, "on");
    return fits(judging, tree_member(on, "asked"), tree_string(judging->arena, judging->asked)) &&
           fits(judging, tree_member(on, "request"), judging->request);
}

/* The server, too, is held to a row about wrong requests that demands or advises how they are answered: as `answered`
 * says, else by a refusal. A pattern says itself what the answer has; a word says nothing of the form. */
static void expect_refusal(struct judging *judging, const struct requirement *row, const struct tree *answered)
{
    static const struct tree refused = {.type = TREE_STRING, .text = {"refused", 7}};
    if (row->level > LEVEL_SHOULD || row->layer == LAYER_ANSWERS)
        return;
    const struct tree *observation = answered ? answered : &refused;
    judging->may_be_refused |= observation->type == TREE_STRING;
    judging->play.assertions[judging->play.assertion_count++] =
        (struct assertion){.requirement = row, .observation = observation, .play = &judging->play};
}

/* Returns why the request does not fit: of what does not decode, and so is not there, that reason says more. */
static struct str reason_of(const struct judging *judging, struct str why)
{
    struct str no_json = tree_text(judging->request, "no_json"), trouble = tree_text(judging->request, "trouble");
    struct str reason = no_json.size ? no_json : trouble;
    return reason.size && (match_found_nothing(why) || str_starts(why, STR("/trouble"))) ? reason : why;
}

static void judge_sent(struct judging *judging, const struct tree *row)
{
    const struct tree *keys = tree_member(row, "sent");
    struct str why;
    FOR_EACH_IN(key, tree_first(keys)) {
        const struct requirement *requirement = ledger_find(&judging->traffic->suite->ledger, key->name);
        if (!requirement || match_in_order(key, judging->request, judging->arena, &why, NULL))
            continue;
        judging->fault_count++;
        add_finding(judging, SIDE_CLIENT, requirement, reason_of(judging, why), (struct str){0});
        expect_refusal(judging, requirement, tree_member(row, "answered"));
    }
}

static size_t count_keys(const struct judging *judging)
{
    size_t count = 0;
    FOR_EACH_IN(row, judging->watched->rows)
        count += tree_member(row, "sent") ? tree_member(row, "sent")->count : 0;
    return count;
}

/* Judges the request, or one message of it. */
static void judge_request(struct judging *judging)
{
    judging->request = request_tree(judging->watched->group.profile, &judging->passed->request, judging->arena);
    judging->play.assertions = arena_alloc_zero(judging->arena, count_keys(judging) + 1, sizeof(struct assertion));
    judging->play.assertion_count = 0;
    FOR_EACH_IN(row, judging->watched->rows)
        if (is_of(judging, row))
            judge_sent(judging, row);
}

/* --- The server --- */

static void add_result(const struct judging *judging, const struct result *result)
{
    const struct requirement *row = result->assertion->requirement;
    struct str why = result->why;
    struct str named = arena_printf(judging->arena, "in the answer to %.*s: ", STR_ARG(judging->play.id));
    if (verdict_passes(result->verdict) || result->verdict > VERDICT_ERROR)
        return;
    add_finding(judging, SIDE_SERVER, row, str_starts(why, named) ? str_from(why, named.size) : why, result->received);
}

static void judge_pattern(const struct judging *judging, const struct assertion *assertion)
{
    const struct exchange *exchange = &judging->exchange;
    const struct observed observed = {.answer = &exchange->answer,
                                      .tree = exchange->tree,
                                      .trouble = exchange->trouble,
                                      .profile = judging->watched->group.profile};
    struct result result;
    judge_assertion(assertion, &observed, judging->arena, &result);
    add_result(judging, &result);
}

/* Judges the answer to a wrong request: it must be refused, in the right form. If a request is wrong in several ways,
 * another server may understand some of them, so it may be served. */
static void judge_refusal(struct judging *judging)
{
    const struct profile *profile = judging->watched->group.profile;
    bool is_refused =
        judging->may_be_refused && judging->exchange.tree && fits(judging, profile->refused, judging->exchange.tree);
    for (size_t i = 0; i < judging->play.assertion_count && judging->fault_count == 1; i++)
        judge_pattern(judging, &judging->play.assertions[i]);
    for (size_t i = 0; i < profile->row_count && is_refused; i++)
        judge_pattern(judging, &(struct assertion){
                                   .requirement = ledger_find(&judging->traffic->suite->ledger, profile->rows[i].key),
                                   .observation = profile->rows[i].expect,
                                   .of_refusal = true,
                                   .play = &judging->play});
}

/* What the answer must have of the request. */
static void judge_expected(struct judging *judging, const struct tree *row)
{
    const struct variable request = {.name = STR("request"), .value = judging->request};
    const struct variables variables = {.list = &request, .count = 1};
    const struct tree *keys = tree_member(row, "expect");
    struct tree *pattern;
    FOR_EACH_IN(key, tree_first(keys)) {
        const struct requirement *row_of_key = ledger_find(&judging->traffic->suite->ledger, key->name);
        if (row_of_key && is_ok(variables_resolve(key, &variables, judging->arena, &pattern)))
            judge_pattern(judging, &(struct assertion){
                                       .requirement = row_of_key, .observation = pattern, .play = &judging->play});
    }
}

static void judge_by_watchers(const struct judging *judging)
{
    const struct list *watchers = &judging->traffic->watchers;
    for (size_t i = 0; i < watchers->count; i++) {
        const struct play *watcher = watchers->items[i];
        struct result *results = arena_alloc_zero(judging->arena, watcher->assertion_count, sizeof *results);
        if (watchers_judge(watcher, &judging->play, &judging->exchange, false, judging->arena, results))
            for (size_t k = 0; k < watcher->assertion_count; k++)
                add_result(judging, &results[k]);
    }
}

/* Returns under which profile watchers look at the answer: its form may be that of an extension. */
static struct group *group_of_answer(struct judging *judging)
{
    const struct traffic *traffic = judging->traffic;
    for (size_t i = 0; i < traffic->count && judging->exchange.tree; i++) {
        struct watched_profile *watched = &traffic->profiles[i];
        const struct tree *answer = tree_member(watched->rules, "answer");
        if (answer && watched->group.profile->endpoint == judging->passed->endpoint &&
            fits(judging, answer, judging->exchange.tree))
            return &watched->group;
    }
    return &judging->watched->group;
}

static void judge_answer(struct judging *judging)
{
    struct exchange *exchange = &judging->exchange;
    exchange->request = judging->passed->request;
    exchange->answer = judging->passed->answer;
    exchange->answer.large = true;
    if (answer_is_seen(&exchange->answer))
        exchange_decode(&judging->watched->group, exchange, judging->arena);
    if (exchange->answer.outcome != OUTCOME_CLOSED)
        judge_refusal(judging);
    judging->play.group = group_of_answer(judging);
    judge_by_watchers(judging);
    /* What becomes of a wrong request that is served concerns no right client. */
    bool is_right = judging->request && judging->fault_count == 0;
    for (const struct tree *row = judging->watched->rows; row && is_right && exchange->tree; row = row->next)
        if (is_of(judging, row) && fits(judging, tree_member(tree_member(row, "on"), "answer"), exchange->tree))
            judge_expected(judging, row);
}

static struct str line_of(const struct request *request, struct arena *arena)
{
    const char *slash = request->rpc.size ? memrchr(request->rpc.data, '/', request->rpc.size) : NULL;
    return slash ? str_from(request->rpc, (size_t)(slash - request->rpc.data) + 1)
                 : arena_printf(arena, "%.*s %.*s", STR_ARG(request->method), STR_ARG(request->path));
}

void traffic_exchange(struct traffic *traffic, struct passed *passed, struct arena *arena)
{
    struct judging judging = {.traffic = traffic, .passed = passed, .arena = arena};
    passed->request.endpoint = passed->endpoint;
    judging.asked = line_of(&passed->request, arena);
    judging.watched = watched_of(&judging);
    traffic->findings->exchanges++;
    if (!judging.watched) {
        traffic_not_judged(traffic, "an exchange that belongs to no watched profile");
        return;
    }
    bool streams = tree_is_true(judging.watched->rules, "streams");
    judging.play = (struct play){.id = judging.asked, .group = &judging.watched->group, .watches = true};
    traffic->findings->judged++;
    for (size_t i = 0; passed->is_asked && i < (streams ? passed->request.message_count : 1); i++) {
        if (passed->request.message_count)
            passed->request.message = passed->request.messages[i];
        judge_request(&judging);
    }
    if (passed->is_answered && limit_is_reached(&passed->answer))
        traffic_not_judged(traffic, "an answer that limits requests");
    else if (passed->is_answered && !streams)
        judge_answer(&judging);
}

void traffic_not_judged(struct traffic *traffic, const char *why)
{
    findings_add_unjudged(traffic->findings, str_of(why));
}

void traffic_unreachable(struct traffic *traffic, struct str target, struct str why)
{
    fprintf(traffic->findings->console, "%.*s cannot be reached: %.*s\n", STR_ARG(target), STR_ARG(why));
    fflush(traffic->findings->console);
}
