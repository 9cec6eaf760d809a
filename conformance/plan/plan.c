#include "base/search.h"
#include "plan/planner.h"

struct plan_target plan_nominal(const struct suite *suite, struct arena *arena)
{
    struct plan_target target = {
        .flags.allow_mutation = true, .discovery.no_model = STR("no_such_model"), .nominal = true};
    FOR_EACH_IN(state, tree_first(suite->states))
        values_add(&target.flags.states, arena_copy(arena, state->name).data, arena);
    for (size_t i = 0; i < suite->registry.endpoint_count; i++)
        target.addresses[i] = (struct address){&suite->registry.endpoints[i], STR("127.0.0.1:8000")};
    return target;
}

/* A step that is asked over another transport keeps its own group, which has the plays of the case's. */
static void settle_step(struct play *own, struct group *group)
{
    if (own->group->profile == group->profile) {
        own->group = group;
        return;
    }
    own->group->plays = group->plays;
    own->group->play_count = group->play_count;
}

/* Gives the plays of a group their places in the plan, and corrects all pointers to them. */
static void settle_group(struct plan *plan, struct group *group, size_t *next)
{
    for (size_t p = 0; p < group->play_count; p++, (*next)++) {
        struct play *play = &plan->plays[*next];
        *play = *group->plays[p];
        play->group = group;
        play->index = *next;
        for (size_t a = 0; a < play->assertion_count; a++)
            play->assertions[a].play = play;
        for (size_t s = 0; s < play->step_count; s++) {
            settle_step(play->steps[s].play, group);
            play->steps[s].play->index = *next;
        }
        plan->assertion_count += group->not_offered.size ? 0 : play->assertion_count;
        group->plays[p] = play;
    }
}

/* Puts groups and plays into their final order: those of encodings that the target does not offer come last. */
static void settle(struct planner *planner, struct plan *plan)
{
    size_t next_play = 0, next_group = 0;
    plan->plays = arena_alloc_zero(planner->arena, planner->plays.count, sizeof *plan->plays);
    plan->groups = arena_alloc_zero(planner->arena, planner->groups.count, sizeof *plan->groups);
    for (int offered = 1; offered >= 0; offered--) {
        for (size_t i = 0; i < planner->groups.count; i++) {
            const struct group *made = planner->groups.items[i];
            if ((made->not_offered.size == 0) != offered)
                continue;
            struct group *group = &plan->groups[next_group++];
            *group = *made;
            settle_group(plan, group, &next_play);
        }
        plan->play_count = offered ? next_play : plan->play_count;
        plan->group_count = offered ? next_group : plan->group_count;
    }
    plan->reachable_count = next_play;
}

/* Lists each encoding and profile that the target does not offer, once. */
static void list_not_offered(struct plan *plan, const struct secrets *secrets, size_t group_count)
{
    plan->not_offered = arena_alloc_zero(&plan->arena, group_count - plan->group_count, sizeof *plan->not_offered);
    for (size_t i = plan->group_count; i < group_count; i++) {
        const struct group *group = &plan->groups[i];
        if (!ANY(k, plan->not_offered_count,
                 plan->not_offered[k].encoding == group->encoding && plan->not_offered[k].profile == group->profile))
            plan->not_offered[plan->not_offered_count++] = (struct not_offered){
                group->encoding, group->profile, secrets_hide(secrets, group->not_offered, &plan->arena)};
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
    list_not_offered(plan, target->secrets, planner.groups.count);
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
        status = status_invalid(&plan->arena, "%s", fault_line(faults.list.items[0], &scratch).data);
    arena_free(&scratch);
    return status;
}

const struct play *plan_answered(const struct plan *plan, struct str path)
{
    return FIND(plan->plays, i, plan->play_count,
                plan->plays[i].answer && str_equal(plan->plays[i].group->family->path, path));
}

void plan_free(struct plan *plan)
{
    arena_free(&plan->arena);
}
