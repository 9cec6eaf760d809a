#include "judge/group.h"

#include "base/search.h"
#include "judge/aftermath.h"
#include "judge/keeper.h"
#include "judge/play.h"

/* What one group is played with. */
struct context {
    struct session *session;
    struct worker *worker;
    struct arena *arena;
    const struct changing *changing; /* for a group that changes models; else NULL */
};

/* A group that changes models has a client of its own, which waits as long as loading may take. */
struct changing {
    struct client *client;
    struct client_options options;
    struct keeper *keeper;
};

#define SETTLES_WITHIN 3 /* seconds during which a step after an order is repeated until its expectation holds */

static bool settles(void *keeper)
{
    return keeper_settles(keeper);
}

/* --- One play --- */

/* Whether the play may be sent now. If not, its verdict is decided. */
static bool may_send(struct context *context, const struct play *play, struct server **server)
{
    struct session *session = context->session;
    const struct endpoint *endpoint = play->group->profile->endpoint;
    *server = servers_find(&session->servers, play->state);
    if (!*server || !client_address(&(*server)->client, endpoint).size) {
        struct str why = arena_printf(
            context->arena, "state '%.*s' is not offered over %.*s: give --state %.*s=%.*s://HOST:PORT",
            STR_ARG(play->state), STR_ARG(endpoint->called), STR_ARG(play->state), STR_ARG(endpoint->name));
        session_decide(session, play, VERDICT_NOT_APPLICABLE, why, NULL);
        return false;
    }
    if (run_is_interrupted(session->options)) {
        session_decide(session, play, VERDICT_BLOCKED, run_interruption(*session->options->interrupted), NULL);
        return false;
    }
    struct str given_up = servers_given_up(&session->servers, *server, endpoint);
    if (given_up.size)
        session_decide(session, play, VERDICT_BLOCKED, given_up, NULL);
    return !given_up.size;
}

static void see(void *context, const struct play *play, const struct exchange *exchange)
{
    struct session *session = context;
    struct server *server = servers_find(&session->servers, play->state);
    servers_note_request(&session->servers, server, play, &exchange->request, &exchange->answer);
    const struct play_options options = {
        .client_options = &server->client, .run = session->options, .commands = !session->options->scene};
    watchers_look(session->watchers, play, exchange, &options);
}

static struct str given_up(void *context, const struct play *play, const struct request *request)
{
    struct session *session = context;
    return servers_request_given_up(&session->servers, servers_find(&session->servers, play->state), play, request);
}

static struct play_options options_for(const struct context *context, const struct server *server,
                                       const struct play *play)
{
    struct session *session = context->session;
    const struct play *standard = play_standard(play); /* the schedule has played its group before */
    const struct changing *changing = context->changing;
    return (struct play_options){.client = changing ? changing->client : worker_client(context->worker, server),
                                 .settles_within = changing ? SETTLES_WITHIN : 0,
                                 .settles = settles,
                                 .keeper = changing ? changing->keeper : NULL,
                                 .histories = worker_histories(context->worker, server),
                                 .run = session->options,
                                 .client_options = changing ? &changing->options : &server->client,
                                 .commands = !session->options->scene,
                                 .standard = standard ? played_of(session, standard)->standard : NULL,
                                 .arena = context->arena,
                                 .seen = see,
                                 .given_up = given_up,
                                 .context = session};
}

/* Sends the plays that the scene has before its play. */
static void send_before(struct context *context)
{
    const struct scene *scene = context->session->options->scene;
    for (size_t i = 0; i < scene->before_count; i++) {
        const struct play *play = scene->before[i];
        const struct server *server = servers_find(&context->session->servers, play->state);
        struct exchange exchange;
        if (!server)
            continue;
        struct play_options options = options_for(context, server, play);
        struct result *ignored = arena_alloc_zero(context->arena, play->assertion_count, sizeof(*ignored));
        options.seen = NULL;
        play_and_judge(&options, play, NULL, &exchange, ignored);
    }
}

static void decide_unsent(struct session *session, const struct play *play, const struct exchange *exchange)
{
    if (exchange->fault.size)
        session_decide(session, play, VERDICT_ERROR, exchange->fault, NULL);
    else if (exchange->given_up.size)
        session_decide(session, play, VERDICT_BLOCKED, exchange->given_up, NULL);
    else
        session_decide(session, play, VERDICT_NOT_APPLICABLE, exchange->not_applicable, NULL);
}

