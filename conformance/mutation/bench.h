/* Internal to mutation/: the results without a deviation, and the counts of each deviation so far. */
#pragma once

#include "judge/schedule.h"
#include "judge/worker.h"
#include "mutation/mutation.h"

#define DEVIATE "oip-deviate" /* header and metadata: names the deviation that a request asks for */

struct bench {
    const struct suite *suite;
    const struct plan *plan;
    const struct run_options *options;
    struct mutation *mutation;
    const struct result **before; /* the results without a deviation, one for each assertion of the plan, in order */
    size_t *first_assertion;      /* of each play: index of its first assertion in `before` */
    struct servers servers;
    struct schedule *schedule;
    pthread_mutex_t mutex; /* guards the trials and the case keys */
};

/* Whether the play has an assertion of the requirement that the trial breaks, which passes without the trial. */
bool bench_may_kill(const struct bench *bench, const struct play *play, const struct trial *trial);

/* Counts the results of the play's assertions that may notice the trial. Returns whether one did. From any thread.
 * (record.c) */
bool bench_record(struct bench *bench, struct trial *trial, const struct play *play, const struct result *after);

/* Whether the assertion expects a refusal and saw one, but the server says that it refused because of another row. */
bool refused_by_another_row(const struct result *result);

/* The work of one thread: takes groups from the schedule, and tries on each of their plays the deviations that it may
 * notice. (play.c) */
void bench_work(struct worker *worker);

/* Tries the trial on every play that may notice it. The server at these addresses always deviates. (play.c) */
void bench_try_process(struct worker *worker, const struct address *addresses, struct trial *trial);
