#include "predict_v2/model_statistics.h"

#include "base/search.h"
#include "models/repository.h"

/* Sizes for which all requests failed had no execution. */
static bool list_executions(const struct statistics *statistics, struct arena *arena,
                            struct version_statistics *version)
{
    size_t count = 0, kept = 0;
    if (!statistics_by_batch(statistics, arena, &version->executions, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (version->executions[i].sum.executions > 0)
            version->executions[kept++] = version->executions[i];
    version->execution_sizes = kept;
    return true;
}

/* Adds the statistics of a version; not if it is gone, or no longer ready, by now. Returns false without memory. */
static bool add(struct repository *repository, const struct model_row *row, struct arena *arena,
                struct version_statistics *list, size_t *count)
{
    struct model_hold hold;
    if (!is_ok(predict_v2_find_ready(repository, row->name, row->version, arena, &hold)))
        return true;
    struct version_statistics *version = &list[(*count)++];
    *version = (struct version_statistics){
        .name = row->name, .version = row->version, .sum = statistics_sum(hold.model->statistics)};
    bool is_complete = list_executions(hold.model->statistics, arena, version);
    model_release(&hold);
    return is_complete;
}

struct status predict_v2_list_statistics(struct repository *repository, struct str name, struct str version,
                                         struct arena *arena, struct version_statistics **list, size_t *count)
{
    struct model_row *rows;
    struct model_hold hold = {0};
    size_t row_count = 0;
    struct status status = name.size ? predict_v2_find_ready(repository, name, version, arena, &hold) : STATUS_IS_OK;
    model_release(&hold);
    TRY(status);
    TRY(repository_list(repository, arena, &rows, &row_count));
    *count = 0;
    *list = arena_alloc(arena, row_count * sizeof(**list));
    NEED(*list);
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].state == MODEL_READY && (!name.size || str_equal(rows[i].name, name)) &&
            (!version.size || str_equal(rows[i].version, version)) && !add(repository, &rows[i], arena, *list, count))
            return status_no_memory();
    return status;
}

/* A request that succeeds has each of the parts once. There is no cache. */
void predict_v2_durations(const struct statistics_sum *sum, struct statistics_duration durations[STATISTICS_DURATIONS])
{
    uint64_t total = SUM(i, PARTS, sum->ns[i]);
    const struct statistics_duration set[STATISTICS_DURATIONS] = {
        {"success", sum->succeeded, total},
        {"fail", sum->failed, sum->failed_ns},
        {"queue", sum->succeeded, sum->ns[PART_QUEUE]},
        {"compute_input", sum->succeeded, sum->ns[PART_INPUT]},
        {"compute_infer", sum->succeeded, sum->ns[PART_INFER]},
        {"compute_output", sum->succeeded, sum->ns[PART_OUTPUT]},
        {"cache_hit", 0, 0},
        {"cache_miss", 0, 0},
    };
    memcpy(durations, set, sizeof(set));
}

void predict_v2_batch_durations(const struct statistics_sum *sum,
                                struct statistics_duration durations[STATISTICS_BATCH_DURATIONS])
{
    const struct statistics_duration set[STATISTICS_BATCH_DURATIONS] = {
        {"compute_input", sum->executions, sum->execution_ns[PART_INPUT]},
        {"compute_infer", sum->executions, sum->execution_ns[PART_INFER]},
        {"compute_output", sum->executions, sum->execution_ns[PART_OUTPUT]},
    };
    memcpy(durations, set, sizeof(set));
}
