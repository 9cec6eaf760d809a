/* Plays the steps of a case in order. A step that misses its expectation does not stop the steps behind it; only a step
 * that cannot be sent, or that lacks a value to save, does. Connections of tcp steps live as long as the play. Steps
 * that are played together have a thread and a client each, and start at the same time. */
#include "judge/play.h"

#include "client/limit.h"
#include "client/tcp.h"
#include "judge/sent.h"
#include "judge/streams.h"
#include "notation/variables.h"
#include "plan/request.h"
#include "support/memory.h"
#include "support/seconds.h"
#include "tree/pointer.h"

#include <pthread.h>
#include <time.h>

#define CONNECTIONS_MAX 16
#define SAVED_MAX       32
#define ASK_AGAIN_MS    20

struct connection {
    struct str name;
    struct tcp *tcp;
    struct list written; /* struct str: all bytes that were written so far, for commands */
};

struct progress {
    const struct play_options *options;
    const struct play *play;
    const struct tree *base;
    struct connection connections[CONNECTIONS_MAX];
    size_t connection_count;
    struct variable saved[SAVED_MAX];
    size_t saved_count;
    struct flight *flights; /* requests of WAY_SEND, the last first */
    struct streams streams;
    struct str lacking; /* pointer to a value that an answer lacks although later steps need it; or empty */
    struct exchange *last;
    struct result *results;
    struct limit *limit; /* how long the play has waited for a target that limits requests */
    bool again;          /* it limited a step of bytes: the whole play must be played again */
};

/* --- Commands that send a request again --- */

struct again play_again(const struct play_options *options, const struct profile *profile,
                        const struct exchange *exchange, struct str name)
{
    const struct request *request = &exchange->request;
    struct buf bytes = {0};
    for (size_t i = 0; i < request->write_count; i++)
        buf_append_str(&bytes, request->writes[i]);
    struct again again = {.sent = sent_describe(profile, request, options->arena),
                          .grpcurl = sent_grpcurl(options->client_options, request, options->protos, options->arena)};
    if (bytes.size)
        again.command = tcp_command(options->client_options, client_address(options->client_options, request->endpoint),
                                    buf_str(&bytes), options->arena);
    else if (request->path.size || request->rpc.size)
        again.command = client_command(options->client_options, request, options->evidence, name, options->arena);
    buf_free(&bytes);
    return again;
}

static bool wants_command(const struct result *result)
{
    return result->verdict >= VERDICT_WARN && result->verdict <= VERDICT_ERROR;
}

void play_add_commands(const struct play_options *options, const struct exchange *exchange, struct str name,
                       struct result *results, size_t count)
{
    struct again again = {0};
    for (size_t i = 0; i < count && options->commands; i++) {
        if (!wants_command(&results[i]))
            continue;
        if (!again.command.data)
            again = play_again(options, results[i].assertion->play->group->profile, exchange, name);
        results[i].sent = again.sent;
        results[i].command = again.command;
        results[i].grpcurl = again.grpcurl;
    }
}

/* --- One exchange --- */

static void tell(const struct play_options *options, const struct play *play, const struct exchange *exchange)
{
    if (options->exchanged)
        options->exchanged(options->exchanged_context, play, exchange);
}

static void exchange_once(const struct play_options *options, const struct play *play, const struct tree *base,
                          struct exchange *exchange, struct result *results)
{
    exchange_make(options->client, play, options->target, options->extra, options->arena, exchange);
    if (exchange->not_applicable.size || exchange->fault.size)
        return;
    exchange->standard = options->standard;
    tell(options, play, exchange);
    if (options->seen)
        options->seen(options->context, play, exchange);
    exchange_judge(play, exchange, base, options->strict, options->arena, results);
}

static bool all_pass(const struct result *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!verdict_passes(results[i].verdict))
            return false;
    return true;
}

