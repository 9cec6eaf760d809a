/* Plays the steps of a case in order. A step that does not pass does not stop the later ones; only one that cannot be
 * sent, or whose answer lacks a value to save, does. It is one recursion with reproduce.c and retry.c: a play that does
 * not pass is played again. */
#include "judge/play.h"

#include "base/search.h"
#include "judge/connections.h"
#include "judge/flights.h"
#include "judge/reproduce.h"
#include "judge/saved.h"
#include "judge/streams.h"
#include "support/seconds.h"

struct playing {
    const struct play_options *options;
    const struct play *play;
    const struct tree *base;
    struct connections connections;
    struct saved saved;
    struct streams streams;
    struct flight *flights; /* requests of steps of WAY_SEND, the last one first */
    const struct step *now; /* the step that is played now */
    struct exchange *last;
    struct result *results;
};

/* --- Several verdicts for one key --- */

static void merge(struct result *result, const struct result *other)
{
    if (result->assertion == NULL || verdict_is_graver(other->verdict, result->verdict))
        *result = *other;
}

/* In a case with several steps, adds the number of the step to what was received. */
static void name_step(const struct playing *playing, struct result *result)
{
    const struct play *play = playing->play;
    size_t steps = play->step_count - play->finally_count;
    if (steps > 1 && result->received.size)
        result->received = arena_printf(playing->options->arena, "step %zu of %zu%s%.*s: %.*s",
                                        (size_t)(playing->now - play->steps) + 1, steps, result->asked.size ? ", " : "",
                                        STR_ARG(result->asked), STR_ARG(result->received));
}

/* Merges the verdicts of a step into the play's assertions of the same keys; the gravest one stays. */
static void merge_step(const struct playing *playing, const struct play *own, struct result *results)
{
    const struct play *play = playing->play;
    for (size_t i = 0; i < own->assertion_count; i++) {
        name_step(playing, &results[i]);
        for (size_t k = 0; k < play->assertion_count; k++)
            if (play->assertions[k].requirement == own->assertions[i].requirement)
                merge(&playing->results[k], &results[i]);
    }
}

/* --- One step, by its way --- */

static void judge_step(const struct playing *playing, const struct play *own, const struct exchange *exchange,
                       struct result *results)
{
    const struct play_options *options = playing->options;
    exchange_judge(own, exchange, playing->base, options->run->strict, options->arena, results);
    reproduce_add(options, own, playing->base, exchange, results, own->assertion_count);
}

/* Whether a request is under way whose answer a later step reads. */
static bool is_in_flight(const struct playing *playing)
{
    return ANY_IN(flight, playing->flights, !flight->landed);
}

/* A target may load or unload a model later than it answers the request to do so. So in a group that changes models, a
 * step that does not pass is repeated, unless it loads or unloads itself. While another request of the case is in
 * flight, and may hold the model, it is repeated only for `settles_within` seconds. */
static void wait_for_orders(struct playing *playing, const struct step *step, const struct play *own,
                            struct exchange *exchange, struct result *results)
{
    const struct play_options *options = playing->options;
    size_t count = own->assertion_count;
    double until = seconds_now() + options->run->target->flags.load_timeout;
    if (options->settles_within <= 0 || step->is_order || exchange_passes(results, count))
        return;
    do
        exchange_until(options, own, playing->base, options->settles_within, exchange, results);
    while (exchange_is_made(exchange) && !exchange_passes(results, count) && seconds_now() < until &&
           !run_is_interrupted(options->run) && !is_in_flight(playing) && options->settles(options->keeper));
}

static void exchange_whole(struct playing *playing, const struct step *step, const struct play *own,
                           struct exchange *exchange, struct result *results)
{
    exchange_until(playing->options, own, playing->base, step->within, exchange, results);
    if (exchange_is_made(exchange))
        wait_for_orders(playing, step, own, exchange, results);
    reproduce_add(playing->options, own, playing->base, exchange, results, own->assertion_count);
}

static void exchange_bytes(struct playing *playing, const struct step *step, const struct play *own,
                           struct exchange *exchange, struct result *results)
{
    struct request sent;
    connections_step(&playing->connections, playing->options, step, own, exchange, &sent);
    if (exchange->fault.size)
        return;
    struct exchange of_step = *exchange; /* only with the bytes of this step */
    of_step.request = sent;
    if (own->assertion_count)
        judge_step(playing, own, exchange, results);
    exchange_report(playing->options, own, &of_step, own->assertion_count ? results : NULL);
}

