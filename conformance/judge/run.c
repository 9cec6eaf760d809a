/* Groups are jobs: a thread takes the next group whose controls are decided, plays its base, then each neighbour and
 * the base again, on one connection. A control is a play of another group, so a group waits until the groups of its
 * controls are done; the verdicts of a control are simply its results, and none is played twice. A group whose controls
 * wait for itself is a fault of the suite. What is only needed as a control (its own result was filtered away) is
 * played and reported as disabled.
 *
 * Verdicts do not depend on the number of threads: nothing but the controls passes from one group to another. */
#include "judge/run.h"

#include "client/tcp.h"
#include "exit_code.h"
#include "fixture/memory.h"
#include "judge/match.h"
#include "judge/perform.h"
#include "judge/server.h"
#include "judge/watch.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BESIDE " (or beside it: --jobs 1 tells which)" /* behind the ID of what harmed a server */

enum stage_of_job { WAITING, PLAYING, DONE };

/* What is known of a group beside the plan. */
struct job {
    enum stage_of_job progress;
    size_t *needs; /* indices of the groups of its controls */
    size_t need_count;
};

/* A replay that failed. */
struct extra {
    struct result result;
    struct extra *next;
};

/* What is known of a play beside the plan. */
struct part {
    bool wanted; /* played, for its own sake or as a control */
    bool answered;
    bool is_standard;            /* others must agree with its answer */
    const struct tree *standard; /* that answer, kept; NULL without */
    size_t first_result;         /* in `results` */
    struct extra *replays;       /* in order */
    struct extra **last_replay;
};

