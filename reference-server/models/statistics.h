/* What the requests to a version of a model come to: how many there were, and how long their parts took. Many threads
 * count at once and do not wait for each other, because each processor counts in cache lines of its own, as in
 * base/tally.h. A request is counted before its answer is sent, so whoever has the answer finds it counted. */
#ifndef MODELS_STATISTICS_H
#define MODELS_STATISTICS_H

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

struct statistics_place {
    _Alignas(64) _Atomic uint64_t succeeded;
    _Atomic uint64_t inferences; /* elements of batches that succeeded; a request without a batch is one */
    _Atomic uint64_t ns[PARTS];  /* of those that succeeded */
    _Atomic uint64_t last_ms;    /* since 1970: when the last one succeeded */
    _Atomic uint64_t failed;
    _Atomic uint64_t failed_ns;
};

struct statistics {
    struct statistics_place places[TALLY_PLACES]; /* all zero at the start */
};

struct statistics_sum {
    uint64_t succeeded, inferences, ns[PARTS], last_ms, failed, failed_ns;
};

/* Nanoseconds of a clock that never goes back. */
uint64_t statistics_now(void);

void statistics_succeed(struct statistics *statistics, uint64_t inferences, const uint64_t ns[PARTS]);
void statistics_fail(struct statistics *statistics, uint64_t ns);

struct statistics_sum statistics_sum(const struct statistics *statistics);

#endif