/* Repeats the exchange until every assertion passes, for at most `within` seconds. `name` is for commands. */
static void exchange_until(const struct play_options *options, const struct play *play, struct str name,
                           const struct tree *base, double within, struct exchange *exchange, struct result *results)
{
    double until = seconds_now() + within;
    for (;;) {
        exchange_once(options, play, base, exchange, results);
        bool stop = options->interrupted && *options->interrupted;
        if (exchange->fault.size || exchange->not_applicable.size || all_pass(results, play->assertion_count) ||
            seconds_now() >= until || stop)
            break;
        nanosleep(&(struct timespec){.tv_nsec = ASK_AGAIN_MS * 1000000L}, NULL);
    }
    if (!exchange->fault.size && !exchange->not_applicable.size)
        play_add_commands(options, exchange, name, results, play->assertion_count);
}

/* --- Several verdicts for one key --- */

static void merge(struct result *result, const struct result *other)
{
    if (result->assertion == NULL || verdict_is_graver(other->verdict, result->verdict))
        *result = *other;
}

/* Merges the verdicts of a step into the play's assertions of the same keys; the gravest one stays. */
static void merge_step(const struct progress *progress, const struct play *own, const struct result *results)
{
    const struct play *play = progress->play;
    for (size_t i = 0; i < own->assertion_count; i++)
        for (size_t k = 0; k < play->assertion_count; k++)
            if (play->assertions[k].requirement == own->assertions[i].requirement)
                merge(&progress->results[k], &results[i]);
}

/* --- Values that are known only now --- */

/* Makes ${i}: the number of a play among those that are played together, or its value in the list. */
static struct variable number_of(const struct step *step, size_t number, struct arena *arena)
{
    const struct tree *value = step->values ? tree_at(step->values, number) : tree_uint(arena, number);
    bool text = value->type == TREE_STRING || value->type == TREE_NUMBER;
    return (struct variable){.name = STR("i"), .label = text ? value->text : (struct str){0}, .value = value};
}

/* Returns the pointer in a text that begins with "${name:/pointer}". */
static struct str pointer_in(struct str text)
{
    size_t from = strcspn(text.data, ":") + 1, end = strcspn(text.data, "}");
    return from < end ? (struct str){text.data + from, end - from} : text;
}

/* Makes the step's play with each ${name} replaced by the saved value. False after a fault, or if a saved value has not
 * got what is needed of it: then that is lacking. */
static bool make_known(struct progress *progress, const struct step *step, size_t number, struct arena *arena,
                       struct play *own, struct str *fault)
{
    struct variable list[SAVED_MAX + 1];
    struct variables variables = {list, progress->saved_count, NULL};
    memcpy(list, progress->saved, progress->saved_count * sizeof *list);
    *own = *step->play;
    if (!step->late)
        return true;
    if (step->together > 1)
        list[variables.count++] = number_of(step, number, arena);
    struct tree *act;
    struct status status = variables_resolve(own->act, &variables, arena, &act);
    own->act = act;
    own->assertions = arena_alloc_zero(arena, own->assertion_count, sizeof *own->assertions);
    for (size_t i = 0; i < own->assertion_count && is_ok(status); i++) {
        struct tree *observation;
        own->assertions[i] = step->play->assertions[i];
        status = variables_resolve(own->assertions[i].observation, &variables, arena, &observation);
        own->assertions[i].observation = observation;
    }
    if (status.code == STATUS_NOT_FOUND && !str_starts(status.message, STR("${i:"))) /* ${i} is the suite's own */
        progress->lacking = arena_copy(progress->options->arena, pointer_in(status.message));
    if (!is_ok(status))
        *fault = arena_printf(arena, "suite: %.*s", STR_ARG(status.message));
    return is_ok(status);
}