struct stage {
    const struct suite *suite;
    const struct plan *plan;
    const struct run_options *options;
    struct run *run;
    struct server *servers;
    size_t server_count;
    struct job *jobs;
    struct part *parts;
    struct result *results; /* one each assertion of the plan */
    size_t playing, done, first_waiting, told;
    struct watch *watch;
    bool alone; /* the group that plays wants no other beside it */
    size_t answers;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

/* A thread, with a client for each server. */
struct player {
    struct stage *stage;
    struct client **clients;
    struct arena clients_arena;
    struct arena arena; /* of the group that is played */
    pthread_t thread;
};

static bool is_interrupted(const struct stage *stage)
{
    return stage->options->interrupted && *stage->options->interrupted;
}

static size_t group_index(const struct stage *stage, const struct group *group)
{
    return (size_t)(group - stage->plan->groups);
}

static struct part *part_of(const struct stage *stage, const struct play *play)
{
    return &stage->parts[play->index];
}

static struct result *results_of(const struct stage *stage, const struct play *play)
{
    return &stage->results[part_of(stage, play)->first_result];
}

/* --- Preparing --- */

static void want(struct stage *stage, const struct play *play)
{
    struct part *part = part_of(stage, play);
    if (part->wanted || play->not_applicable.size)
        return;
    part->wanted = true;
    const struct play *base = play->group->plays[0];
    if (base != play)
        want(stage, base);
    for (size_t i = 0; i < play->control_count; i++)
        want(stage, play->controls[i].play);
    if (play_standard(play))
        want(stage, play_standard(play));
}

static void note_need(struct stage *stage, struct job *job, size_t self, size_t needed)
{
    if (needed == self)
        return;
    for (size_t i = 0; i < job->need_count; i++)
        if (job->needs[i] == needed)
            return;
    size_t *grown = arena_alloc_zero(&stage->run->arena, job->need_count + 1, sizeof(*grown));
    for (size_t i = 0; i < job->need_count; i++)
        grown[i] = job->needs[i];
    grown[job->need_count++] = needed;
    job->needs = grown;
}

static void prepare_plays(struct stage *stage)
{
    const struct plan *plan = stage->plan;
    size_t count = 0;
    for (size_t i = 0; i < plan->play_count; i++) {
        const struct play *play = &plan->plays[i];
        struct part *part = part_of(stage, play);
        part->first_result = count;
        part->last_replay = &part->replays;
        for (size_t k = 0; k < play->assertion_count; k++)
            stage->results[count++] = (struct result){.assertion = &play->assertions[k], .verdict = VERDICT_BLOCKED};
    }
    for (size_t i = 0; i < plan->play_count; i++)
        if (!plan->plays[i].disabled.size)
            want(stage, &plan->plays[i]);
    for (size_t i = 0; i < plan->play_count; i++) {
        const struct play *play = &plan->plays[i];
        size_t self = group_index(stage, play->group);
        const struct play *standard = play_standard(play);
        if (!part_of(stage, play)->wanted)
            continue;
        for (size_t k = 0; k < play->control_count; k++)
            note_need(stage, &stage->jobs[self], self, group_index(stage, play->controls[k].play->group));
        if (standard) {
            note_need(stage, &stage->jobs[self], self, group_index(stage, standard->group));
            part_of(stage, standard)->is_standard = true;
        }
    }
}

/* --- Playing a group --- */

static void settle(struct stage *stage, const struct play *play, enum verdict verdict, struct str why)
{
    struct result *results = results_of(stage, play);
    pthread_mutex_lock(&stage->mutex);
    struct str kept = arena_copy(&stage->run->arena, why);
    for (size_t i = 0; i < play->assertion_count; i++) {
        results[i].verdict = verdict;
        results[i].why = kept;
    }
    pthread_mutex_unlock(&stage->mutex);
}

static bool control_passes(const struct result *result)
{
    return result->verdict == VERDICT_PASS || result->verdict == VERDICT_PASS_WEAK;
}

/* Whether a control holds; else how the play that needs it is settled. */
static bool control_holds(const struct stage *stage, const struct control *control, struct arena *arena,
                          enum verdict *verdict, struct str *why)
{
    const struct play *play = control->play;
    const struct result *results = results_of(stage, play);
    struct str id = control->assertion ? control->assertion->id : play->id;
    *verdict = VERDICT_BLOCKED;
    if (play->not_applicable.size) {
        *verdict = VERDICT_NOT_APPLICABLE;
        *why = arena_printf(arena, "its control %.*s: %.*s", STR_ARG(id), STR_ARG(play->not_applicable));
        return false;
    }
    bool holds = part_of(stage, play)->answered;
    struct str reason = play->assertion_count ? results[0].why : (struct str){0};
    for (size_t i = 0; i < play->assertion_count && holds; i++) {
        bool asked =
            control->assertion ? results[i].assertion == control->assertion : play_needs(play, results[i].assertion);
        if (asked && !control_passes(&results[i])) {
            holds = false;
            reason = results[i].why;
        }
    }
    if (!holds)
        *why = arena_printf(arena, "its control %.*s did not pass%s%.*s", STR_ARG(id), reason.size ? ": " : "",
                            (int)(reason.size < 300 ? reason.size : 300), reason.data ? reason.data : "");
    return holds;
}

static struct str why_gone(struct stage *stage, const struct server *server, int transport)
{
    pthread_mutex_lock(&stage->mutex);
    struct str gone = server->gone[transport];
    pthread_mutex_unlock(&stage->mutex);
    return gone;
}

/* Whether anything may be sent for this play now; else it is settled. */
static bool may_send(struct stage *stage, const struct play *play, struct server **server)
{
    int transport = transport_of(play->group->encoding);
    *server = server_find(stage->servers, stage->server_count, play->state);
    if (!*server || !(*server)->offers[transport]) {
        char text[160];
        snprintf(text, sizeof(text), "state '%.*s' is not offered over %s: give --state %.*s=%s://HOST:PORT",
                 (int)(play->state.size < 40 ? play->state.size : 40), play->state.data ? play->state.data : "",
                 transport == REST ? "REST" : "gRPC", (int)(play->state.size < 40 ? play->state.size : 40),
                 play->state.data ? play->state.data : "", transport == REST ? "http" : "grpc");
        settle(stage, play, VERDICT_NOT_APPLICABLE, str_of(text));
        return false;
    }
    if (is_interrupted(stage)) {
        settle(stage, play, VERDICT_BLOCKED, STR("the run was interrupted"));
        return false;
    }
    struct str gone = why_gone(stage, *server, transport);
    if (gone.size)
        settle(stage, play, VERDICT_BLOCKED, gone);
    return !gone.size;
}

/* After 2 x jobs exchanges in a row without a whole answer the server is left alone. One whose answers begin and do not
 * end responds all the same: what it breaks is told. With the lock held. */
static void note_silence(struct stage *stage, struct server *server, const struct play *play,
                         const struct answer *answer)
{
    int transport = transport_of(play->group->encoding);
    bool begins = answer_begins(answer);
    if (server->silent[transport]++ == 0)
        server->since[transport] = play->id;
    if (server->silent[transport] < 2 * stage->options->jobs || server->gone[transport].size)
        return;
    server->gone[transport] = arena_printf(
        &stage->run->arena, "the %s %s over %s any more: %zu exchanges in a row, first of %.*s%s; %.*s",
        server->state.size ? "server of this state" : "target", begins ? "gives no whole answer" : "does not respond",
        transport == REST ? "REST" : "gRPC", server->silent[transport], STR_ARG(server->since[transport]),
        stage->options->jobs > 1 ? BESIDE : "", STR_ARG(answer->trouble));
    if (!begins && !stage->run->unresponsive.size)
        stage->run->unresponsive = server->gone[transport];
}

static void count_exchange(struct stage *stage, struct server *server, const struct play *play,
                           const struct answer *answer)
{
    bool whole = answer->outcome == OUTCOME_ANSWERED || answer->outcome == OUTCOME_GARBLED;
    pthread_mutex_lock(&stage->mutex);
    stage->run->exchanges++;
    stage->answers += whole || answer_begins(answer);
    if (whole)
        server->silent[transport_of(play->group->encoding)] = 0;
    else
        note_silence(stage, server, play, answer);
    pthread_mutex_unlock(&stage->mutex);
}

static struct str command_of(const struct player *player, const struct server *server, const struct play *play,
                             const struct exchange *exchange, struct arena *arena)
{
    const struct request *request = &exchange->request;
    struct buf bytes = {0};
    for (size_t i = 0; i < request->write_count; i++)
        buf_append_str(&bytes, request->writes[i]);
    struct str command = {0};
    if (bytes.size)
        command = tcp_command(&server->client, buf_str(&bytes), arena);
    else if (request->path.size || request->rpc.size)
        command = client_command(&server->client, request, player->stage->options->evidence, play->id, arena);
    buf_free(&bytes);
    return command;
}

/* What "agrees" compares with; NULL without. */
static const struct tree *standard_answer(const struct stage *stage, const struct play *play)
{
    const struct play *standard = play_standard(play);
    return standard ? part_of(stage, standard)->standard : NULL; /* its group is done: a need */
}

static void see(void *context, const struct play *play, const struct exchange *exchange)
{
    struct stage *stage = context;
    watch_exchange(stage->watch, play, exchange);
}

static struct stage_hand hand_of(struct player *player, const struct server *server, const struct play *play)
{
    struct stage *stage = player->stage;
    return (struct stage_hand){.client = player->clients[server - stage->servers],
                               .options = &server->client,
                               .target = stage->options->target,
                               .suite = stage->suite,
                               .strict = stage->options->strict,
                               .standard = standard_answer(stage, play),
                               .arena = &player->arena,
                               .interrupted = stage->options->interrupted,
                               .seen = see,
                               .context = stage};
}

/* Sends and judges; false if it was settled without an exchange. */
static bool play_one(struct player *player, const struct play *play, const struct tree *base, struct exchange *exchange)
{
    struct stage *stage = player->stage;
    struct server *server;
    if (!may_send(stage, play, &server))
        return false;
    struct stage_hand hand = hand_of(player, server, play);
    struct result *judged = arena_alloc_zero(&player->arena, play->assertion_count, sizeof(*judged));
    perform(&hand, play, base, exchange, judged);
    if (exchange->not_applicable.size || exchange->fault.size) {
        settle(stage, play, exchange->fault.size ? VERDICT_ERROR : VERDICT_NOT_APPLICABLE,
               exchange->fault.size ? exchange->fault : exchange->not_applicable);
        return false;
    }
    count_exchange(stage, server, play, &exchange->answer);
    struct str command = {0};
    for (size_t i = 0; i < play->assertion_count; i++)
        if (judged[i].verdict >= VERDICT_WARN && judged[i].verdict <= VERDICT_ERROR && !play->disabled.size) {
            if (!command.data)
                command = command_of(player, server, play, exchange, &player->arena);
            judged[i].command = command;
        }
    pthread_mutex_lock(&stage->mutex);
    part_of(stage, play)->answered = exchange->answer.outcome == OUTCOME_ANSWERED;
    if (part_of(stage, play)->is_standard && exchange->tree)
        part_of(stage, play)->standard = tree_copy_whole(&stage->run->arena, exchange->tree);
    struct result *results = results_of(stage, play);
    for (size_t i = 0; i < play->assertion_count; i++)
        results[i] = result_keep(&stage->run->arena, &judged[i]);
    pthread_mutex_unlock(&stage->mutex);
    return true;
}

/* "PATH/NEIGHBOUR/replay@ENCODING#KEY" */
static struct str replay_id(const struct play *neighbour, struct str key, struct arena *arena)
{
    const char *at = memchr(neighbour->id.data, '@', neighbour->id.size);
    size_t path = at ? (size_t)(at - neighbour->id.data) : neighbour->id.size;
    return arena_printf(arena, "%.*s/replay%.*s#%.*s", (int)path, neighbour->id.data, (int)(neighbour->id.size - path),
                        neighbour->id.data + path, STR_ARG(key));
}

static void add_replay_failure(struct player *player, const struct play *neighbour, const struct result *failed)
{
    struct stage *stage = player->stage;
    struct arena *arena = &stage->run->arena;
    pthread_mutex_lock(&stage->mutex);
    struct extra *extra = arena_new_of(arena, struct extra);
    struct assertion *assertion = arena_new_of(arena, struct assertion);
    *assertion = *failed->assertion;
    assertion->id = replay_id(neighbour, failed->assertion->requirement->key, arena);
    extra->result = result_keep(arena, failed);
    extra->result.assertion = assertion;
    extra->result.verdict = failed->verdict == VERDICT_TIMEOUT ? VERDICT_TIMEOUT : VERDICT_FAIL;
    extra->result.replay = true;
    struct part *part = part_of(stage, neighbour);
    *part->last_replay = extra;
    part->last_replay = &extra->next;
    pthread_mutex_unlock(&stage->mutex);
}

static struct str harm_of(struct player *player, const struct play *neighbour, struct str why)
{
    return arena_printf(&player->arena, "after %.*s%s the right request is answered otherwise: %.*s",
                        STR_ARG(neighbour->id), player->stage->options->jobs > 1 ? BESIDE : "", STR_ARG(why));
}

/* The base once more, after a neighbour: it must be answered as at first. */
static void replay(struct player *player, const struct play *base, const struct play *neighbour,
                   const struct exchange *first)
{
    struct stage *stage = player->stage;
    struct server *server;
    int transport = transport_of(base->group->encoding);
    server = server_find(stage->servers, stage->server_count, base->state);
    if (is_interrupted(stage) || !server || why_gone(stage, server, transport).size)
        return;
    struct exchange exchange;
    struct stage_hand hand = hand_of(player, server, base);
    struct result *again = arena_alloc_zero(&player->arena, base->assertion_count, sizeof(*again));
    perform(&hand, base, NULL, &exchange, again);
    if (exchange.not_applicable.size || exchange.fault.size)
        return;
    count_exchange(stage, server, neighbour, &exchange.answer);
    struct str why = {0};
    bool infer = tree_member(base->act, "infer") != NULL;
    if (infer && exchange.tree && match_same(first->tree, exchange.tree, play_likeness(base), &player->arena, &why))
        return;
    size_t told = 0;
    const struct result *before = results_of(stage, base);
    for (size_t i = 0; i < base->assertion_count; i++) {
        if (!control_passes(&before[i]) || control_passes(&again[i]) || again[i].verdict >= VERDICT_BLOCKED)
            continue;
        again[i].command = command_of(player, server, base, &exchange, &player->arena);
        again[i].why = harm_of(player, neighbour, again[i].why);
        add_replay_failure(player, neighbour, &again[i]);
        told++;
    }
    if (!infer || told || !base->assertion_count)
        return;
    again[0].why = harm_of(player, neighbour, why);
    again[0].command = command_of(player, server, base, &exchange, &player->arena);
    add_replay_failure(player, neighbour, &again[0]);
}

static bool controls_hold(struct player *player, const struct play *play)
{
    for (size_t i = 0; i < play->control_count; i++) {
        enum verdict verdict;
        struct str why;
        if (play->controls[i].play->group == play->group)
            continue; /* another key of the same exchange */
        if (!control_holds(player->stage, &play->controls[i], &player->arena, &verdict, &why)) {
            settle(player->stage, play, verdict, why);
            return false;
        }
    }
    return true;
}

/* A neighbour and the replay of its base, in memory of their own: of a large model each takes some megabytes. */
static void play_neighbour(struct player *player, const struct play *neighbour, const struct exchange *first)
{
    struct arena of_group = player->arena;
    struct exchange exchange;
    player->arena = memory_arena();
    if (controls_hold(player, neighbour) && play_one(player, neighbour, first->tree, &exchange))
        replay(player, neighbour->group->plays[0], neighbour, first);
    arena_free(&player->arena);
    player->arena = of_group;
}

static void play_group(struct player *player, const struct group *group)
{
    struct stage *stage = player->stage;
    const struct play *base = group->plays[0];
    struct exchange first = {0};
    if (base->watches && !base->not_applicable.size)
        return; /* it is settled when everything was played */
    bool accepted = false;
    struct str why = STR("the right request was not accepted");
    /* Of a transport that never answered nothing is known, whether it hosts a model neither. */
    struct str gone = transport_of(group->encoding) == REST ? stage->options->rest_gone : stage->options->grpc_gone;
    for (size_t i = 0; i < group->play_count; i++)
        if (group->plays[i]->not_applicable.size)
            settle(stage, group->plays[i], gone.size ? VERDICT_BLOCKED : VERDICT_NOT_APPLICABLE,
                   gone.size ? gone : group->plays[i]->not_applicable);
    bool played = part_of(stage, base)->wanted && controls_hold(player, base) && play_one(player, base, NULL, &first);
    const struct result *results = results_of(stage, base);
    if (played)
        accepted = play_accepted(base, &first, results);
    for (size_t i = 0; i < base->assertion_count && !accepted; i++)
        if (!control_passes(&results[i]) && results[i].why.size) {
            why = arena_printf(&player->arena, "its control %.*s did not pass: %.*s", STR_ARG(base->id),
                               (int)(results[i].why.size < 300 ? results[i].why.size : 300), results[i].why.data);
            break;
        }
    for (size_t i = 1; i < group->play_count; i++) {
        const struct play *neighbour = group->plays[i];
        if (!part_of(stage, neighbour)->wanted)
            continue;
        struct server *server;
        if (!accepted && base->not_applicable.size) {
            settle(stage, neighbour, VERDICT_NOT_APPLICABLE, base->not_applicable);
        } else if (!played && !may_send(stage, neighbour, &server)) {
            continue;
        } else if (!accepted) {
            bool unmet = !played && base->assertion_count && results[0].verdict == VERDICT_NOT_APPLICABLE;
            settle(stage, neighbour, unmet ? VERDICT_NOT_APPLICABLE : VERDICT_BLOCKED, unmet ? results[0].why : why);
        } else {
            play_neighbour(player, neighbour, &first);
        }
    }
}

/* --- Threads --- */

static bool is_ready(const struct stage *stage, const struct job *job)
{
    for (size_t i = 0; i < job->need_count; i++)
        if (stage->jobs[job->needs[i]].progress != DONE)
            return false;
    return true;
}

static size_t find_ready(const struct stage *stage, bool alone)
{
    const struct plan *plan = stage->plan;
    for (size_t i = stage->first_waiting; i < plan->group_count; i++)
        if (stage->jobs[i].progress == WAITING && plan->groups[i].alone == alone && is_ready(stage, &stage->jobs[i]))
            return i;
    return SIZE_MAX;
}

/* The next group to play, and PLAYING from now on; SIZE_MAX: none is ready. */
static size_t take(struct stage *stage)
{
    const struct plan *plan = stage->plan;
    while (stage->first_waiting < plan->group_count && stage->jobs[stage->first_waiting].progress != WAITING)
        stage->first_waiting++;
    if (stage->alone)
        return SIZE_MAX;
    size_t index = find_ready(stage, false);
    if (index == SIZE_MAX && stage->playing == 0) {
        index = find_ready(stage, true);
        stage->alone = index != SIZE_MAX;
    }
    if (index != SIZE_MAX) {
        stage->jobs[index].progress = PLAYING;
        stage->playing++;
    }
    return index;
}

static void tell(struct stage *stage, const struct group *group)
{
    for (size_t i = 0; i < group->play_count; i++) {
        const struct play *play = group->plays[i];
        struct result *results = results_of(stage, play);
        for (size_t k = 0; k < play->assertion_count && stage->options->progress; k++) {
            struct result told = results[k];
            if (play->disabled.size)
                told.verdict = VERDICT_DISABLED;
            stage->options->progress(++stage->told, stage->plan->assertion_count, &told, stage->options->context);
        }
    }
}

static void finish(struct stage *stage, size_t index)
{
    stage->jobs[index].progress = DONE;
    stage->playing--;
    stage->done++;
    stage->alone = false;
    tell(stage, &stage->plan->groups[index]);
    pthread_cond_broadcast(&stage->changed);
}

/* Groups that wait for each other: none is ready and none plays. */
static void settle_circle(struct stage *stage)
{
    for (size_t i = 0; i < stage->plan->group_count; i++) {
        if (stage->jobs[i].progress != WAITING)
            continue;
        const struct group *group = &stage->plan->groups[i];
        for (size_t k = 0; k < group->play_count; k++)
            for (size_t r = 0; r < group->plays[k]->assertion_count; r++) {
                struct result *result = &results_of(stage, group->plays[k])[r];
                result->verdict = VERDICT_ERROR;
                result->why = STR("suite: its controls form a circle");
            }
        stage->playing++;
        finish(stage, i);
    }
}

static void *work(void *argument)
{
    struct player *player = argument;
    struct stage *stage = player->stage;
    pthread_mutex_lock(&stage->mutex);
    while (stage->done < stage->plan->group_count) {
        size_t index = take(stage);
        if (index == SIZE_MAX && stage->playing) {
            pthread_cond_wait(&stage->changed, &stage->mutex);
            continue;
        }
        if (index == SIZE_MAX) {
            settle_circle(stage);
            continue;
        }
        pthread_mutex_unlock(&stage->mutex);
        play_group(player, &stage->plan->groups[index]);
        arena_free(&player->arena);
        player->arena = memory_arena();
        pthread_mutex_lock(&stage->mutex);
        finish(stage, index);
    }
    pthread_mutex_unlock(&stage->mutex);
    return NULL;
}

static struct status open_player(struct player *player, struct stage *stage)
{
    player->stage = stage;
    player->clients_arena = memory_arena();
    player->arena = memory_arena();
    player->clients = arena_alloc_zero(&player->clients_arena, stage->server_count, sizeof(struct client *));
    struct status status = servers_open(stage->servers, stage->server_count, &player->clients_arena, player->clients);
    status.message = arena_copy(&stage->run->arena, status.message);
    return status;
}

static void close_player(struct player *player)
{
    servers_close(player->clients, player->stage->server_count);
    arena_free(&player->clients_arena);
    arena_free(&player->arena);
}

static struct status play_all(struct stage *stage)
{
    size_t count = stage->options->jobs, started = 0;
    struct arena *arena = &stage->run->arena;
    struct player *players = arena_alloc_zero(arena, count, sizeof(*players));
    struct status status = STATUS_IS_OK;
    size_t opened = 0;
    for (; opened < count && is_ok(status); opened++)
        status = open_player(&players[opened], stage);
    for (; started < opened && is_ok(status); started++)
        if (pthread_create(&players[started].thread, NULL, work, &players[started]) != 0)
            break;
    if (started == 0 && is_ok(status))
        status = status_error(arena, STATUS_INTERNAL, "no thread could be started");
    for (size_t i = 0; i < started; i++)
        pthread_join(players[i].thread, NULL);
    for (size_t i = 0; i < opened; i++)
        close_player(&players[i]);
    return status;
}

/* Its controls guard what it passes; what it saw go wrong went wrong without them. */
static void settle_watcher(struct stage *stage, const struct play *watcher)
{
    struct arena *arena = &stage->run->arena;
    struct result *results = results_of(stage, watcher);
    enum verdict verdict;
    struct str why;
    watch_settle(stage->watch, watcher, arena, results);
    for (size_t i = 0; i < watcher->control_count && !watcher->not_applicable.size; i++) {
        if (control_holds(stage, &watcher->controls[i], arena, &verdict, &why))
            continue;
        for (size_t k = 0; k < watcher->assertion_count; k++)
            if (control_passes(&results[k])) {
                results[k].verdict = verdict;
                results[k].why = why;
            }
    }
}

/* --- The face --- */

/* Results in the plan's order, replays behind their play's. */
static void collect(struct stage *stage)
{
    struct run *run = stage->run;
    size_t extras = 0;
    for (size_t i = 0; i < stage->plan->play_count; i++)
        for (const struct extra *extra = stage->parts[i].replays; extra; extra = extra->next)
            extras++;
    run->results = arena_alloc_zero(&run->arena, stage->plan->assertion_count + extras, sizeof(*run->results));
    for (size_t i = 0; i < stage->plan->play_count; i++) {
        const struct play *play = &stage->plan->plays[i];
        struct result *results = results_of(stage, play);
        if (play->watches)
            settle_watcher(stage, play);
        for (size_t k = 0; k < play->assertion_count; k++) {
            if (play->disabled.size)
                results[k] = (struct result){
                    .assertion = results[k].assertion, .verdict = VERDICT_DISABLED, .why = play->disabled};
            run->results[run->result_count++] = results[k];
        }
        if (!play->disabled.size)
            for (const struct extra *extra = stage->parts[i].replays; extra; extra = extra->next)
                run->results[run->result_count++] = extra->result;
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

struct status run_plan(const struct suite *suite, const struct plan *plan, const struct run_options *options,
                       struct run *run)
{
    double start = now();
    *run = (struct run){.arena = memory_arena()};
    struct stage stage = {.suite = suite,
                          .plan = plan,
                          .options = options,
                          .run = run,
                          .jobs = arena_alloc_zero(&run->arena, plan->group_count, sizeof(*stage.jobs)),
                          .parts = arena_alloc_zero(&run->arena, plan->play_count, sizeof(*stage.parts)),
                          .results = arena_alloc_zero(&run->arena, plan->assertion_count, sizeof(*stage.results)),
                          .mutex = PTHREAD_MUTEX_INITIALIZER,
                          .changed = PTHREAD_COND_INITIALIZER};
    run->unresponsive = options->rest_gone.size ? options->rest_gone : options->grpc_gone;
    prepare_plays(&stage);
    stage.servers = servers_make(options, &run->arena, &stage.server_count);
    stage.watch = run->watch = watch_new(suite, plan, options->strict, &run->arena);
    struct status status = play_all(&stage);
    collect(&stage);
    run->unreachable = stage.answers == 0 && (run->exchanges > 0 || run->unresponsive.size);
    run->interrupted = is_interrupted(&stage);
    run->seconds = now() - start;
    pthread_mutex_destroy(&stage.mutex);
    pthread_cond_destroy(&stage.changed);
    return status;
}

void run_free(struct run *run)
{
    if (run->watch)
        watch_free(run->watch);
    arena_free(&run->arena);
}

size_t run_judged(const struct run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++)
        count += verdict_is_judged(run->results[i].verdict);
    return count;
}

size_t run_inferences(const struct run *run, bool rest)
{
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct play *play = run->results[i].assertion->play;
        count += control_passes(&run->results[i]) && play->is_base && tree_member(play->act, "infer") &&
                 encoding_is_rest(play->group->encoding) == rest;
    }
    return count;
}

int run_exit_code(const struct run *run, size_t minimum, bool strict)
{
    bool failed = false;
    if (run->interrupted)
        return EXIT_INTERRUPTED;
    for (size_t i = 0; i < run->result_count; i++) {
        if (run->results[i].verdict == VERDICT_ERROR)
            return EXIT_SUITE;
        failed = failed || result_fails(&run->results[i], strict);
    }
    if (run->unresponsive.size || run->unreachable)
        return EXIT_UNREACHABLE;
    if (failed)
        return EXIT_NOT_CONFORMANT;
    return run_judged(run) < minimum ? EXIT_TOO_FEW : EXIT_CONFORMANT;
}
