/* The statistics of models over gRPC, which are Triton's. */
#include "predict_v2/grpc.h"

#include "predict_v2/model_statistics.h"

/* Everything that the entry of a version consists of. */
struct entry {
    V2__ModelStatistics statistics;
    V2__InferStatistics inference;
    V2__StatisticDuration durations[STATISTICS_DURATIONS];
};

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
    statistics->name = grpc_bytes(version->name);
    statistics->version = grpc_bytes(version->version);
    statistics->last_inference = version->sum.last_ms;
    statistics->inference_count = version->sum.inferences;
    statistics->execution_count = version->sum.succeeded;
    statistics->inference_stats = inference;
    predict_v2_durations(&version->sum, durations);
    for (size_t i = 0; i < STATISTICS_DURATIONS; i++) {
        v2__statistic_duration__init(&entry->durations[i]);
        entry->durations[i].count = durations[i].count;
        entry->durations[i].ns = durations[i].ns;
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
    ProtobufCMessage *message;
    struct version_statistics *list = NULL;
    size_t count = 0;
    V2__ModelStatisticsResponse response = V2__MODEL_STATISTICS_RESPONSE__INIT;
    struct status status = grpc_read(call, &v2__model_statistics_request__descriptor, &message);
    if (is_ok(status)) {
        const V2__ModelStatisticsRequest *request = (const V2__ModelStatisticsRequest *)message;
        status = predict_v2_list_statistics(v2->repository, grpc_str(request->name), grpc_str(request->version),
                                            call->arena, &list, &count);
    }
    if (is_ok(status))
        status = describe_all(call->arena, list, count, &response);
    if (is_ok(status))
        grpc_answer(call, &response.base);
    else
        grpc_refuse(call, status);
}
