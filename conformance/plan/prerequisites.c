/* Counts what must hold before a play means anything. Of several failures, look first at the one whose play has the
 * fewest prerequisites: the others may only follow from it. */
#include "base/search.h"
#include "plan/plan.h"

#define PREREQUISITES_MAX 64 /* plays that are counted; a case waits for a handful */

struct seen {
    const struct play *plays[PREREQUISITES_MAX];
    size_t count;
};

static void add_play(struct seen *seen, const struct play *play)
{
    if (seen->count < PREREQUISITES_MAX && !ANY(i, seen->count, seen->plays[i] == play))
        seen->plays[seen->count++] = play;
}

size_t plan_prerequisites(const struct play *play)
{
    struct seen seen = {.plays = {play}, .count = 1};
    for (size_t i = 0; i < seen.count; i++) {
        const struct play *one = seen.plays[i], *base = one->group->plays[0];
        if (one != base)
            add_play(&seen, base);
        for (size_t k = 0; k < one->control_count; k += control_choices(&one->controls[k]))
            add_play(&seen, one->controls[k].play);
    }
    return seen.count - 1;
}

bool plan_names_own_keys(const struct play *play)
{
    return ANY(i, play->control_count, play->controls[i].play == play);
}

/* What the case is about: its first MUST of a document; of a case that is about the transport, its first MUST. */
static const struct assertion *main_assertion(const struct play *play)
{
    const struct assertion *first = NULL;
    FOR_EACH(assertion, play->assertions, play->assertion_count) {
        if (assertion->requirement->level != LEVEL_MUST || assertion->of_refusal)
            continue;
        if (assertion->requirement->layer != LAYER_TRANSPORT)
            return assertion;
        first = first ? first : assertion;
    }
    return first;
}

bool plan_builds_on(const struct play *play, const struct assertion *assertion)
{
    return plan_names_own_keys(play)
               ? ANY(i, play->control_count, play->controls[i].play == play && play->controls[i].assertion == assertion)
               : assertion == main_assertion(play);
}
