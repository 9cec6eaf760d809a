#include "judge/exchange.h"

#include "base/search.h"
#include "client/tape.h"
#include "judge/history.h"
#include "plan/request.h"
#include "support/seconds.h"

#include <time.h>

#define ASK_AGAIN_MS  20
#define SIZE_MUST_FIT 4096 /* bytes of a request that every server is expected to take */

struct str play_on_tape(const struct play_options *options, const struct play *play)
{
    struct str name = play->id;
    if (options->attempt)
        name = arena_printf(options->arena, "%.*s for %.*s", STR_ARG(name), STR_ARG(options->attempt->id));
    return options->flight ? arena_printf(options->arena, "%.*s number %zu", STR_ARG(name), options->flight) : name;
}

void exchange_decode(const struct group *group, struct exchange *exchange, struct arena *arena)
{
    exchange->tree =
        answer_tree(group->encoding, group->profile, &exchange->request, &exchange->answer, arena, &exchange->trouble);
}

/* Sends the request of the play and decodes the answer. `name`: of the exchange on a tape. */
static void make(const struct play_options *options, const struct play *play, struct str name,
                 struct exchange *exchange)
{
    struct arena *arena = options->arena;
    const struct group *group = play->group;
    *exchange = (struct exchange){.standard = options->standard};
    struct status status = play_request(play, options->run->target, arena, &exchange->request);
    if (status.code == STATUS_UNIMPLEMENTED)
        exchange->not_applicable = status.message;
    else if (!is_ok(status))
        exchange->fault = status.message;
    if (!is_ok(status))
        return;
    exchange->given_up =
        options->given_up ? options->given_up(options->context, play, &exchange->request) : (struct str){0};
    if (exchange->given_up.size)
        return;
    exchange->request.large = group->large;
    exchange->request.name = name;
    client_exchange(options->client, &exchange->request, options->extra, arena, &exchange->answer);
    if (options->histories)
        history_note(&options->histories[exchange->request.endpoint->index], play_whole(play), &exchange->request,
                     &exchange->answer);
    if (answer_is_seen(&exchange->answer))
        exchange_decode(group, exchange, arena);
}

const struct play *play_whole(const struct play *own)
{
    return FIRST(i, own->group->play_count, own->group->plays[i]->index == own->index, own->group->plays[i], own);
}

const struct play *play_standard(const struct play *play)
{
    return FIRST(i, play->assertion_count, play->assertions[i].standard, play->assertions[i].standard, NULL);
}

/* If there was no answer and a key of the case itself fails for that, the rows about refusals are blocked: one crash is
 * one failure. If no key of the case fails, they stay, because an error must still be answered as an error. */
static void settle_silence(const struct exchange *exchange, size_t count, bool strict, struct result *results)
{
    bool fails = false;
    if (exchange->answer.outcome == OUTCOME_ANSWERED || exchange->answer.outcome == OUTCOME_LIMITED)
        return;
    for (size_t i = 0; i < count; i++)
        fails = fails || (!results[i].assertion->of_refusal && result_fails(&results[i], strict));
    for (size_t i = 0; i < count && fails; i++)
        if (results[i].assertion->of_refusal) {
            results[i].verdict = VERDICT_BLOCKED;
            results[i].why = STR("there was no answer, so no refusal to look at");
        }
}

/* Sets what was asked and how that was answered, in each result. */
static void note_asked(const struct exchange *exchange, struct arena *arena, struct result *results, size_t count)
{
    const struct request *request = &exchange->request;
    const struct answer *answer = &exchange->answer;
    struct str asked = request->method.size
                           ? arena_printf(arena, "%.*s %.*s", STR_ARG(request->method), STR_ARG(request->path))
                           : str_behind_last(request->rpc, '/');
    struct str outcome = {0};
    if (answer->outcome == OUTCOME_ANSWERED && answer->status)
        outcome = arena_printf(arena, "%d", answer->status);
    else if (answer->outcome == OUTCOME_ANSWERED && !answer->open)
        outcome = tree_text(exchange->tree, "code");
    for (size_t i = 0; i < count; i++) {
        results[i].asked = asked;
        results[i].outcome = outcome;
    }
}

/* The bytes that the request sends, without its head. */
static size_t size_of(const struct request *request)
{
    return request->body.size + request->message.size + SUM(i, request->write_count, request->writes[i].size) +
           SUM(i, request->message_count, request->messages[i].size);
}

/* No document says how large the requests are that a server must accept. So if this one is refused as too large,
 * assertions that did not pass are not applicable, except those that every refusal must meet. (Over gRPC not even
 * those: the library refuses the request before the service sees it.) Small requests must be accepted. */