static void save(struct progress *progress, const struct step *step, const struct exchange *exchange)
{
    for (const struct tree *name = step->save ? step->save->first : NULL; name; name = name->next) {
        const struct tree *value = exchange->tree ? pointer_find(exchange->tree, name->text) : NULL;
        size_t at = 0;
        while (at < progress->saved_count && !str_equal(progress->saved[at].name, name->name))
            at++;
        if (!value) {
            progress->lacking = name->text;
            continue;
        }
        if (at == SAVED_MAX)
            continue; /* the step that uses the value reports that it has none */
        bool text = value->type == TREE_STRING || value->type == TREE_NUMBER;
        progress->saved[at] = (struct variable){
            .name = name->name, .label = text ? value->text : (struct str){0}, .value = value, .is_segment = true};
        progress->saved_count += at == progress->saved_count;
    }
}

/* --- Bytes on a connection --- */

static struct connection *connection_of(struct progress *progress, struct str name, struct str address)
{
    for (size_t i = 0; i < progress->connection_count; i++)
        if (str_equal(progress->connections[i].name, name))
            return &progress->connections[i];
    if (progress->connection_count == CONNECTIONS_MAX)
        return NULL;
    struct tcp *tcp = tcp_open(progress->options->client_options, address);
    if (!tcp)
        return NULL;
    progress->connections[progress->connection_count] = (struct connection){.name = name, .tcp = tcp};
    return &progress->connections[progress->connection_count++];
}

/* Writes the bytes of the exchange, and makes all bytes of the connection so far its request. */
static void write_all(struct connection *connection, const struct play_options *options, struct exchange *exchange)
{
    struct request *request = &exchange->request;
    for (size_t i = 0; i < request->write_count; i++) {
        struct str *bytes = arena_new_of(options->arena, struct str);
        *bytes = tcp_with_headers(request->writes[i], options->client_options, options->extra, options->arena);
        tcp_write(connection->tcp, *bytes);
        list_append(&connection->written, bytes, options->arena);
    }
    request->write_count = connection->written.count;
    request->writes = arena_alloc_zero(options->arena, request->write_count, sizeof *request->writes);
    for (size_t i = 0; i < request->write_count; i++)
        request->writes[i] = *(struct str *)connection->written.items[i];
}

/* Returns a name for the step's request: the ID of the play, and the number of the step if there are several. */
static struct str step_name(const struct progress *progress, const struct step *step)
{
    const struct play *play = progress->play;
    return play->step_count == 1
               ? play->id
               : arena_printf(progress->options->arena, "%.*s/step-%zu", STR_ARG(play->id), step - play->steps + 1);
}

/* Collects what an expectation needs to see on the connection. */
static void add_wanted(const struct tree *tree, struct tcp_wanted *wanted)
{
    int64_t status;
    const struct tree *named = tree_member(tree, "status"), *closed = tree_member(tree, "closed");
    if (closed && closed->type != TREE_BOOL)
        closed = NULL; /* `closed` is the name of an observation here */
    const struct tree *range = tree_member(named, "$range");
    wanted->interim |= named && tree_to_int64(range ? range->first : named, &status) && status < 200;
    wanted->closed |= closed != NULL;
    wanted->end |= closed && tree->count > 1;
    for (const struct tree *child = tree->first; child; child = child->next)
        add_wanted(child, wanted);
}

static struct tcp_wanted wanted_of(const struct play *own)
{
    struct tcp_wanted wanted = {0};
    for (size_t i = 0; i < own->assertion_count; i++)
        add_wanted(own->assertions[i].observation, &wanted);
    return wanted;
}

