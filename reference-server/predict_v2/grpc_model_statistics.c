/* The statistics of models over gRPC, which are Triton's. */
#include "predict_v2/grpc.h"

#include "predict_v2/model_statistics.h"

/* Everything that the entry of a version consists of. */
struct entry {
    V2__ModelStatistics statistics;
    V2__InferStatistics inference;
    V2__StatisticDuration durations[STATISTICS_DURATIONS];
};

/* Everything that the entry of a size of batches consists of. */
struct batch_entry {
    V2__InferBatchStatistics statistics;
    V2__StatisticDuration durations[STATISTICS_BATCH_DURATIONS];
};

static void describe_duration(const struct statistics_duration *duration, V2__StatisticDuration *described)
{
    v2__statistic_duration__init(described);
    described->count = duration->count;
    described->ns = duration->ns;
}

static void describe_batch(const struct statistics_batch *executions, struct batch_entry *entry)
{
    struct statistics_duration durations[STATISTICS_BATCH_DURATIONS];
    V2__InferBatchStatistics *statistics = &entry->statistics;
    V2__StatisticDuration **const parts[STATISTICS_BATCH_DURATIONS] = {
        &statistics->compute_input, &statistics->compute_infer, &statistics->compute_output};
    v2__infer_batch_statistics__init(statistics);
    statistics->batch_size = executions->batch;
    predict_v2_batch_durations(&executions->sum, durations);
    for (size_t i = 0; i < STATISTICS_BATCH_DURATIONS; i++) {
        describe_duration(&durations[i], &entry->durations[i]);
        *parts[i] = &entry->durations[i];
    }
}

static bool describe_batches(const struct version_statistics *version, struct arena *arena,
                             V2__ModelStatistics *statistics)
{
    size_t count = version->execution_sizes;
    struct batch_entry *entries = arena_alloc(arena, count * sizeof(*entries));
    statistics->batch_stats = arena_alloc(arena, count * sizeof(*statistics->batch_stats));
    if (!entries || !statistics->batch_stats)
        return false;
    for (size_t i = 0; i < count; i++) {
        describe_batch(&version->executions[i], &entries[i]);
        statistics->batch_stats[i] = &entries[i].statistics;
    }
    statistics->n_batch_stats = count;
    return true;
}

static void describe(const struct version_statistics *version, struct entry *entry)
{
    struct statistics_duration durations[STATISTICS_DURATIONS];
    V2__ModelStatistics *statistics = &entry->statistics;
    V2__InferStatistics *inference = &entry->inference;
    V2__StatisticDuration **const parts[STATISTICS_DURATIONS] = {
        &inference->success,       &inference->fail,           &inference->queue,     &inference->compute_input,
        &inference->compute_infer, &inference->compute_output, &inference->cache_hit, &inference->cache_miss};
    v2__model_statistics__init(statistics);
    v2__infer_statistics__init(inference);
    statistics->name = structs_bytes(version->name);
    statistics->version = structs_bytes(version->version);
    statistics->last_inference = version->sum.last_ms;
    statistics->inference_count = version->sum.inferences;
    statistics->execution_count = version->sum.executions;
    statistics->inference_stats = inference;
    predict_v2_durations(&version->sum, durations);
    for (size_t i = 0; i < STATISTICS_DURATIONS; i++) {
        describe_duration(&durations[i], &entry->durations[i]);
        *parts[i] = &entry->durations[i];
    }
}

static struct status describe_all(struct arena *arena, const struct version_statistics *list, size_t count,
                                  V2__ModelStatisticsResponse *response)
{
    struct entry *entries = arena_alloc(arena, count * sizeof(*entries));
    response->model_stats = arena_alloc(arena, count * sizeof(*response->model_stats));
    if (!entries || !response->model_stats)
        return status_no_memory();
    for (size_t i = 0; i < count; i++) {
        describe(&list[i], &entries[i]);
        if (!describe_batches(&list[i], arena, &entries[i].statistics))
            return status_no_memory();
        response->model_stats[i] = &entries[i].statistics;
    }
    response->n_model_stats = count;
    return STATUS_IS_OK;
}

/* statistics-grpc.statistics statistics-grpc.all-models statistics-grpc.success statistics-grpc.fail
 * statistics-grpc.inferences statistics-grpc.executions statistics-grpc.durations statistics-grpc.last-inference
 * statistics-grpc.versioned statistics-grpc.model-known statistics-grpc.version-known statistics-grpc.refused-counts */
void grpc_model_statistics(struct rpc_call *call)
{
    const struct predict_v2 *v2 = call->context;
    struct version_statistics *list = NULL;
    size_t count = 0;
    V2__ModelStatisticsResponse response = V2__MODEL_STATISTICS_RESPONSE__INIT;
    const V2__ModelStatisticsRequest *request = grpc_request(call, &v2__model_statistics_request__descriptor);
    if (!request)
        return;
    struct status status = predict_v2_list_statistics(v2->repository, structs_str(request->name),
                                                      structs_str(request->version), call->arena, &list, &count);
    if (is_ok(status))
        status = describe_all(call->arena, list, count, &response);
    if (is_ok(status))
        rpc_answer_message(call, &response.base);
    else
        rpc_refuse(call, status);
}