static void exchange_stream(struct playing *playing, const struct step *step, const struct play *own,
                            struct exchange *exchange, struct result *results)
{
    streams_step(&playing->streams, playing->options, step, own, exchange);
    if (exchange->fault.size)
        return;
    if (step->reads)
        judge_step(playing, own, exchange, results);
    exchange_report(playing->options, own, exchange, step->reads ? results : NULL);
}

/* Makes a flight of the step. Returns a fault, in the arena of the play, or an empty str. */
static struct str make_flight(struct playing *playing, const struct step *step, size_t number, struct flight *flight)
{
    flight_open(flight, playing->options);
    flight->options.flight = number + 1;
    flight->conn = step->conn;
    flight->base = playing->base;
    flight->within = step->within;
    flight->results = arena_alloc_zero(playing->options->arena, step->play->assertion_count, sizeof *flight->results);
    return arena_copy(playing->options->arena,
                      saved_resolve(&playing->saved, step, number, &flight->arena, &flight->own));
}

/* Merges what a flight that has landed brought into the results and the exchange of its step, and closes it. */
static void merge_flight(const struct playing *playing, const struct step *step, struct flight *flight,
                         struct exchange *exchange)
{
    struct arena *arena = playing->options->arena;
    const struct exchange *own = &flight->exchange;
    size_t count = step->play->assertion_count;
    reproduce_add(&flight->options, &flight->own, playing->base, own, flight->results, count);
    for (size_t i = 0; i < count; i++)
        flight->results[i] = result_keep(arena, NULL, &flight->results[i]);
    if (own->fault.size && !exchange->fault.size)
        exchange->fault = arena_copy(arena, own->fault);
    if (own->not_applicable.size)
        exchange->not_applicable = arena_copy(arena, own->not_applicable);
    if (own->given_up.size)
        exchange->given_up = arena_copy(arena, own->given_up);
    if (exchange_is_made(exchange))
        merge_step(playing, step->play, flight->results);
    exchange->answer.outcome = own->answer.outcome;
    exchange->answer.trouble = arena_copy(arena, own->answer.trouble);
    flight_close(flight);
}

/* Plays the step as many times at once as it says, each on a connection of its own. */
static void exchange_together(struct playing *playing, const struct step *step, struct exchange *exchange)
{
    struct arena *arena = playing->options->arena;
    size_t ready = 0;
    struct flight *all = arena_alloc_zero(arena, step->together, sizeof *all);
    *exchange = (struct exchange){0};
    while (ready < step->together && !exchange->fault.size) {
        exchange->fault = make_flight(playing, step, ready, &all[ready]);
        ready++;
    }
    for (size_t i = 0; i < ready && !exchange->fault.size; i++)
        exchange->fault = flight_start(&all[i]);
    for (size_t i = 0; i < ready; i++)
        flight_land(&all[i]);
    for (size_t i = 0; i < ready; i++)
        merge_flight(playing, step, &all[i], exchange);
}

/* Sends the request of the step, whose answer a later step reads. Nothing is judged here. */
static void exchange_begin(struct playing *playing, const struct step *step, struct exchange *exchange)
{
    struct flight *flight = arena_new_of(playing->options->arena, struct flight);
    struct str fault = make_flight(playing, step, 0, flight);
    if (!fault.size)
        fault = flight_start(flight);
    *exchange = (struct exchange){.fault = fault, .answer.outcome = OUTCOME_ANSWERED};
    flight->next = playing->flights;
    playing->flights = flight;
}

/* Waits for the answer to the request that was sent on the step's connection, and judges it. What is kept of it lies in
 * the arena of the play, for the flight's own is freed before the play ends. */
static void exchange_end(struct playing *playing, const struct step *step, const struct play *own,
                         struct exchange *exchange, struct result *results)
{
    struct flight *flight = FIND_IN(one, playing->flights, str_equal(one->conn, step->conn));
    if (!flight) {
        *exchange = (struct exchange){.fault = STR("nothing was sent on the connection")};
        return;
    }
    flight_land(flight);
    struct arena *arena = playing->options->arena;
    const struct exchange *landed = &flight->exchange;
    judge_step(playing, own, landed, results);
    for (size_t i = 0; i < own->assertion_count; i++)
        results[i] = result_keep(arena, NULL, &results[i]);
    *exchange = (struct exchange){.fault = arena_copy(arena, landed->fault),
                                  .not_applicable = arena_copy(arena, landed->not_applicable),
                                  .given_up = arena_copy(arena, landed->given_up),
                                  .answer.outcome = landed->answer.outcome,
                                  .answer.trouble = arena_copy(arena, landed->answer.trouble),
                                  .tree = landed->tree ? tree_copy_whole(arena, landed->tree) : NULL};
}

