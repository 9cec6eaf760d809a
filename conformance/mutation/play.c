/* Groups are played in the order of the schedule, so that groups that must be alone are. The base of a group is played
 * once without a deviation (for "same"). Each play is played once for each deviation that breaks one of its keys; only
 * that one exchange asks for the deviation. */
#include "mutation/bench.h"

#include "judge/keeper.h"
#include "judge/play.h"
#include "judge/watchers.h"

/* Seconds for which a deviated step that counts may come right. A server that deviates on demand counts before it
 * answers, and its counts stay wrong. Loading does take time. */
#define WITHIN_MOST 0.2

static struct play_options options_for(struct worker *worker, const struct server *server, const struct header *header)
{
    struct bench *bench = worker->context;
    return (struct play_options){.client = worker_client(worker, server),
                                 .client_options = &server->client,
                                 .run = bench->options,
                                 .extra = header,
                                 .arena = &worker->arena};
}

/* Plays without a deviation. Only the answer is used, not the verdicts. */
static void play_plainly(struct worker *worker, const struct server *server, const struct play *play,
                         struct exchange *exchange)
{
    struct play_options options = options_for(worker, server, NULL);
    struct result *ignored = arena_alloc_zero(&worker->arena, play->assertion_count, sizeof(*ignored));
    play_and_judge(&options, play, NULL, exchange, ignored);
}

/* Whether two answers to the same request are the same, except for the time. */
static bool is_same_answer(const struct exchange *a, const struct exchange *b, struct arena *arena)
{
    struct tree *trees[] = {tree_copy(arena, a->tree), tree_copy(arena, b->tree)};
    for (size_t i = 0; i < 2; i++) {
        struct tree *headers = tree_member(trees[i], "headers"), *date = tree_member(headers, "date");
        if (date)
            tree_remove(headers, date);
    }
    return tree_equal(trees[0], trees[1]);
}

/* Looks why the trial was not noticed: whether it changes the answer at all. One changed answer is enough. */
static void look_why(struct worker *worker, const struct server *server, const struct play *play, struct trial *trial,
                     const struct exchange *exchange)
{
    struct bench *bench = worker->context;
    struct exchange plain;
    pthread_mutex_lock(&bench->mutex);
    bool is_open = !trial->killed && !trial->altered;
    pthread_mutex_unlock(&bench->mutex);
    if (!is_open || play->step_count || !exchange->tree)
        return;
    play_plainly(worker, server, play, &plain);
    bool is_same = plain.tree && is_same_answer(&plain, exchange, &worker->arena);
    pthread_mutex_lock(&bench->mutex);
    if (!is_same && !trial->altered)
        trial->altered = play;
    pthread_mutex_unlock(&bench->mutex);
}

/* Plays with the deviation. `options` asks the server that deviates, `server` is the target itself. */
static void try_with(struct worker *worker, const struct play_options *options, const struct server *server,
                     const struct play *play, struct trial *trial, const struct tree *base)
{
    struct bench *bench = worker->context;
    struct exchange exchange;
    struct result *after = arena_alloc_zero(&worker->arena, play->assertion_count, sizeof(*after));
    play_and_judge(options, play, base, &exchange, after);
    if (exchange.not_applicable.size || exchange.fault.size)
        return;
    if (!bench_record(bench, trial, play, after))
        look_why(worker, server, play, trial, &exchange);
    pthread_mutex_lock(&bench->mutex);
    bench->mutation->exchanges++;
    pthread_mutex_unlock(&bench->mutex);
}

static void try_deviation(struct worker *worker, const struct play *play, const struct server *server,
                          struct trial *trial, const struct tree *base)
{
    const struct header header = {STR(DEVIATE), trial->deviation->name};
    const struct play *standard = play_standard(play);
    struct exchange good = {0};
    if (standard)
        play_plainly(worker, server, standard, &good);
    struct play_options options = options_for(worker, server, &header);
    options.standard = good.tree;
    options.within_most = play->group->mutates || play->state.size ? 0 : WITHIN_MOST;
    try_with(worker, &options, server, play, trial, base);
}

/* A watcher that looks at answers with a deviation. */
struct watching {
    struct worker *worker;
    const struct play *watcher;
    struct trial *trial;
    bool noticed;
};

static void see(void *context, const struct play *play, const struct exchange *exchange)
{
    struct watching *watching = context;
    struct worker *worker = watching->worker;
    const struct play *watcher = watching->watcher;
    struct result *after = arena_alloc_zero(&worker->arena, watcher->assertion_count, sizeof(*after));
    if (watchers_judge(watcher, play, exchange, false, &worker->arena, after))
        watching->noticed |= bench_record(worker->context, watching->trial, watcher, after);
}

