/* Reads parts of a case: replaces their variables for one choice of values, and notes what is wrong with them. */
#include "base/search.h"
#include "plan/planner.h"
#include "probe/learn.h"

bool plan_report(struct place place, const char *rule, struct status status)
{
    return is_ok(status) || fault_add(place, rule, "%.*s", STR_ARG(status.message));
}

const struct plan_target *plan_probed_target(struct planner *planner, const struct tree *probe)
{
    struct plan_target *target = arena_new_of(planner->arena, struct plan_target);
    *target = *planner->target;
    target->discovery.found = tree_object(planner->arena, {"probe", tree_share(planner->arena, probe)});
    return target;
}

/* What a probed model lacks makes the play not applicable, and is no fault of the suite: then the part is resolved for
 * a model that does not exist. */
struct tree *plan_resolve(struct planner *planner, const struct choice *choice, struct place place,
                          const struct tree *part)
{
    struct variables variables = {choice->variables, choice->variable_count, choice->target->discovery.found,
                                  choice->probe && !planner->target->nominal};
    struct tree *resolved = NULL;
    if (!part)
        return NULL;
    struct status status = variables_resolve(part, &variables, planner->arena, &resolved);
    if (status.code == STATUS_NOT_FOUND && choice->probe && !choice->no_probe && !planner->target->nominal) {
        planner->lacking = status.message;
        variables.found = plan_probed_target(planner, learn_nothing(planner->arena))->discovery.found;
        status = variables_resolve(part, &variables, planner->arena, &resolved);
    }
    return plan_report(place, "variables", status) ? resolved : NULL;
}

struct tree *plan_member(struct planner *planner, const struct choice *choice, const char *name)
{
    return plan_resolve(planner, choice, place_below(choice->place, str_of(name)),
                        tree_member(choice->family->tree, name));
}

bool plan_is_over(const struct tree *over, const struct encoding *encoding)
{
    FOR_EACH_OF(name, over)
        if (str_equal(name->text, encoding->name))
            return true;
    return !over;
}