static void exchange_bytes(struct progress *progress, const struct step *step, const struct play *own,
                           struct exchange *exchange, struct result *results)
{
    const struct play_options *options = progress->options;
    *exchange = (struct exchange){0};
    struct status status = play_request(own, options->target, options->arena, &exchange->request);
    struct connection *connection =
        connection_of(progress, step->conn, client_address(options->client_options, own->group->profile->endpoint));
    if (!is_ok(status) || !connection) {
        exchange->fault = status.message.size ? status.message : STR("the play has too many connections");
        return;
    }
    struct exchange told = *exchange; /* with the bytes of this step alone */
    write_all(connection, options, exchange);
    if (step->half_close)
        tcp_half_close(connection->tcp);
    exchange->answer.outcome = told.answer.outcome = OUTCOME_ANSWERED; /* a write alone has no answer */
    if (!own->assertion_count) {
        tell(options, own, &told);
        return;
    }
    struct tcp_wanted wanted = wanted_of(own);
    tcp_read(connection->tcp, &wanted, options->arena, &exchange->answer);
    progress->again |= limit_asks_again(progress->limit, &exchange->answer, options->arena);
    if (exchange->answer.outcome == OUTCOME_ANSWERED)
        exchange->tree = answer_tree(own->group->encoding, own->group->profile, &exchange->request, &exchange->answer,
                                     options->arena, &exchange->trouble);
    told.answer = exchange->answer;
    told.trouble = exchange->trouble;
    tell(options, own, &told);
    exchange_judge(own, exchange, progress->base, options->strict, options->arena, results);
    play_add_commands(options, exchange, step_name(progress, step), results, own->assertion_count);
}

/* --- Messages of a stream --- */

static void exchange_stream(struct progress *progress, const struct step *step, const struct play *own,
                            struct exchange *exchange, struct result *results)
{
    const struct play_options *options = progress->options;
    streams_step(&progress->streams, options, step, own, exchange);
    if (!exchange->fault.size)
        tell(options, own, exchange);
    if (exchange->fault.size || !step->reads)
        return;
    exchange_judge(own, exchange, progress->base, options->strict, options->arena, results);
    play_add_commands(options, exchange, step_name(progress, step), results, own->assertion_count);
}

/* --- Steps that are played together --- */

struct companion {
    struct play_options options;
    struct str name; /* for commands */
    struct arena arena;
    const struct tree *base;
    double within;
    struct play own;
    struct exchange exchange;
    struct result *results;
    pthread_t thread;
};

static void *accompany(void *argument)
{
    struct companion *companion = argument;
    exchange_until(&companion->options, &companion->own, companion->name, companion->base, companion->within,
                   &companion->exchange, companion->results);
    return NULL;
}

/* Plays the step as many times at once as it says, each on a connection of its own. */
static void exchange_together(struct progress *progress, const struct step *step, struct exchange *exchange)
{
    struct arena *arena = progress->options->arena;
    size_t ready = 0, started = 0;
    struct str fault = {0};
    struct companion *all = arena_alloc_zero(arena, step->together, sizeof *all);
    *exchange = (struct exchange){0};
    for (; ready < step->together && !exchange->fault.size; ready++) {
        struct companion *one = &all[ready];
        *one = (struct companion){.options = *progress->options,
                                  .name = arena_printf(arena, "%.*s-%zu", STR_ARG(step_name(progress, step)), ready),
                                  .arena = memory_arena(),
                                  .base = progress->base,
                                  .within = step->within};
        one->options.arena = &one->arena;
        one->options.client = NULL;
        one->results = arena_alloc_zero(arena, step->play->assertion_count, sizeof *one->results);
        if (!is_ok(client_create(progress->options->client_options, &one->arena, &one->options.client)))
            exchange->fault = STR("there are not enough clients");
        else if (!make_known(progress, step, ready, &one->arena, &one->own, &fault))
            exchange->fault = arena_copy(arena, fault);
    }
    while (started < ready && !exchange->fault.size &&
           pthread_create(&all[started].thread, NULL, accompany, &all[started]) == 0)
        started++;
    for (size_t i = 0; i < started; i++)
        pthread_join(all[i].thread, NULL);
    if (started < step->together && !exchange->fault.size)
        exchange->fault = STR("there are not enough threads");
    for (size_t i = 0; i < ready; i++) {
        const struct exchange *own = &all[i].exchange;
        for (size_t k = 0; k < step->play->assertion_count && started; k++)
            all[i].results[k] = result_keep(arena, &all[i].results[k]);
        if (own->fault.size && !exchange->fault.size)
            exchange->fault = arena_copy(arena, own->fault);
        if (own->not_applicable.size)
            exchange->not_applicable = arena_copy(arena, own->not_applicable);
        if (!exchange->fault.size && !exchange->not_applicable.size)
            merge_step(progress, step->play, all[i].results);
        exchange->answer.outcome = own->answer.outcome;
        exchange->answer.trouble = arena_copy(arena, own->answer.trouble);
        client_destroy(all[i].options.client);
        arena_free(&all[i].arena);
    }
}