/* Tries a watcher on plays that it looked at, one of each family, until it notices the deviation. */
static void try_watcher(struct worker *worker, const struct play *watcher)
{
    enum { PLAYS_MAX = 64 };
    struct bench *bench = worker->context;
    const struct play *plays[PLAYS_MAX];
    size_t count = watchers_seen(bench->mutation->run.watchers, watcher, plays, PLAYS_MAX);
    for (size_t k = 0; k < bench->mutation->trial_count; k++) {
        struct trial *trial = &bench->mutation->trials[k];
        if (!trial->is_known || !bench_may_kill(bench, watcher, trial))
            continue;
        const struct header header = {STR(DEVIATE), trial->deviation->name};
        struct watching watching = {worker, watcher, trial, false};
        for (size_t i = 0; i < count && !watching.noticed; i++) {
            if (plays[i]->step_count)
                continue; /* its steps may run in other threads */
            struct server *server = servers_find(&bench->servers, plays[i]->state);
            struct exchange exchange;
            struct play_options options = options_for(worker, server, &header);
            options.seen = see;
            options.context = &watching;
            struct result *ignored = arena_alloc_zero(&worker->arena, plays[i]->assertion_count, sizeof(*ignored));
            play_and_judge(&options, plays[i], NULL, &exchange, ignored);
        }
    }
}

static void try_plays(struct worker *worker, const struct group *group)
{
    struct bench *bench = worker->context;
    struct exchange first = {0};
    bool played = false;
    for (size_t i = 0; i < group->play_count; i++) {
        const struct play *play = group->plays[i], *base = group->plays[0];
        struct server *server = servers_find(&bench->servers, play->state);
        for (size_t k = 0; k < bench->mutation->trial_count && server; k++) {
            struct trial *trial = &bench->mutation->trials[k];
            if (!trial->is_known || !bench_may_kill(bench, play, trial) || run_is_interrupted(bench->options))
                continue;
            if (play != base && !played)
                play_plainly(worker, server, base, &first);
            played = played || play != base;
            try_deviation(worker, play, server, trial, play == base ? NULL : first.tree);
        }
    }
}

/* A deviation may have ended the connection, which the first question over it finds out. */
static bool open_keeper(struct worker *worker, const struct server *server, const struct group *group,
                        struct keeper *keeper)
{
    const struct registry *registry = &((struct bench *)worker->context)->suite->registry;
    for (int tries = 0; tries < 2; tries++)
        if (!keeper_open(keeper, registry, group, worker_client(worker, server), 0, &worker->arena).size)
            return true;
    return false;
}

/* A group that changes models is tried between two looks at them, as it is played. */
static void try_group(struct worker *worker, const struct group *group)
{
    struct bench *bench = worker->context;
    const struct server *server = servers_find(&bench->servers, group->plays[0]->state);
    struct keeper keeper;
    if (group->plays[0]->watches)
        try_watcher(worker, group->plays[0]);
    else if (!group->mutates)
        try_plays(worker, group);
    else if (server && open_keeper(worker, server, group, &keeper)) {
        try_plays(worker, group);
        keeper_close(&keeper);
    }
}

void bench_work(struct worker *worker)
{
    struct bench *bench = worker->context;
    const struct group *group;
    bool stuck; /* the groups wait in a circle of controls; the run without deviations has reported that */
    while ((group = schedule_take(bench->schedule, &stuck)) != NULL) {
        try_group(worker, group);
        worker_forget(worker);
        schedule_done(bench->schedule, group);
    }
}

/* Tries every play of the broken key on a server that always deviates. The answers to compare with ("same", "agrees")
 * come from the target itself. */
void bench_try_process(struct worker *worker, const struct address *addresses, struct trial *trial)
{
    struct bench *bench = worker->context;
    struct client_options client_options = bench->options->client;
    memcpy(client_options.addresses, addresses, sizeof client_options.addresses);
    struct client *client = client_create(&client_options, &worker->clients_arena);
    for (size_t i = 0; i < bench->plan->play_count; i++) {
        const struct play *play = &bench->plan->plays[i], *base = play->group->plays[0];
        const struct play *standard = play_standard(play);
        struct exchange first = {0}, good = {0};
        if (play->state.size || play->watches || !bench_may_kill(bench, play, trial))
            continue;
        if (play != base)
            play_plainly(worker, &bench->servers.list[0], base, &first);
        if (standard)
            play_plainly(worker, &bench->servers.list[0], standard, &good);
        struct play_options options = options_for(worker, &bench->servers.list[0], NULL);
        options.client = client;
        options.client_options = &client_options;
        options.standard = good.tree;
        try_with(worker, &options, &bench->servers.list[0], play, trial, first.tree);
        worker_forget(worker);
    }
    client_destroy(client);
}
