/* In which order the groups of a plan are played: a thread takes the next one whose controls, and whose standards, are
 * decided: those of its plays stand in other groups, which have to be done before. Verdicts do not depend on the number
 * of threads: nothing else passes from one group to another. */
#ifndef JUDGE_SCHEDULE_H
#define JUDGE_SCHEDULE_H

#include "plan/plan.h"

struct schedule;

/* Of the plays that are wanted, or of all (NULL); `context` goes to that function. In the arena. */
struct schedule *schedule_new(const struct plan *plan, bool (*is_wanted)(const void *context, const struct play *play),
                              const void *context, struct arena *arena);
void schedule_free(struct schedule *schedule);

/* The next group; waits until one is ready. NULL: all are taken and done. `stuck`: it waits for groups that wait for
 * it, and cannot be played. From any thread. */
const struct group *schedule_take(struct schedule *schedule, bool *stuck);
void schedule_done(struct schedule *schedule, const struct group *group);

#endif
