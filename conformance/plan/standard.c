/* "agrees": the standard is the answer to the same request in the first encoding that the target offers. In that
 * encoding itself there is nothing to compare with: the assertion is left out. */
#include "plan/planner.h"
#include "plan/word.h"

/* Returns the ID without its encoding; it is the same for all encodings of one choice. */
static struct str id_without_encoding(const struct play *base)
{
    size_t encoding = base->group->encoding->name.size + 1;
    return (struct str){base->id.data, base->id.size - encoding};
}

static const struct play *standard_of(const struct plan *plan, const struct play *base)
{
    for (size_t i = 0; i < plan->group_count; i++) {
        const struct play *other = plan->groups[i].plays[0];
        if (other->group->family == base->group->family && !other->not_applicable.size &&
            str_equal(id_without_encoding(other), id_without_encoding(base)))
            return other;
    }
    return base;
}

static void leave_out(struct plan *plan, struct play *play, size_t index)
{
    play->assertion_count--;
    plan->assertion_count--;
    for (size_t i = index; i < play->assertion_count; i++)
        play->assertions[i] = play->assertions[i + 1];
}

void plan_standards(struct plan *plan)
{
    for (size_t i = 0; i < plan->group_count; i++) {
        struct play *base = plan->groups[i].plays[0];
        for (size_t a = 0; a < base->assertion_count; a++) {
            if (!word_agrees(base->assertions[a].observation))
                continue;
            const struct play *standard = standard_of(plan, base);
            if (standard == base)
                leave_out(plan, base, a--);
            else
                base->assertions[a].standard = standard;
        }
    }
}
