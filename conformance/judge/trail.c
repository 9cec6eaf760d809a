#include "judge/trail.h"

#include "base/count.h"
#include "judge/play.h"

static bool is_another(const struct trail *trail, const struct play *play)
{
    return trail->count == 0 || trail->plays[trail->count - 1]->index != play->index;
}

/* Whether the request had a connection of its own. Nobody knows that of a call of gRPC. */
static bool has_own_connection(const struct request *request)
{
    return str_is(request->http_version, "HTTP/2") || request->framed || request->bare;
}

void trail_note(struct trail *trail, const struct play *play, const struct request *request,
                const struct answer *answer)
{
    if (has_own_connection(request))
        return;
    if (request_is_http(request) && !answer->reused)
        trail->count = 0;
    if (!is_another(trail, play))
        return;
    if (trail->count == TRAIL_MAX) {
        trail->count--;
        memmove(trail->plays, trail->plays + 1, trail->count * sizeof(trail->plays[0]));
    }
    trail->plays[trail->count++] = play_whole(play);
}

/* An exchange that did not pass, and how it is tried once more. */
struct attempt {
    const struct play_options *options;
    const struct play *play;
    const struct tree *base;
    const struct result *results;
};

/* Whether the assertions that did not pass have the same verdicts again. */
static bool is_judged_so(const struct attempt *attempt, const struct result *again)
{
    const struct result *results = attempt->results;
    for (size_t i = 0; i < attempt->play->assertion_count; i++)
        if (!verdict_passes(results[i].verdict) && results[i].verdict != again[i].verdict)
            return false;
    return true;
}

/* Plays the encore over new connections. Returns whether it is judged as it was. */
static bool succeeds(const struct attempt *attempt, const struct encore *encore)
{
    struct arena *arena = attempt->options->arena;
    struct play_options quiet = *attempt->options;
    struct exchange exchange;
    quiet.commands = false;
    quiet.trails = NULL;
    quiet.seen = NULL;
    quiet.exchanged = NULL;
    quiet.by_curl = encore->by_curl;
    if (!is_ok(client_create(quiet.client_options, arena, &quiet.client)))
        return false;
    for (size_t i = 0; i < encore->before_count; i++) {
        const struct play *before = encore->before[i];
        struct result *ignored = arena_alloc_zero(arena, before->assertion_count, sizeof(*ignored));
        play_and_judge(&quiet, before, NULL, &exchange, ignored);
    }
    struct result *again = arena_alloc_zero(arena, attempt->play->assertion_count, sizeof(*again));
    play_and_judge(&quiet, attempt->play, attempt->base, &exchange, again);
    client_destroy(quiet.client);
    return !exchange.fault.size && !exchange.not_applicable.size && is_judged_so(attempt, again);
}

/* Whether it may be asked again. What changes models must not be done twice. */
static bool may_ask_again(const struct attempt *attempt, const struct trail *trail, const struct answer *answer)
{
    const volatile int *interrupted = attempt->options->interrupted;
    return answer->outcome != OUTCOME_LIMITED && !(answer->outcome == OUTCOME_TIMEOUT && trail->hangs) &&
           !attempt->play->group->mutates && !(interrupted && *interrupted);
}

/* Whether others went over the connection of the exchange before it. */
static bool is_behind_others(const struct trail *trail, const struct play *play, const struct exchange *exchange)
{
    return !has_own_connection(&exchange->request) && !is_another(trail, play) &&
           (!request_is_http(&exchange->request) || exchange->answer.reused);
}

struct encore trail_encore(const struct play_options *options, const struct play *play, const struct tree *base,
                           const struct exchange *exchange, const struct result *results)
{
    static const size_t counts[] = {0, 1, 2, 4, 8, 16, TRAIL_MAX - 1};
    struct trail *trail = options->trails ? &options->trails[exchange->request.endpoint->index] : NULL;
    const struct attempt attempt = {options, play, base, results};
    const struct encore by_curl = {.by_curl = true};
    if (!trail || !is_behind_others(trail, play, exchange) || !may_ask_again(&attempt, trail, &exchange->answer))
        return by_curl;
    if (succeeds(&attempt, &by_curl)) {
        trail->hangs |= exchange->answer.outcome == OUTCOME_TIMEOUT;
        return by_curl;
    }
    size_t others = trail->count - 1;
    for (size_t i = request_is_http(&exchange->request); i < COUNT_OF(counts) && (i == 0 || counts[i - 1] < others);
         i++) {
        size_t count = counts[i] < others ? counts[i] : others;
        const struct encore encore = {.before = &trail->plays[others - count], .before_count = count};
        if (succeeds(&attempt, &encore))
            return encore;
    }
    return by_curl;
}
