/* Requests that wait: when each of them is served, and how long it may wait. A line holds their turns in the order in
 * which they are served: a lower number of the priority comes first, and with equal priorities the one that came first.
 * A line takes no lock; its owner does. */
#pragma once

#include "base/clock.h"

#include <stdbool.h>

#define TURN_NO_DEADLINE INT64_MAX /* may wait without end */

struct turn {
    uint64_t priority; /* 1 is served first, then 2; 0, which is that of who names none, is served last */
    int64_t deadline;  /* when it has waited for too long, by clock_now; or TURN_NO_DEADLINE */
    struct turn *next; /* used by the line */
};

struct line {
    struct turn *first, *last; /* NULL if nobody waits */
};

/* Says whether the one whose turn this is has waited for too long. It asks for the time only if there is a deadline. */
static inline bool turn_is_late(const struct turn *turn)
{
    return turn->deadline != TURN_NO_DEADLINE && clock_now() >= turn->deadline;
}

/* Puts a turn in its place. The cost does not depend on how many wait if nobody names a priority. */
void line_join(struct line *line, struct turn *turn);

/* Takes a turn of the line out of it. */
void line_leave(struct line *line, struct turn *turn);

/* Returns the earliest deadline, or TURN_NO_DEADLINE. */
int64_t line_deadline(const struct line *line);
