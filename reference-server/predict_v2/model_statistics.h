/* The statistics of models as both transports show them. */
#pragma once

#include "models/statistics.h"
#include "predict_v2/predict_v2.h"

struct version_statistics {
    struct str name, version;
    struct statistics_sum sum;
    struct statistics_batch *executions; /* by the sizes of their batches, ascending */
    size_t execution_sizes;
};

/* A duration as it is shown: how many requests or executions, and how long they took together. */
struct statistics_duration {
    const char *name;
    uint64_t count, ns;
};

#define STATISTICS_DURATIONS       8
#define STATISTICS_BATCH_DURATIONS 3

/* Lists the statistics of a version, or without a version of all ready versions of the model, or without a name of all
 * ready models, in the arena. Fails as predict_v2_find_ready does if the model that is named is not ready. */
struct status predict_v2_list_statistics(struct repository *repository, struct str name, struct str version,
                                         struct arena *arena, struct version_statistics **list, size_t *count);

/* Set what `inference_stats`, and an entry of `batch_stats`, show, in the order of the schema. */
void predict_v2_durations(const struct statistics_sum *sum, struct statistics_duration durations[STATISTICS_DURATIONS]);
void predict_v2_batch_durations(const struct statistics_sum *sum,
                                struct statistics_duration durations[STATISTICS_BATCH_DURATIONS]);