/* Sends and judges a play. False if its verdict was decided without an exchange. */
static bool play_one(struct context *context, const struct play *play, const struct tree *base,
                     struct exchange *exchange)
{
    struct session *session = context->session;
    struct server *server;
    if (!may_send(context, play, &server))
        return false;
    if (session->options->scene && session->options->scene->play == play)
        send_before(context);
    struct play_options options = options_for(context, server, play);
    struct result *judged = arena_alloc_zero(context->arena, play->assertion_count, sizeof(*judged));
    play_and_judge(&options, play, base, exchange, judged);
    if (!exchange_is_made(exchange)) {
        decide_unsent(session, play, exchange);
        return false;
    }
    servers_note(&session->servers, server, play, &exchange->answer);
    session->load_timed_out |= context->changing && exchange->answer.outcome == OUTCOME_TIMEOUT;
    session_record(session, play, exchange, judged);
    return true;
}

/* Decides the play if a control does not hold. A neighbour waits for a refusal, which no user would mend first, so
 * `waits_for` is set for bases alone. */
static bool controls_hold(struct context *context, const struct play *play)
{
    struct unmet unmet;
    bool hold = session_controls_hold(context->session, play, context->arena, &unmet);
    if (!hold)
        session_decide(context->session, play, unmet.verdict, unmet.why, play->is_base ? unmet.control : NULL);
    return hold;
}

/* --- The group --- */

/* Plays the base again after a neighbour. Returns whether the server is harmed. */
static bool replay_base(const struct context *context, const struct aftermath *aftermath)
{
    struct session *session = context->session;
    const struct play *base = aftermath->neighbour->group->plays[0];
    struct server *server = servers_find(&session->servers, base->state);
    if (run_is_interrupted(session->options) || !server ||
        servers_given_up(&session->servers, server, base->group->profile->endpoint).size)
        return aftermath->was_harmed;
    struct play_options options = options_for(context, server, base);
    options.commands = false;
    return aftermath_is_harmful(session, server, &options, aftermath);
}

/* Plays a neighbour and the replay of its base in an arena of their own, because a large model needs several megabytes
 * for each. */
static void play_neighbour(struct context *context, const struct play *neighbour, const struct exchange *first,
                           bool *harmed)
{
    struct arena arena = memory_arena();
    struct context own = *context;
    struct exchange exchange;
    own.arena = &arena;
    const struct scene *scene = context->session->options->scene;
    if (play_one(&own, neighbour, first->tree, &exchange) && (!scene || scene->base_again)) {
        const struct aftermath aftermath = {neighbour, &exchange, first, *harmed};
        *harmed = replay_base(&own, &aftermath);
    }
    arena_free(&arena);
}

/* A transport that never answered tells us nothing about its models: its cases are blocked, not not-applicable. */
static void decide_not_applicable(struct session *session, const struct group *group)
{
    struct str hindered = session->options->target->discovery.hindered[group->profile->endpoint->index];
    for (size_t i = 0; i < group->play_count; i++)
        if (group->plays[i]->not_applicable.size)
            session_decide(session, group->plays[i], hindered.size ? VERDICT_BLOCKED : VERDICT_NOT_APPLICABLE,
                           hindered.size ? hindered : group->plays[i]->not_applicable, NULL);
}

static struct str why_not_accepted(const struct context *context, const struct play *base)
{
    const struct result *results = played_of(context->session, base)->results;
    return FIRST(i, base->assertion_count, !verdict_passes(results[i].verdict) && results[i].why.size,
                 session_not_passed(base->id, results[i].why, context->arena),
                 STR("the correct request was not accepted"));
}

/* Decides a neighbour whose base was not accepted. */
static void decide_neighbour(struct context *context, const struct play *neighbour, bool base_was_played)
{
    struct session *session = context->session;
    const struct play *base = neighbour->group->plays[0];
    const struct result *results = played_of(session, base)->results;
    struct server *server;
    if (base->not_applicable.size)
        session_decide(session, neighbour, VERDICT_NOT_APPLICABLE, base->not_applicable, base);
    else if (!base_was_played && !may_send(context, neighbour, &server))
        return;
    else if (base->assertion_count && results[0].verdict == VERDICT_NOT_APPLICABLE)
        session_decide(session, neighbour, VERDICT_NOT_APPLICABLE, results[0].why, base);
    else
        session_decide(session, neighbour, VERDICT_BLOCKED, why_not_accepted(context, base), base);
}

