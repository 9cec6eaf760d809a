#include "plan/planner.h"

struct plan_target plan_nominal(const struct suite *suite, struct arena *arena)
{
    size_t count = 0;
    const char **states = arena_alloc_zero(arena, suite->states ? suite->states->count : 0, sizeof *states);
    for (const struct tree *state = suite->states ? suite->states->first : NULL; state; state = state->next)
        states[count++] = arena_copy(arena, state->name).data;
    return (struct plan_target){
        .rest = true,
        .grpc = true,
        .no_model = STR("no_such_model"),
        .host = STR("127.0.0.1:8000"),
        .states = states,
        .state_count = count,
        .allow_mutation = true,
        .nominal = true,
    };
}

/* The plays and groups were made one by one; now each gets its place, and what points at them follows. */
static void settle(struct planner *planner, struct plan *plan)
{
    plan->play_count = planner->plays.count;
    plan->plays = arena_alloc_zero(planner->arena, plan->play_count, sizeof *plan->plays);
    plan->group_count = planner->groups.count;
    plan->groups = arena_alloc_zero(planner->arena, plan->group_count, sizeof *plan->groups);
    size_t at = 0;
    for (size_t i = 0; i < planner->groups.count; i++) {
        struct group *group = &plan->groups[i];
        *group = *(struct group *)planner->groups.items[i];
        for (size_t p = 0; p < group->play_count; p++, at++) {
            struct play *play = &plan->plays[at];
            *play = *group->plays[p];
            play->group = group;
            play->index = at;
            for (size_t a = 0; a < play->assertion_count; a++)
                play->assertions[a].play = play;
            for (size_t s = 0; s < play->step_count; s++) {
                play->steps[s].play->group = group;
                play->steps[s].play->index = at;
            }
            plan->assertion_count += play->assertion_count;
            group->plays[p] = play;
        }
    }
}

void plan_make_all(const struct suite *suite, const struct plan_target *target, struct plan *plan,
                   struct faults *faults)
{
    *plan = (struct plan){.arena = memory_arena()};
    struct planner planner = {.suite = suite, .target = target, .arena = &plan->arena, .faults = faults};
    for (size_t i = 0; i < suite->family_count; i++)
        plan_family(&planner, &suite->families[i]);
    settle(&planner, plan);
    plan_standards(plan);
    plan_controls(&planner, plan);
    plan_filter(&planner, plan);
}

struct status plan_make(const struct suite *suite, const struct plan_target *target, struct plan *plan)
{
    struct arena scratch = memory_arena();
    struct faults faults = {.arena = &scratch};
    plan_make_all(suite, target, plan, &faults);
    struct status status = STATUS_IS_OK;
    if (faults.list.count)
        status =
            status_error(&plan->arena, STATUS_INVALID_ARGUMENT, "%s", fault_line(faults.list.items[0], &scratch).data);
    arena_free(&scratch);
    return status;
}

void plan_free(struct plan *plan)
{
    arena_free(&plan->arena);
}
