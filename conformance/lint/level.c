/* Levels: what only a weaker row asks for may not fail a server in passing. A row that is no MUST says in `owns` which
 * members of an answer are its own matter; a MUST may demand them only where the weaker row is among its controls, or
 * where an alternative does without. */
#include "lint/linter.h"

#include "base/search.h"

static bool demands(const struct tree *pattern, struct str pointer);

/* Takes the first segment off the pointer. */
static struct str take(struct str *pointer)
{
    const char *slash = pointer->size > 1 ? memchr(pointer->data + 1, '/', pointer->size - 1) : NULL;
    struct str segment = str_from(*pointer, 1);
    if (slash)
        segment.size = (size_t)(slash - segment.data);
    *pointer = str_from(*pointer, 1 + segment.size);
    return segment;
}

static bool any_demands(const struct tree *list, struct str pointer)
{
    return ANY_IN(one, list->first, demands(one, pointer));
}

static bool all_demand(const struct tree *list, struct str pointer)
{
    return list->first != NULL && ALL_IN(one, list->first, demands(one, pointer));
}

/* What a matcher demands: the alternatives of $in and $any what all of them do, those that allow absence nothing. */
static bool matcher_demands(const struct tree *matcher, struct str pointer)
{
    static const char *const lists[] = {"$unordered", "$only"}, *const elements[] = {"$contains", "$each", "$members"};
    struct str rest = pointer;
    bool element = pointer.size && str_is(take(&rest), "*");
    if (str_is(matcher->name, "$any") || str_is(matcher->name, "$in"))
        return all_demand(matcher, pointer);
    if (str_is(matcher->name, "$all"))
        return any_demands(matcher, pointer);
    if (str_is(matcher->name, "$not") || str_is(matcher->name, "$optional") || str_is(matcher->name, "$absent"))
        return false;
    for (size_t i = 0; element && i < COUNT_OF(lists); i++)
        if (str_is(matcher->name, lists[i]))
            return any_demands(matcher, rest);
    for (size_t i = 0; element && i < COUNT_OF(elements); i++)
        if (str_is(matcher->name, elements[i]))
            return demands(matcher, rest);
    return !pointer.size;
}

/* Whether only an answer with a value at the pointer meets the pattern. "*" stands for any element or member. */
static bool demands(const struct tree *pattern, struct str pointer)
{
    if (pattern->type == TREE_OBJECT && pattern->first && str_starts(pattern->first->name, STR("$")) &&
        !str_starts(pattern->first->name, STR("${")))
        return matcher_demands(pattern->first, pointer);
    if (!pointer.size)
        return true;
    struct str rest = pointer, segment = take(&rest);
    return ANY_IN(child, pattern->first,
                  (str_is(segment, "*") || (pattern->type == TREE_OBJECT && str_equal(child->name, segment))) &&
                      demands(child, rest));
}

static bool waits_for(const struct play *base, const struct requirement *row)
{
    return ANY(i, base->control_count, base->controls[i].assertion && base->controls[i].assertion->requirement == row);
}

static void check_assertion(struct linter *linter, const struct assertion *assertion, const struct requirement *row,
                            struct str pointer)
{
    const struct play *play = assertion->play;
    if (assertion->requirement->level != LEVEL_MUST || !str_equal(assertion->requirement->prefix, row->prefix) ||
        !demands(assertion->observation, pointer) || waits_for(play->group->plays[0], row))
        return;
    fault_add(family_place(play->group->family, linter->faults), "level-leak",
              "'%.*s' is a MUST and demands %.*s, which '%.*s' owns, a row of level %s", STR_ARG(assertion->id),
              STR_ARG(pointer), STR_ARG(row->key), level_name(row->level));
}

static void check_play(struct linter *linter, const struct play *play, const struct requirement *row,
                       struct str pointer)
{
    for (size_t s = 0; s < play->step_count; s++)
        for (size_t i = 0; i < play->steps[s].play->assertion_count; i++)
            check_assertion(linter, &play->steps[s].play->assertions[i], row, pointer);
    for (size_t i = 0; !play->step_count && i < play->assertion_count; i++)
        check_assertion(linter, &play->assertions[i], row, pointer);
}

void lint_levels(struct linter *linter)
{
    const struct ledger *ledger = &linter->suite->ledger;
    FOR_EACH(row, ledger->rows, ledger->count) {
        if (row->level == LEVEL_MUST)
            continue; /* it may be demanded, and explains why others fail (report/causes.h) */
        for (size_t k = 0; k < row->owns.count; k++)
            for (size_t i = 0; i < linter->plan->play_count; i++)
                check_play(linter, &linter->plan->plays[i], row, row->owns.items[k]);
    }
}