/* --- Steps --- */

static void (*const ways[])(struct playing *playing, const struct step *step, const struct play *own,
                            struct exchange *exchange, struct result *results) = {
    [WAY_EXCHANGE] = exchange_whole,
    [WAY_BYTES] = exchange_bytes,
    [WAY_READ] = exchange_end,
    [WAY_STREAM] = exchange_stream,
};

static void play_step_once(struct playing *playing, const struct step *step, struct exchange *exchange)
{
    struct arena *arena = playing->options->arena;
    struct play own;
    struct str fault = saved_resolve(&playing->saved, step, 0, arena, &own);
    struct result *results = arena_alloc_zero(arena, step->play->assertion_count, sizeof *results);
    if (fault.size) {
        *exchange = (struct exchange){.fault = fault};
        return;
    }
    ways[step->way](playing, step, &own, exchange, results);
    if (exchange_is_made(exchange))
        merge_step(playing, &own, results);
    saved_keep(&playing->saved, step, exchange->tree);
}

static bool play_step(struct playing *playing, const struct step *step)
{
    playing->now = step;
    for (size_t i = 0; i < step->times; i++) {
        struct exchange exchange;
        if (step->together > 1)
            exchange_together(playing, step, &exchange);
        else if (step->way == WAY_SEND)
            exchange_begin(playing, step, &exchange);
        else
            play_step_once(playing, step, &exchange);
        if (playing->saved.lacking.size)
            exchange.fault = (struct str){0}; /* the target's, not the suite's */
        bool failed = !exchange_is_made(&exchange);
        if (failed || exchange.tree || !playing->last->tree)
            *playing->last = exchange;
        if (failed || playing->saved.lacking.size || playing->connections.again)
            return false;
    }
    return true;
}

/* Replaces the assertions of the steps by those of the play; a key that no step reached is blocked. */
static void settle(struct playing *playing)
{
    const struct play *play = playing->play;
    for (size_t i = 0; i < play->assertion_count; i++) {
        struct result *result = &playing->results[i];
        if (!result->assertion) {
            result->verdict = VERDICT_BLOCKED;
            result->why =
                playing->saved.lacking.size
                    ? arena_printf(playing->options->arena, "an earlier answer lacks %.*s, which this step needs",
                                   STR_ARG(playing->saved.lacking))
                    : STR("the step that expects it was not played");
        }
        result->assertion = &play->assertions[i];
    }
    exchange_own_controls(play, playing->options->arena, playing->results);
}

/* Plays the steps of `finally`, whatever happened, and without a deviation: they undo what the others did. They give no
 * answer to the case. */
static void play_finally(struct playing *playing)
{
    const struct play *play = playing->play;
    struct play_options plain = *playing->options;
    struct playing after = *playing;
    struct exchange ignored = {0};
    plain.extra = NULL;
    plain.seen = NULL;
    plain.given_up = NULL;
    after.options = &plain;
    after.last = &ignored;
    for (size_t i = play->step_count - play->finally_count; i < play->step_count; i++)
        play_step(&after, &play->steps[i]);
    playing->connections = after.connections;
    playing->flights = after.flights;
}

static void play_steps(struct playing *playing)
{
    const struct play *play = playing->play;
    const struct play_options *options = playing->options;
    size_t own = play->step_count - play->finally_count;
    for (size_t i = 0; i < own && !run_is_interrupted(options->run); i++)
        if (!play_step(playing, &play->steps[i]))
            break;
    streams_close(&playing->streams);
    play_finally(playing);
    for (; playing->flights; playing->flights = playing->flights->next)
        flight_close(playing->flights);
    connections_close(&playing->connections);
    settle(playing);
}

void play_and_judge(const struct play_options *options, const struct play *play, const struct tree *base,
                    struct exchange *exchange, struct result *results)
{
    *exchange = (struct exchange){0};
    if (!play->step_count) {
        exchange_until(options, play, base, 0, exchange, results);
        reproduce_add(options, play, base, exchange, results, play->assertion_count);
        return;
    }
    struct limit limit = {0};
    bool again = true;
    while (again) {
        *exchange = (struct exchange){0};
        memset(results, 0, play->assertion_count * sizeof *results);
        struct playing playing = {.options = options,
                                  .play = play,
                                  .base = base,
                                  .saved.arena = options->arena,
                                  .last = exchange,
                                  .results = results,
                                  .connections.limit = &limit};
        play_steps(&playing);
        again = playing.connections.again;
    }
}
