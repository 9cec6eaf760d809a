#include "models/turn.h"

#include <stddef.h>

/* The default comes last: 0 wraps to the largest number. */
static bool is_before(const struct turn *one, const struct turn *other)
{
    return one->priority - 1 < other->priority - 1;
}

void line_join(struct line *line, struct turn *turn)
{
    struct turn **at = line->last && !is_before(turn, line->last) ? &line->last->next : &line->first;
    while (*at && !is_before(turn, *at))
        at = &(*at)->next;
    turn->next = *at;
    *at = turn;
    if (!turn->next)
        line->last = turn;
}

void line_leave(struct line *line, struct turn *turn)
{
    struct turn **at = &line->first, *before = NULL;
    for (; *at != turn; at = &(*at)->next)
        before = *at;
    *at = turn->next;
    if (line->last == turn)
        line->last = before;
    turn->next = NULL;
}

int64_t line_deadline(const struct line *line)
{
    int64_t earliest = TURN_NO_DEADLINE;
    for (const struct turn *turn = line->first; turn; turn = turn->next)
        if (turn->deadline < earliest)
            earliest = turn->deadline;
    return earliest;
}
