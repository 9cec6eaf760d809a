/* What the requests to a version of a model come to: how many there were, and how long their parts took. Many threads
 * count at once: each thread has a place of its own, which no other thread writes; so to count is to load, to add and
 * to store. A request is counted before its answer is sent, so whoever has the answer finds it counted. */
#ifndef MODELS_STATISTICS_H
#define MODELS_STATISTICS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The parts of a request that succeeds, one after the other. */
enum statistics_part {
    PART_QUEUE,  /* it waits for a thread */
    PART_INPUT,  /* its duties are checked, its inputs are prepared */
    PART_INFER,  /* the model works, and a request that waits inside the model waits */
    PART_OUTPUT, /* the answer is encoded */
    PARTS,
};

struct statistics_place;

struct statistics {
    uint64_t number; /* no other statistics ever have it */
    _Atomic(struct statistics_place *) places;
};

struct statistics_sum {
    uint64_t succeeded, inferences, ns[PARTS], last_ms, failed, failed_ns;
};

/* Begins with nothing counted. Returns false without memory. */
bool statistics_open(struct statistics *statistics);

/* Frees the places. Nobody may count or read then. */
void statistics_close(struct statistics *statistics);

/* Nanoseconds of a clock that never goes back. */
uint64_t statistics_now(void);

void statistics_succeed(struct statistics *statistics, uint64_t inferences, const uint64_t ns[PARTS]);
void statistics_fail(struct statistics *statistics, uint64_t ns);

struct statistics_sum statistics_sum(const struct statistics *statistics);

#endif