/* --- A request whose answer a later step reads --- */

struct flight {
    struct companion companion;
    struct str conn;
    bool landed; /* its thread has ended */
    struct flight *next;
};

/* Sends the request of the step in a thread of its own, which lasts until `land`. Nothing is judged there. */
static void take_off(struct progress *progress, const struct step *step, struct exchange *exchange)
{
    struct flight *flight = arena_new_of(progress->options->arena, struct flight);
    struct companion *one = &flight->companion;
    *exchange = (struct exchange){.answer.outcome = OUTCOME_ANSWERED}; /* a request alone has no answer */
    *flight = (struct flight){.companion = {.options = *progress->options, .arena = memory_arena()},
                              .conn = step->conn,
                              .next = progress->flights};
    one->options.arena = &one->arena;
    one->options.client = NULL;
    if (!is_ok(client_create(progress->options->client_options, &one->arena, &one->options.client)))
        exchange->fault = STR("there are not enough clients");
    else if (make_known(progress, step, 0, &one->arena, &one->own, &exchange->fault) &&
             pthread_create(&one->thread, NULL, accompany, one) != 0)
        exchange->fault = STR("there are not enough threads");
    if (exchange->fault.size) {
        exchange->fault = arena_copy(progress->options->arena, exchange->fault);
        client_destroy(one->options.client);
        arena_free(&one->arena);
    } else {
        progress->flights = flight;
    }
}

static void land(struct flight *flight)
{
    if (!flight->landed)
        pthread_join(flight->companion.thread, NULL);
    flight->landed = true;
}

/* Waits for the answer to the request that was sent on the step's connection, and judges it. What is kept of it lies in
 * the arena of the play, for the flight's own is freed before the play ends. */
static void exchange_landed(struct progress *progress, const struct step *step, const struct play *own,
                            struct exchange *exchange, struct result *results)
{
    struct flight *flight = progress->flights;
    while (flight && !str_equal(flight->conn, step->conn))
        flight = flight->next;
    if (!flight) {
        *exchange = (struct exchange){.fault = STR("nothing was sent on the connection")};
        return;
    }
    land(flight);
    struct arena *arena = progress->options->arena;
    const struct exchange *landed = &flight->companion.exchange;
    exchange_judge(own, landed, progress->base, progress->options->strict, arena, results);
    play_add_commands(progress->options, landed, step_name(progress, step), results, own->assertion_count);
    for (size_t i = 0; i < own->assertion_count; i++)
        results[i] = result_keep(arena, &results[i]);
    *exchange = (struct exchange){.fault = arena_copy(arena, landed->fault),
                                  .not_applicable = arena_copy(arena, landed->not_applicable),
                                  .answer.outcome = landed->answer.outcome,
                                  .answer.trouble = arena_copy(arena, landed->answer.trouble),
                                  .tree = landed->tree ? tree_copy_whole(arena, landed->tree) : NULL};
}

/* Waits for all requests, and frees what they have. */
static void land_all(struct progress *progress)
{
    for (struct flight *flight = progress->flights; flight; flight = flight->next) {
        land(flight);
        client_destroy(flight->companion.options.client);
        arena_free(&flight->companion.arena);
    }
    progress->flights = NULL;
}

/* --- Steps --- */