/* Whether a base is flawless: it was accepted, and everything passed. */
static bool is_flawless(const struct played *base, size_t assertion_count)
{
    return base->accepted && ALL(i, assertion_count, verdict_passes(base->results[i].verdict));
}

/* Plays the base. If a scene plays a neighbour, its base only prepares that. A server that wrongly remembers earlier
 * requests may answer the base wrongly because of the questions of discovery; so in a scene the base is played once
 * more if it does not pass. */
static bool play_base(struct context *context, const struct play *base, struct exchange *first)
{
    const struct session *session = context->session;
    const struct scene *scene = session->options->scene;
    if (!played_of(session, base)->wanted || !controls_hold(context, base))
        return false;
    bool played = play_one(context, base, NULL, first);
    if (played && scene && scene->play != base && !is_flawless(played_of(session, base), base->assertion_count))
        played = play_one(context, base, NULL, first);
    return played;
}

static void play_all(struct context *context, const struct group *group)
{
    struct session *session = context->session;
    const struct play *base = group->plays[0];
    struct exchange first = {0};
    bool played = play_base(context, base, &first);
    bool accepted = played && played_of(session, base)->accepted;
    bool harmed = false;
    for (size_t i = 1; i < group->play_count; i++) {
        if (!played_of(session, group->plays[i])->wanted)
            continue;
        if (accepted && controls_hold(context, group->plays[i]))
            play_neighbour(context, group->plays[i], &first, &harmed);
        else if (!accepted)
            decide_neighbour(context, group->plays[i], played);
    }
}

/* Plays a group that changes models, and puts them back. If they could not be, no such group is played any more. */
static void play_kept(struct context *context, const struct group *group, const struct changing *changing)
{
    struct session *session = context->session;
    const struct registry *registry = &session->suite->registry;
    struct str why = session->unrestored;
    if (!why.size)
        why = keeper_open(changing->keeper, registry, group, changing->client,
                          session->options->target->flags.load_timeout, context->arena);
    for (size_t i = 0; i < group->play_count && why.size; i++)
        if (played_of(session, group->plays[i])->wanted && !group->plays[i]->not_applicable.size)
            session_decide(session, group->plays[i],
                           session->unrestored.size ? VERDICT_BLOCKED : VERDICT_NOT_APPLICABLE, why, NULL);
    if (why.size)
        return;
    struct context own = *context;
    own.changing = changing;
    play_all(&own, group);
    session->unrestored = arena_copy(session->arena, keeper_close(changing->keeper)); /* no other thread plays now */
}

static void play_mutating(struct context *context, const struct group *group)
{
    struct session *session = context->session;
    const struct server *server = servers_find(&session->servers, group->plays[0]->state);
    struct keeper keeper;
    struct changing changing = {.options = server->client, .keeper = &keeper};
    if (!session->load_timed_out && changing.options.timeout < session->options->target->flags.load_timeout)
        changing.options.timeout = session->options->target->flags.load_timeout;
    changing.client = client_create(&changing.options, context->arena);
    play_kept(context, group, &changing);
    client_destroy(changing.client);
}

/* Whether models may change: the group is alone, and some play of it is sent. */
static bool is_mutating(struct context *context, const struct group *group)
{
    const struct session *session = context->session;
    const struct server *server = servers_find(&session->servers, group->plays[0]->state);
    bool sends =
        ANY(i, group->play_count, played_of(session, group->plays[i])->wanted && !group->plays[i]->not_applicable.size);
    return group->mutates && sends && server && !run_is_interrupted(session->options);
}

void group_play(struct session *session, struct worker *worker, const struct group *group)
{
    struct context context = {session, worker, &worker->arena, NULL};
    if (group->plays[0]->watches && !group->plays[0]->not_applicable.size)
        return; /* watchers are decided after everything was played */
    decide_not_applicable(session, group);
    if (is_mutating(&context, group))
        play_mutating(&context, group);
    else
        play_all(&context, group);
}
