#include "judge/run.h"

#include "base/search.h"
#include "judge/group.h"
#include "judge/keeper.h"
#include "judge/schedule.h"
#include "support/exit_code.h"
#include "support/seconds.h"

/* What the workers share. */
struct shared {
    struct session session;
    struct schedule *schedule;
};

static void decide_stuck(struct session *session, const struct group *group)
{
    for (size_t i = 0; i < group->play_count; i++)
        session_decide(session, group->plays[i], VERDICT_ERROR, STR("suite: its controls form a circle"), NULL);
}

static void work(struct worker *worker)
{
    struct shared *shared = worker->context;
    const struct group *group;
    bool stuck;
    while ((group = schedule_take(shared->schedule, &stuck)) != NULL) {
        if (stuck)
            decide_stuck(&shared->session, group);
        else
            group_play(&shared->session, worker, group);
        worker_forget(worker);
        for (size_t i = 0; i < group->play_count; i++)
            if (!group->plays[i]->watches)
                session_report(&shared->session, group->plays[i]);
        schedule_done(shared->schedule, group);
    }
}

static bool is_wanted(const void *session, const struct play *play)
{
    return played_of(session, play)->wanted;
}

struct status run_plan(const struct suite *suite, const struct plan *plan, const struct run_options *options,
                       struct run *run)
{
    double start = seconds_now();
    *run = (struct run){.arena = memory_arena(), .rounds = 1};
    struct shared *shared = arena_new_of(&run->arena, struct shared);
    struct session *session = &shared->session;
    struct task_end end = {.interrupted = options->interrupted, .must_stay = keeper_is_open};
    session_open(session, suite, plan, options, &run->arena);
    session->watchers = run->watchers = watchers_new(plan, options->strict, &run->arena);
    shared->schedule = schedule_new(plan, is_wanted, session, &run->arena);
    struct servers *servers = &session->servers;
    struct status status = workers_run(servers, options->jobs, work, shared, &end, &run->arena, &run->left);
    if (run->left)
        session_freeze(session);
    session_collect(session, run);
    pthread_mutex_lock(&servers->mutex);
    run->exchanges = servers->exchanges;
    run->unresponsive = secrets_keep(options->client.secrets, servers->unresponsive, &run->arena);
    run->unrestored = secrets_hide(options->client.secrets, session->unrestored, &run->arena);
    run->unreachable = servers->answers == 0 && (servers->exchanges > 0 || servers->unresponsive.size);
    pthread_mutex_unlock(&servers->mutex);
    run->interrupted = options->interrupted ? *options->interrupted : 0;
    run->seconds = seconds_now() - start;
    if (!run->left) {
        schedule_free(shared->schedule);
        session_close(session);
    }
    return status;
}

void run_free(struct run *run)
{
    struct run *next;
    for (struct run *round = run->next; round; round = next) {
        next = round->next;
        round->next = NULL;
        run_free(round);
    }
    if (run->watchers)
        watchers_free(run->watchers);
    arena_free(&run->arena);
}

size_t run_judged(const struct run *run)
{
    return SUM(i, run->result_count, !run->results[i].replay && verdict_is_judged(run->results[i].verdict));
}

int run_exit_code(const struct run *run, size_t minimum, const struct demands *demands)
{
    bool failed = false;
    if (run->interrupted)
        return run->interrupted == INTERRUPTED_BY_TIME ? EXIT_TIME_LIMIT : EXIT_INTERRUPTED;
    for (size_t i = 0; i < run->result_count; i++) {
        if (run->results[i].verdict == VERDICT_ERROR)
            return EXIT_SUITE;
        failed = failed || result_counts(&run->results[i], demands);
    }
    if (run->unresponsive.size || run->unreachable)
        return EXIT_UNREACHABLE;
    if (failed)
        return EXIT_NOT_CONFORMANT;
    if (run->unrestored.size)
        return EXIT_SUITE;
    return run_judged(run) < minimum ? EXIT_TOO_FEW : EXIT_CONFORMANT;
}