static void excuse_size(const struct play *play, const struct exchange *exchange, struct arena *arena,
                        struct result *results)
{
    const struct profile *profile = play->group->profile;
    size_t size = size_of(&exchange->request);
    if (size < SIZE_MUST_FIT || !profile->too_large || !match(profile->too_large, exchange->tree, arena, NULL, NULL))
        return;
    bool by_library = exchange->answer.code != 0;
    for (size_t i = 0; i < play->assertion_count; i++)
        if (!verdict_passes(results[i].verdict) && (by_library || !play->assertions[i].of_refusal)) {
            results[i].verdict = VERDICT_NOT_APPLICABLE;
            results[i].why = arena_printf(arena, "the target takes no request as large as this one (%zu bytes)", size);
        }
}

void exchange_own_controls(const struct play *play, struct arena *arena, struct result *results)
{
    size_t count = play->assertion_count;
    FOR_EACH(control, play->controls, play->control_count) {
        if (control->play != play || !control->assertion)
            continue;
        for (size_t i = 0; i < count; i++) {
            bool blocked_here = results[i].waits_for == play;
            if (results[i].assertion != control->assertion || verdict_passes(results[i].verdict) || blocked_here)
                continue;
            struct str why = arena_printf(arena, "its control %.*s did not pass", STR_ARG(control->assertion->id));
            for (size_t k = 0; k < count; k++)
                if (k != i && results[k].verdict != VERDICT_ERROR) {
                    results[k].verdict = VERDICT_BLOCKED;
                    results[k].why = why;
                    results[k].waits_for = play;
                }
        }
    }
}

void exchange_judge(const struct play *play, const struct exchange *exchange, const struct tree *base, bool strict,
                    struct arena *arena, struct result *results)
{
    size_t count = play->assertion_count;
    const struct observed observed = {.answer = &exchange->answer,
                                      .tree = exchange->tree,
                                      .trouble = exchange->trouble,
                                      .base = base,
                                      .standard = exchange->standard,
                                      .profile = play->group->profile,
                                      .strict = strict};
    for (size_t i = 0; i < count; i++)
        judge_assertion(&play->assertions[i], &observed, arena, &results[i]);
    settle_silence(exchange, count, strict, results);
    if (ANY(i, count,
            !results[i].assertion->of_refusal &&
                (verdict_passes(results[i].verdict) || results[i].verdict == VERDICT_WARN)))
        for (size_t i = 0; i < count; i++)
            if (play->assertions[i].of_refusal && results[i].verdict == VERDICT_BLOCKED)
                results[i].verdict = VERDICT_NOT_APPLICABLE;
    excuse_size(play, exchange, arena, results);
    exchange_own_controls(play, arena, results);
    note_asked(exchange, arena, results, count);
}

/* Whether the answer to an inference has outputs, be they right or wrong. */
static bool has_outputs(const struct exchange *exchange)
{
    const struct tree *outputs = tree_member(exchange->tree, "outputs");
    return outputs && outputs->type == TREE_ARRAY && outputs->count;
}

bool play_accepted(const struct play *base, const struct exchange *exchange, const struct result *results)
{
    bool infers = tree_member(base->act, "infer") != NULL;
    if (!answer_is_seen(&exchange->answer) || (infers && !answer_succeeds(exchange->tree, base->group->profile)))
        return false;
    if (infers && !plan_names_own_keys(base) && has_outputs(exchange))
        return true;
    return !ANY(i, base->assertion_count,
                plan_builds_on(base, &base->assertions[i]) && !verdict_passes(results[i].verdict));
}

void exchange_report(const struct play_options *options, const struct play *play, const struct exchange *exchange,
                     const struct result *results)
{
    if (options->run->on_exchange && !options->attempt)
        options->run->on_exchange(options->run->context, play, exchange, results);
}

static void exchange_once(const struct play_options *options, const struct play *play, struct str name,
                          const struct tree *base, struct exchange *exchange, struct result *results)
{
    make(options, play, name, exchange);
    if (!exchange_is_made(exchange))
        return;
    if (options->seen)
        options->seen(options->context, play, exchange);
    exchange_judge(play, exchange, base, options->run->strict, options->arena, results);
    exchange_report(options, play, exchange, results);
}

bool exchange_passes(const struct result *results, size_t count)
{
    return ALL(i, count, verdict_passes(results[i].verdict));
}

void exchange_until(const struct play_options *options, const struct play *play, const struct tree *base, double within,
                    struct exchange *exchange, struct result *results)
{
    bool is_cut = options->within_most > 0 && options->within_most < within;
    struct tape *tape = options->client_options->tape;
    struct str name = tape_turn(tape, play_on_tape(options, play), options->arena);
    double until = seconds_now() + (is_cut ? options->within_most : within);
    for (;;) {
        exchange_once(options, play, name, base, exchange, results);
        bool stop =
            run_is_interrupted(options->run) || (tape_plays(tape) && tape_is_over(tape, name, &exchange->request));
        if (!exchange_is_made(exchange) || exchange_passes(results, play->assertion_count) || seconds_now() >= until ||
            stop)
            break;
        if (!tape_plays(tape))
            nanosleep(&(struct timespec){.tv_nsec = ASK_AGAIN_MS * 1000000L}, NULL);
    }
}
