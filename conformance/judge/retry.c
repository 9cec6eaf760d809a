/* One recursion with play.c and reproduce.c: a play that does not pass is played again, without reports of the
 * exchange. */
#include "judge/retry.h"

#include "base/search.h"
#include "judge/history.h"
#include "judge/play.h"

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
    return !ANY(i, attempt->play->assertion_count,
                !verdict_passes(results[i].verdict) && results[i].verdict != again[i].verdict);
}

/* Plays the retry over new connections. Returns whether it is judged as it was. */
static bool succeeds(const struct attempt *attempt, const struct retry *retry)
{
    struct arena *arena = attempt->options->arena;
    struct play_options quiet = *attempt->options;
    struct exchange exchange;
    quiet.commands = false;
    quiet.histories = NULL;
    quiet.seen = NULL;
    quiet.attempt = attempt->play;
    quiet.client = client_create(quiet.client_options, arena);
    for (size_t i = 0; i < retry->before_count; i++) {
        const struct play *before = retry->before[i];
        struct result *ignored = arena_alloc_zero(arena, before->assertion_count, sizeof(*ignored));
        play_and_judge(&quiet, before, NULL, &exchange, ignored);
    }
    struct result *again = arena_alloc_zero(arena, attempt->play->assertion_count, sizeof(*again));
    play_and_judge(&quiet, attempt->play, attempt->base, &exchange, again);
    client_destroy(quiet.client);
    return !exchange.fault.size && !exchange.not_applicable.size && is_judged_so(attempt, again);
}

/* Whether it may be asked again. What changes models must not be done twice. */
static bool may_ask_again(const struct attempt *attempt, const struct history *history, const struct answer *answer)
{
    return answer->outcome != OUTCOME_LIMITED && !(answer->outcome == OUTCOME_TIMEOUT && history->hangs) &&
           !attempt->play->group->mutates && !run_is_interrupted(attempt->options->run);
}

struct retry retry_find(const struct play_options *options, const struct play *play, const struct tree *base,
                        const struct exchange *exchange, const struct result *results)
{
    static const size_t counts[] = {1, 2, 4, 8, 16, HISTORY_MAX - 1};
    struct history *history = options->histories ? &options->histories[exchange->request.endpoint->index] : NULL;
    const struct attempt attempt = {options, play, base, results};
    const struct retry by_curl = {.by_curl = true};
    if (!history || !history_has_others(history, play, exchange) ||
        !may_ask_again(&attempt, history, &exchange->answer))
        return by_curl;
    if (succeeds(&attempt, &by_curl)) {
        history->hangs |= exchange->answer.outcome == OUTCOME_TIMEOUT;
        return by_curl;
    }
    size_t others = history->count - 1;
    for (size_t i = 0; i < COUNT_OF(counts) && (i == 0 || counts[i - 1] < others); i++) {
        size_t count = counts[i] < others ? counts[i] : others;
        const struct retry retry = {.before = &history->plays[others - count], .before_count = count};
        if (succeeds(&attempt, &retry))
            return retry;
    }
    return by_curl;
}
