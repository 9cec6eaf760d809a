#include "judge/group.h"

#include "client/tcp.h"
#include "judge/perform.h"
#include "pattern/match.h"
#include "support/memory.h"

/* Who plays, and where what is made meanwhile lies. */
struct player {
    struct stage *stage;
    const struct worker *worker;
    struct arena *arena;
};

/* --- One play --- */

/* Whether anything may be sent for this play now; else it is settled. */
static bool may_send(struct player *player, const struct play *play, struct server **server)
{
    struct stage *stage = player->stage;
    const struct endpoint *endpoint = play->group->profile->endpoint;
    *server = servers_find(&stage->servers, play->state);
    if (!*server || !client_address(&(*server)->client, endpoint).size) {
        struct str why = arena_printf(
            player->arena, "state '%.*s' is not offered over %.*s: give --state %.*s=%.*s://HOST:PORT",
            STR_ARG(play->state), STR_ARG(endpoint->called), STR_ARG(play->state), STR_ARG(endpoint->name));
        stage_settle(stage, play, VERDICT_NOT_APPLICABLE, why);
        return false;
    }
    if (run_is_interrupted(stage->options)) {
        stage_settle(stage, play, VERDICT_BLOCKED, STR("the run was interrupted"));
        return false;
    }
    struct str gone = servers_gone(&stage->servers, *server, endpoint);
    if (gone.size)
        stage_settle(stage, play, VERDICT_BLOCKED, gone);
    return !gone.size;
}

static struct str command_of(const struct player *player, const struct server *server, const struct play *play,
                             const struct exchange *exchange)
{
    const struct request *request = &exchange->request;
    struct buf bytes = {0};
    for (size_t i = 0; i < request->write_count; i++)
        buf_append_str(&bytes, request->writes[i]);
    struct str command = {0};
    if (bytes.size)
        command = tcp_command(&server->client, client_address(&server->client, request->endpoint), buf_str(&bytes),
                              player->arena);
    else if (request->path.size || request->rpc.size)
        command = client_command(&server->client, request, player->stage->options->evidence, play->id, player->arena);
    buf_free(&bytes);
    return command;
}

static void see(void *context, const struct play *play, const struct exchange *exchange)
{
    struct stage *stage = context;
    watch_exchange(stage->watch, play, exchange);
}

static struct stage_hand hand_of(const struct player *player, const struct server *server, const struct play *play)
{
    struct stage *stage = player->stage;
    const struct play *standard = play_standard(play); /* its group is done: a need */
    return (struct stage_hand){.client = worker_client(player->worker, server),
                               .options = &server->client,
                               .target = stage->options->target,
                               .strict = stage->options->strict,
                               .standard = standard ? part_of(stage, standard)->standard : NULL,
                               .arena = player->arena,
                               .interrupted = stage->options->interrupted,
                               .seen = see,
                               .context = stage};
}

/* Sends and judges; false if it was settled without an exchange. */
static bool play_one(struct player *player, const struct play *play, const struct tree *base, struct exchange *exchange)
{
    struct stage *stage = player->stage;
    struct server *server;
    if (!may_send(player, play, &server))
        return false;
    struct stage_hand hand = hand_of(player, server, play);
    struct result *judged = arena_alloc_zero(player->arena, play->assertion_count, sizeof(*judged));
    perform(&hand, play, base, exchange, judged);
    if (exchange->not_applicable.size || exchange->fault.size) {
        stage_settle(stage, play, exchange->fault.size ? VERDICT_ERROR : VERDICT_NOT_APPLICABLE,
                     exchange->fault.size ? exchange->fault : exchange->not_applicable);
        return false;
    }
    servers_note(&stage->servers, server, play, &exchange->answer);
    struct str command = {0};
    for (size_t i = 0; i < play->assertion_count; i++)
        if (judged[i].verdict >= VERDICT_WARN && judged[i].verdict <= VERDICT_ERROR && !play->disabled.size) {
            if (!command.data)
                command = command_of(player, server, play, exchange);
            judged[i].command = command;
        }
    stage_keep(stage, play, exchange, judged);
    return true;
}

static bool controls_hold(struct player *player, const struct play *play)
{
    for (size_t i = 0; i < play->control_count; i++) {
        const struct control *control = &play->controls[i];
        enum verdict verdict;
        struct str why;
        if (control->play->group == play->group)
            continue; /* another key of the same exchange */
        if (!stage_control_holds(player->stage, control, player->arena, &verdict, &why)) {
            stage_settle(player->stage, play, verdict, why);
            return false;
        }
    }
    return true;
}

/* --- The base again --- */

static void add_harm(struct player *player, const struct server *server, const struct play *neighbour,
                     const struct exchange *exchange, struct result failed, struct str why)
{
    const struct play *base = neighbour->group->plays[0];
    failed.why = arena_printf(player->arena, "after %.*s%s the right request is answered otherwise: %.*s",
                              STR_ARG(neighbour->id), servers_beside(&player->stage->servers), STR_ARG(why));
    failed.command = command_of(player, server, base, exchange);
    stage_add_replay(player->stage, neighbour, &failed);
}

