#include "engine/team.h"

#include "engine/primitive.h"

#include <stdlib.h>

#define TEAM_MAX 64

struct team {
    const struct run *run;
    int threads;
    int64_t count;
    team_work *work;
    void *context;
    struct status statuses[TEAM_MAX];
};

static void work_on_share(struct team *team, int thread)
{
    struct scratch scratch[SCRATCHES] = {{0}};
    struct run run = *team->run;
    run.in_team = false;
    if (team->threads > 1)
        run.scratch = scratch;
    team->statuses[thread] = team->work(team->context, &run, thread, team->count * thread / team->threads,
                                        team->count * (thread + 1) / team->threads);
    for (size_t i = 0; i < SCRATCHES; i++)
        free(scratch[i].data);
}

int team_size(const struct run *run, int64_t work, int64_t shares)
{
    const int64_t threads = run_threads(run, work), most = shares < TEAM_MAX ? shares : TEAM_MAX;
    return (int)(threads < most ? threads : most < 1 ? 1 : most);
}

struct status team_share(const struct run *run, int threads, int64_t count, team_work *work, void *context)
{
    struct team team = {run, threads, count, work, context, {{0}}};
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
#endif
    for (int thread = 0; thread < threads; thread++)
        work_on_share(&team, thread);
    for (int thread = 1; thread < threads && is_ok(team.statuses[0]); thread++)
        team.statuses[0] = team.statuses[thread];
    return team.statuses[0];
}
