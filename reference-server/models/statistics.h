/* What the requests to a version of a model come to: how many there were, and how long their parts took, in all and for
 * each size of a batch. Many threads count at once, and do not wait for each other, because each processor counts in
 * rows of its own (base/tally.h). A request is counted before its answer is sent, so whoever has the answer finds it
 * counted. */
#pragma once

#include "base/arena.h"
#include "base/tally.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The parts of a request that succeeds, one after the other. */
enum statistics_part {
    PART_QUEUE,  /* it waits for a thread, and for others that it is joined with */
    PART_INPUT,  /* its duties are checked, its inputs are prepared */
    PART_INFER,  /* the model works, and a request that waits inside the model waits */
    PART_OUTPUT, /* the answer is encoded */
    PARTS,
};

struct statistics_row;

/* All zero at the start. */
struct statistics {
    _Atomic(struct statistics_row *) places[TALLY_PLACES]; /* on each a list: a row for each size of a batch */
};

struct statistics_sum {
    uint64_t succeeded;
    uint64_t inferences; /* elements of batches that succeeded; a request without a batch is one */
    uint64_t ns[PARTS];  /* nanoseconds of each part, over all that succeeded */
    uint64_t last_ms;    /* when the last one succeeded, in milliseconds since 1970; 0: none did */
    uint64_t failed, failed_ns;
    /* Executions that succeeded, which several requests may have shared, and the parts of computing over all of them */
    uint64_t executions, execution_ns[PARTS];
};

/* Requests, and executions, with batches of one size, or of a size that is not known: 0. */
struct statistics_batch {
    uint64_t batch;
    struct statistics_sum sum; /* without last_ms */
};

/* Forgets what was counted, and frees its memory. Nobody may count or read meanwhile. */
void statistics_close(struct statistics *statistics);

/* Count a request that succeeded, on its own or joined with others in one execution, or that failed. `batch` is the
 * number of elements of its batch: 1 if its model takes no batches, 0 if it fails before that is known. Each place
 * needs memory for each size, so the caller must not count sizes that the model refuses. Without memory the request is
 * not counted. */
void statistics_succeed(struct statistics *statistics, uint64_t batch, bool is_joined, const uint64_t ns[PARTS]);
void statistics_fail(struct statistics *statistics, uint64_t batch, uint64_t ns);

/* Counts an execution that was shared, with the elements of all that shared it. It has no PART_QUEUE. */
void statistics_execute(struct statistics *statistics, uint64_t batch, const uint64_t ns[PARTS]);

/* Sums up what all threads have counted so far. */
struct statistics_sum statistics_sum(const struct statistics *statistics);

/* Lists the sizes for which there were requests or executions, ascending, in the arena. Returns false without memory.
 */
bool statistics_by_batch(const struct statistics *statistics, struct arena *arena, struct statistics_batch **list,
                         size_t *count);
