#include "plan/plan.h"

const struct play *plan_told(const struct plan *plan, struct str path)
{
    for (size_t i = 0; i < plan->play_count; i++)
        if (plan->plays[i].answer && str_equal(plan->plays[i].group->family->path, path))
            return &plan->plays[i];
    return NULL;
}
