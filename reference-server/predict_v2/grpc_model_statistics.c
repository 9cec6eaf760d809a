/* The statistics of models over gRPC, which are Triton's. */
#include "predict_v2/grpc.h"

#include "predict_v2/model_statistics.h"

/* Makes a message of each duration, for the fields of `into` from the `first` on. Returns false without memory. */
static bool describe_durations(const struct statistics_duration *durations, size_t count, struct arena *arena,
                               ProtobufCMessage *into, size_t first)
{
    V2__StatisticDuration **list = structs_list(arena, &v2__statistic_duration__descriptor, count);
    for (size_t i = 0; list && i < count; i++) {
        list[i]->count = durations[i].count;
        list[i]->ns = durations[i].ns;
        memcpy((char *)into + into->descriptor->fields[first + i].offset, &list[i], sizeof(list[i]));
    }
    return list;
}

static bool describe_batch(const struct statistics_batch *executions, struct arena *arena,
                           V2__InferBatchStatistics *statistics)
{
    struct statistics_duration durations[STATISTICS_BATCH_DURATIONS];
    statistics->batch_size = executions->batch;
    predict_v2_batch_durations(&executions->sum, durations);
    return describe_durations(durations, STATISTICS_BATCH_DURATIONS, arena, &statistics->base, 1);
}

static bool describe_batches(const struct version_statistics *version, struct arena *arena,
                             V2__ModelStatistics *statistics)
{
    statistics->n_batch_stats = version->execution_sizes;
    statistics->batch_stats = structs_list(arena, &v2__infer_batch_statistics__descriptor, statistics->n_batch_stats);
    bool is_whole = statistics->batch_stats;
    for (size_t i = 0; i < statistics->n_batch_stats && is_whole; i++)
        is_whole = describe_batch(&version->executions[i], arena, statistics->batch_stats[i]);
    return is_whole;
}

static bool describe(const struct version_statistics *version, struct arena *arena, V2__ModelStatistics *statistics)
{
    struct statistics_duration durations[STATISTICS_DURATIONS];
    V2__InferStatistics *inference = structs_new(arena, &v2__infer_statistics__descriptor);
    if (!inference)
        return false;
    statistics->name = structs_bytes(version->name);
    statistics->version = structs_bytes(version->version);
    statistics->last_inference = version->sum.last_ms;
    statistics->inference_count = version->sum.inferences;
    statistics->execution_count = version->sum.executions;
    statistics->inference_stats = inference;
    predict_v2_durations(&version->sum, durations);
    return describe_durations(durations, STATISTICS_DURATIONS, arena, &inference->base, 0) &&
           describe_batches(version, arena, statistics);
}

static struct status describe_all(struct arena *arena, const struct version_statistics *list, size_t count,
                                  V2__ModelStatisticsResponse *response)
{
    response->n_model_stats = count;
    response->model_stats = structs_list(arena, &v2__model_statistics__descriptor, count);
    bool is_whole = response->model_stats;
    for (size_t i = 0; i < count && is_whole; i++)
        is_whole = describe(&list[i], arena, response->model_stats[i]);
    return is_whole ? STATUS_IS_OK : status_no_memory();
}

/* statistics-grpc.statistics statistics-grpc.all-models statistics-grpc.success statistics-grpc.fail
 * statistics-grpc.inferences statistics-grpc.executions statistics-grpc.durations statistics-grpc.last-inference
 * statistics-grpc.versioned statistics-grpc.model-known statistics-grpc.version-known statistics-grpc.refused-counts */
void grpc_model_statistics(struct rpc_call *call)
{
    const struct shared *shared = call->context;
    struct version_statistics *list = NULL;
    size_t count = 0;
    V2__ModelStatisticsResponse response = V2__MODEL_STATISTICS_RESPONSE__INIT;
    const V2__ModelStatisticsRequest *request = grpc_request(call, &v2__model_statistics_request__descriptor);
    if (!request)
        return;
    struct status status = predict_v2_list_statistics(shared->repository, structs_str(request->name),
                                                      structs_str(request->version), call->arena, &list, &count);
    if (is_ok(status))
        status = describe_all(call->arena, list, count, &response);
    grpc_answer(call, status, &response.base);
}
