#include "judge/schedule.h"

#include "base/search.h"
#include "judge/exchange.h"
#include <pthread.h>

/* The course of a group in a run. The mutex of the schedule guards it.
 *
 *     WAITING --all groups that it needs are DONE, and a worker is free--> PLAYING --> DONE
 *
 * A group that changes the target plays alone. Groups that wait for each other are stuck, which lint finds before. */
enum progress { WAITING, PLAYING, DONE };

struct job {
    enum progress progress;
    size_t *needs; /* indices of the groups that must be done before */
    size_t need_count;
};

struct schedule {
    const struct plan *plan;
    struct job *jobs; /* one for each group */
    size_t first_waiting, playing, done;
    bool alone; /* the group that is played now must be the only one */
    bool stuck; /* the groups that still wait wait for each other */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

static size_t index_of(const struct plan *plan, const struct group *group)
{
    return (size_t)(group - plan->groups);
}

/* --- Before the run --- */

static void note_need(const struct plan *plan, struct job *jobs, const struct group *group, const struct group *needed,
                      struct arena *arena)
{
    struct job *job = &jobs[index_of(plan, group)];
    size_t index = index_of(plan, needed);
    if (needed == group || ANY(i, job->need_count, job->needs[i] == index))
        return;
    *array_add(job->needs, job->need_count, arena) = index;
}

struct schedule *schedule_new(const struct plan *plan, bool (*is_wanted)(const void *context, const struct play *play),
                              const void *context, struct arena *arena)
{
    struct schedule *schedule = arena_new_of(arena, struct schedule);
    *schedule = (struct schedule){.plan = plan,
                                  .jobs = arena_alloc_zero(arena, plan->group_count, sizeof(struct job)),
                                  .mutex = PTHREAD_MUTEX_INITIALIZER,
                                  .changed = PTHREAD_COND_INITIALIZER};
    for (size_t i = 0; i < plan->play_count; i++) {
        const struct play *play = &plan->plays[i], *standard = play_standard(play);
        if (is_wanted && !is_wanted(context, play))
            continue;
        for (size_t k = 0; k < play->control_count; k++)
            if (!play->controls[k].play->group->not_offered.size)
                note_need(plan, schedule->jobs, play->group, play->controls[k].play->group, arena);
        if (standard)
            note_need(plan, schedule->jobs, play->group, standard->group, arena);
    }
    return schedule;
}

void schedule_free(struct schedule *schedule)
{
    pthread_mutex_destroy(&schedule->mutex);
    pthread_cond_destroy(&schedule->changed);
}

/* --- During the run --- */

static bool is_ready(const struct schedule *schedule, const struct job *job)
{
    return schedule->stuck || ALL(i, job->need_count, schedule->jobs[job->needs[i]].progress == DONE);
}

/* What is in an earlier row is played first. */
enum turn { TOGETHER, ALONE, MUTATING };

static enum turn turn_of(const struct group *group)
{
    return group->mutates ? MUTATING : group->alone ? ALONE : TOGETHER;
}

/* Returns the index of a group of that turn that is ready; group_count if none is. */
static size_t find_ready(const struct schedule *schedule, enum turn turn)
{
    const struct plan *plan = schedule->plan;
    size_t i = schedule->first_waiting;
    while (i < plan->group_count && !(schedule->jobs[i].progress == WAITING && turn_of(&plan->groups[i]) == turn &&
                                      is_ready(schedule, &schedule->jobs[i])))
        i++;
    return i;
}

static const struct group *take_ready(struct schedule *schedule)
{
    const struct plan *plan = schedule->plan;
    while (schedule->first_waiting < plan->group_count && schedule->jobs[schedule->first_waiting].progress != WAITING)
        schedule->first_waiting++;
    if (schedule->alone)
        return NULL;
    size_t index = find_ready(schedule, TOGETHER);
    for (enum turn turn = ALONE; turn <= MUTATING && index == plan->group_count && schedule->playing == 0; turn++) {
        index = find_ready(schedule, turn);
        schedule->alone = index < plan->group_count;
    }
    if (index == plan->group_count)
        return NULL;
    schedule->jobs[index].progress = PLAYING;
    schedule->playing++;
    return &plan->groups[index];
}

const struct group *schedule_take(struct schedule *schedule, bool *stuck)
{
    const struct group *group = NULL;
    pthread_mutex_lock(&schedule->mutex);
    while (!group && schedule->done < schedule->plan->group_count) {
        group = take_ready(schedule);
        if (!group && schedule->playing)
            pthread_cond_wait(&schedule->changed, &schedule->mutex);
        else if (!group)
            schedule->stuck = true;
    }
    *stuck = schedule->stuck;
    pthread_mutex_unlock(&schedule->mutex);
    return group;
}

void schedule_done(struct schedule *schedule, const struct group *group)
{
    pthread_mutex_lock(&schedule->mutex);
    schedule->jobs[index_of(schedule->plan, group)].progress = DONE;
    schedule->playing--;
    schedule->done++;
    schedule->alone = false;
    pthread_cond_broadcast(&schedule->changed);
    pthread_mutex_unlock(&schedule->mutex);
}