static void play_step_once(struct progress *progress, const struct step *step, struct exchange *exchange)
{
    const struct play_options *options = progress->options;
    struct play own;
    struct str fault = {0};
    struct result *results = arena_alloc_zero(options->arena, step->play->assertion_count, sizeof *results);
    if (!make_known(progress, step, 0, options->arena, &own, &fault)) {
        *exchange = (struct exchange){.fault = fault};
        return;
    }
    if (step->way == WAY_BYTES)
        exchange_bytes(progress, step, &own, exchange, results);
    else if (step->way == WAY_STREAM)
        exchange_stream(progress, step, &own, exchange, results);
    else if (step->way == WAY_READ)
        exchange_landed(progress, step, &own, exchange, results);
    else
        exchange_until(options, &own, step_name(progress, step), progress->base, step->within, exchange, results);
    if (!exchange->fault.size && !exchange->not_applicable.size)
        merge_step(progress, &own, results);
    save(progress, step, exchange);
}

static bool play_step(struct progress *progress, const struct step *step)
{
    for (size_t i = 0; i < step->times; i++) {
        struct exchange exchange;
        if (step->together > 1)
            exchange_together(progress, step, &exchange);
        else if (step->way == WAY_SEND)
            take_off(progress, step, &exchange);
        else
            play_step_once(progress, step, &exchange);
        if (progress->lacking.size)
            exchange.fault = (struct str){0}; /* the target's, not the suite's */
        bool failed = exchange.fault.size || exchange.not_applicable.size;
        if (failed || exchange.tree || !progress->last->tree)
            *progress->last = exchange;
        if (failed || progress->lacking.size || progress->again)
            return false;
    }
    return true;
}

/* Replaces the assertions of the steps by those of the play; a key that no step reached is blocked. */
static void settle(struct progress *progress)
{
    const struct play *play = progress->play;
    for (size_t i = 0; i < play->assertion_count; i++) {
        struct result *result = &progress->results[i];
        if (!result->assertion) {
            result->verdict = VERDICT_BLOCKED;
            result->why = progress->lacking.size ? arena_printf(progress->options->arena,
                                                                "an earlier answer lacks %.*s, which this step needs",
                                                                STR_ARG(progress->lacking))
                                                 : STR("the step that expects it was not played");
        }
        result->assertion = &play->assertions[i];
    }
}

/* Plays the steps of `finally`, whatever happened, and without a deviation: they undo what the others did. They give no
 * answer to the case. */
static void perform_finally(struct progress *progress)
{
    const struct play *play = progress->play;
    struct play_options plain = *progress->options;
    struct progress after = *progress;
    struct exchange ignored = {0};
    plain.extra = NULL;
    plain.seen = NULL;
    after.options = &plain;
    after.last = &ignored;
    for (size_t i = play->step_count - play->finally_count; i < play->step_count; i++)
        play_step(&after, &play->steps[i]);
    memcpy(progress->connections, after.connections, sizeof after.connections);
    progress->connection_count = after.connection_count;
    progress->flights = after.flights;
    progress->again = after.again;
}

static void perform_steps(struct progress *progress)
{
    const struct play *play = progress->play;
    const struct play_options *options = progress->options;
    size_t own = play->step_count - play->finally_count;
    for (size_t i = 0; i < own && !(options->interrupted && *options->interrupted); i++)
        if (!play_step(progress, &play->steps[i]))
            break;
    streams_close(&progress->streams);
    perform_finally(progress);
    land_all(progress);
    for (size_t i = 0; i < progress->connection_count; i++)
        tcp_close(progress->connections[i].tcp);
    settle(progress);
}

void play_and_judge(const struct play_options *options, const struct play *play, const struct tree *base,
                    struct exchange *exchange, struct result *results)
{
    *exchange = (struct exchange){0};
    if (!play->step_count) {
        exchange_until(options, play, play->id, base, 0, exchange, results);
        return;
    }
    struct limit limit = {0};
    bool again = true;
    while (again) {
        *exchange = (struct exchange){0};
        memset(results, 0, play->assertion_count * sizeof *results);
        struct progress progress = {
            .options = options, .play = play, .base = base, .last = exchange, .results = results, .limit = &limit};
        perform_steps(&progress);
        again = progress.again;
    }
}
