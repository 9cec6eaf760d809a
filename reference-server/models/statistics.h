/* What the requests to a version of a model come to: how many there were, and how long their parts took, in all and for
 * each size of a batch. Many threads count at once and do not wait for each other, because each processor counts in
 * cache lines of its own, as in base/tally.h. A request is counted before its answer is sent, so whoever has the answer
 * finds it counted. */
#ifndef MODELS_STATISTICS_H
#define MODELS_STATISTICS_H

#include "base/arena.h"
#include "base/tally.h"
#include <stdint.h>

/* The parts of a request that succeeds, one after the other. */
enum statistics_part {
    PART_QUEUE,  /* it waits for a thread */
    PART_INPUT,  /* its duties are checked, its inputs are prepared */
    PART_INFER,  /* the model works, and a request that waits inside the model waits */
    PART_OUTPUT, /* the answer is encoded */
    PARTS,
};

/* Requests with batches of one size. */
struct statistics_row {
    struct statistics_row *next;
    uint64_t batch;
    _Atomic uint64_t succeeded;
    _Atomic uint64_t ns[PARTS]; /* of those that succeeded */
    _Atomic uint64_t failed;
    _Atomic uint64_t failed_ns;
};

struct statistics_place {
    _Alignas(64) struct statistics_row one;  /* a batch of one element, or no batch */
    struct statistics_row unknown;           /* failed before the size of their batch was known */
    _Atomic(struct statistics_row *) others; /* from malloc, each for another size */
    _Atomic uint64_t last_ms;                /* since 1970: when the last one succeeded */
};

struct statistics {
    struct statistics_place places[TALLY_PLACES]; /* all zero at the start */
};

struct statistics_sum {
    uint64_t succeeded;
    uint64_t inferences; /* elements of batches that succeeded; a request without a batch is one */
    uint64_t ns[PARTS], last_ms, failed, failed_ns;
};

/* Requests with batches of one size, or of a size that is not known: 0. */
struct statistics_batch {
    uint64_t batch;
    struct statistics_sum sum; /* without last_ms */
};

/* Nanoseconds of a clock that never goes back. */
uint64_t statistics_now(void);

/* Count a request. `batch` is the number of elements of its batch: 1 if its model takes no batches, 0 if it fails
 * before that is known. Memory is taken once for each size, so a caller lets no size pass that the model refuses.
 * Without memory the request counts as one whose size is not known. */
void statistics_succeed(struct statistics *statistics, uint64_t batch, const uint64_t ns[PARTS]);
void statistics_fail(struct statistics *statistics, uint64_t batch, uint64_t ns);

struct statistics_sum statistics_sum(const struct statistics *statistics);

/* Lists the sizes for which there were requests, ascending, in the arena. Returns false without memory. */
bool statistics_by_batch(const struct statistics *statistics, struct arena *arena, struct statistics_batch **list,
                         size_t *count);

/* Frees what was allocated for the sizes of batches, but not the struct. */
void statistics_end(struct statistics *statistics);

#endif
