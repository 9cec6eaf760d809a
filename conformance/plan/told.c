#include "base/search.h"
#include "plan/plan.h"

const struct play *plan_told(const struct plan *plan, struct str path)
{
    return FIND(plan->plays, i, plan->play_count,
                plan->plays[i].answer && str_equal(plan->plays[i].group->family->path, path));
}
