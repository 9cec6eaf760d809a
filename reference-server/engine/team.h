/* Work that several threads share. */
#pragma once

#include "engine/operator.h"

/* Works on first to end - 1. Each thread has a number, a run and scratch memory of its own. */
typedef struct status team_work(void *context, const struct run *run, int thread, int64_t first, int64_t end);

/* Returns how many threads work so much (run_threads), if there are so many shares: at least one. */
int team_size(const struct run *run, int64_t work, int64_t shares);

/* Divides 0 to count - 1 among the threads of a team_size: threads of OpenMP, or one after the other if it was compiled
 * without OpenMP. They are in no other team meanwhile. Returns a failure if there was one. */
struct status team_share(const struct run *run, int threads, int64_t count, team_work *work, void *context);
