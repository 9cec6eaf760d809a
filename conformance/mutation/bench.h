/* What the parts of a mutation run share: the results without a deviation, and what each deviation has come to so far.
 */
#ifndef MUTATION_BENCH_H
#define MUTATION_BENCH_H

#include "judge/schedule.h"
#include "judge/worker.h"
#include "mutation/mutation.h"

#define DEVIATE "oip-deviate" /* header and metadata: the deviation that a request asks for */

struct bench {
    const struct suite *suite;
    const struct plan *plan;
    const struct run_options *options;
    struct mutation *mutation;
    const struct result **before; /* without a deviation: of each assertion of the plan, in order */
    size_t *first_assertion;      /* of each play, in `before` */
    struct servers servers;
    struct schedule *schedule;
    pthread_mutex_t mutex; /* of the mutants and the keys */
};

/* Whether the play has an assertion of the requirement that the mutant breaks, which passes without it. */
bool bench_may_kill(const struct bench *bench, const struct play *play, const struct mutant *mutant);

/* Counts what became of assertion `index` with the deviation; from any thread. Whether it noticed. (record.c) */
bool bench_record(struct bench *bench, struct mutant *mutant, size_t index, const struct result *after);

/* Whether the result is that of an assertion about being refused, which the server says another row has refused. */
bool refused_by_another_row(const struct result *result);

/* Asks the target which of the deviations it has: sets is_known of those that need no process of their own, and the
 * trouble of the others. (ask.c) */
void bench_ask(struct bench *bench, struct worker *worker);

/* A worker's part: takes groups from the schedule and tries on each of their plays the deviations that it may notice.
 * (play.c) */
void bench_work(struct worker *worker);

/* Every play that may notice the mutant, on a server at these addresses that deviates in all that it does. (play.c) */
void bench_try_process(struct worker *worker, const struct address *addresses, struct mutant *mutant);

#endif
