/* The order in which groups are played. A thread takes the next group whose controls and standards are decided; these
 * belong to plays of other groups, which must be done before. Groups share nothing else, so verdicts do not depend on
 * the number of threads. */
#pragma once

#include "plan/plan.h"

struct schedule;

/* Makes the schedule, in the arena, for the plays that `is_wanted`, which gets `context`, accepts (NULL: all). */
struct schedule *schedule_new(const struct plan *plan, bool (*is_wanted)(const void *context, const struct play *play),
                              const void *context, struct arena *arena);
void schedule_free(struct schedule *schedule);

/* Takes the next group; waits until one is ready. NULL: all groups are taken and done. `stuck` is set once the waiting
 * groups wait for each other in a circle; their controls are then not decided. From any thread. */
const struct group *schedule_take(struct schedule *schedule, bool *stuck);
void schedule_done(struct schedule *schedule, const struct group *group);
