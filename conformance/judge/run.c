#include "judge/run.h"

#include "judge/group.h"
#include "judge/schedule.h"
#include "support/exit_code.h"
#include "support/memory.h"
#include "support/seconds.h"

/* What the workers share. */
struct show {
    struct stage stage;
    struct schedule *schedule;
};

static void settle_stuck(struct stage *stage, const struct group *group)
{
    for (size_t i = 0; i < group->play_count; i++)
        stage_settle(stage, group->plays[i], VERDICT_ERROR, STR("suite: its controls form a circle"));
}

static void work(struct worker *worker)
{
    struct show *show = worker->context;
    const struct group *group;
    bool stuck;
    while ((group = schedule_take(show->schedule, &stuck)) != NULL) {
        if (stuck)
            settle_stuck(&show->stage, group);
        else
            group_play(&show->stage, worker, group);
        worker_forget(worker);
        for (size_t i = 0; i < group->play_count; i++)
            if (!group->plays[i]->watches)
                stage_tell(&show->stage, group->plays[i]);
        schedule_done(show->schedule, group);
    }
}

static bool is_wanted(const void *stage, const struct play *play)
{
    return part_of(stage, play)->wanted;
}

struct status run_plan(const struct suite *suite, const struct plan *plan, const struct run_options *options,
                       struct run *run)
{
    double start = seconds_now();
    struct show show;
    *run = (struct run){.arena = memory_arena()};
    stage_set(&show.stage, suite, plan, options, &run->arena);
    show.stage.watch = run->watch = watch_new(plan, options->strict, &run->arena);
    show.schedule = schedule_new(plan, is_wanted, &show.stage, &run->arena);
    const struct servers *servers = &show.stage.servers;
    struct status status = workers_run(servers, options->jobs, work, &show, &run->arena);
    stage_collect(&show.stage, run);
    run->exchanges = servers->exchanges;
    run->unresponsive = arena_copy(&run->arena, servers->unresponsive);
    run->unreachable = servers->answers == 0 && (servers->exchanges > 0 || servers->unresponsive.size);
    run->interrupted = run_is_interrupted(options);
    run->seconds = seconds_now() - start;
    schedule_free(show.schedule);
    stage_clear(&show.stage);
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

size_t run_inferences(const struct run *run, const struct endpoint *endpoint)
{
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct play *play = run->results[i].assertion->play;
        count += verdict_passes(run->results[i].verdict) && play->is_base && tree_member(play->act, "infer") &&
                 play->group->profile->endpoint == endpoint;
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