/* After a neighbour the base must be answered as at first: what passed passes, and an inference has the same values. */
static void replay_base(struct player *player, const struct play *neighbour, const struct exchange *first)
{
    struct stage *stage = player->stage;
    const struct play *base = neighbour->group->plays[0];
    struct server *server = servers_find(&stage->servers, base->state);
    if (run_is_interrupted(stage->options) || !server ||
        servers_gone(&stage->servers, server, base->group->profile->endpoint).size)
        return;
    struct exchange exchange;
    struct stage_hand hand = hand_of(player, server, base);
    struct result *again = arena_alloc_zero(player->arena, base->assertion_count, sizeof(*again));
    perform(&hand, base, NULL, &exchange, again);
    if (exchange.not_applicable.size || exchange.fault.size)
        return;
    servers_note(&stage->servers, server, neighbour, &exchange.answer);
    struct str why = {0};
    bool infer = tree_member(base->act, "infer") != NULL;
    if (infer && exchange.tree && match_same(first->tree, exchange.tree, play_likeness(base), player->arena, &why))
        return;
    bool told = false;
    const struct result *before = part_of(stage, base)->results;
    for (size_t i = 0; i < base->assertion_count; i++) {
        if (!verdict_passes(before[i].verdict) || verdict_passes(again[i].verdict) ||
            again[i].verdict >= VERDICT_BLOCKED)
            continue;
        add_harm(player, server, neighbour, &exchange, again[i], again[i].why);
        told = true;
    }
    if (infer && !told && base->assertion_count)
        add_harm(player, server, neighbour, &exchange, again[0], why);
}

/* --- The group --- */

/* A neighbour and the replay of its base, in memory of their own: of a large model each takes some megabytes. */
static void play_neighbour(const struct player *player, const struct play *neighbour, const struct exchange *first)
{
    struct arena arena = memory_arena();
    struct player own = {player->stage, player->worker, &arena};
    struct exchange exchange;
    if (play_one(&own, neighbour, first->tree, &exchange))
        replay_base(&own, neighbour, first);
    arena_free(&arena);
}

/* An endpoint that never answered tells us nothing about its models: its cases are blocked, not not-applicable. */
static void settle_not_applicable(struct stage *stage, const struct group *group)
{
    struct str gone = stage->options->gone[group->profile->endpoint->index];
    for (size_t i = 0; i < group->play_count; i++)
        if (group->plays[i]->not_applicable.size)
            stage_settle(stage, group->plays[i], gone.size ? VERDICT_BLOCKED : VERDICT_NOT_APPLICABLE,
                         gone.size ? gone : group->plays[i]->not_applicable);
}

static struct str why_not_accepted(const struct player *player, const struct play *base)
{
    const struct result *results = part_of(player->stage, base)->results;
    for (size_t i = 0; i < base->assertion_count; i++)
        if (!verdict_passes(results[i].verdict) && results[i].why.size)
            return stage_not_passed(base->id, results[i].why, player->arena);
    return STR("the right request was not accepted");
}

/* A neighbour of a base that was not accepted. */
static void settle_neighbour(struct player *player, const struct play *neighbour, bool base_was_played)
{
    struct stage *stage = player->stage;
    const struct play *base = neighbour->group->plays[0];
    const struct result *results = part_of(stage, base)->results;
    struct server *server;
    if (base->not_applicable.size)
        stage_settle(stage, neighbour, VERDICT_NOT_APPLICABLE, base->not_applicable);
    else if (!base_was_played && !may_send(player, neighbour, &server))
        return;
    else if (!base_was_played && base->assertion_count && results[0].verdict == VERDICT_NOT_APPLICABLE)
        stage_settle(stage, neighbour, VERDICT_NOT_APPLICABLE, results[0].why);
    else
        stage_settle(stage, neighbour, VERDICT_BLOCKED, why_not_accepted(player, base));
}

void group_play(struct stage *stage, struct worker *worker, const struct group *group)
{
    struct player player = {stage, worker, &worker->arena};
    const struct play *base = group->plays[0];
    struct exchange first = {0};
    if (base->watches && !base->not_applicable.size)
        return; /* it is settled when everything was played */
    settle_not_applicable(stage, group);
    bool played = part_of(stage, base)->wanted && controls_hold(&player, base) && play_one(&player, base, NULL, &first);
    bool accepted = played && play_accepted(base, &first, part_of(stage, base)->results);
    for (size_t i = 1; i < group->play_count; i++) {
        if (!part_of(stage, group->plays[i])->wanted)
            continue;
        if (accepted)
            play_neighbour(&player, group->plays[i], &first);
        else
            settle_neighbour(&player, group->plays[i], played);
    }
}
