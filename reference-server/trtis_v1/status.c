/* "Status" of 002: the server, and its models with their configurations, states and statistics. */
#include "trtis_v1/v1.h"

#include "base/clock.h"
#include "inference/infer.h"
#include "models/repository.h"
#include "models/statistics.h"
#include "trtis_v1/model.h"

/* --- Durations --- */

static V1__StatDuration *duration(struct arena *arena, uint64_t count, uint64_t ns)
{
    V1__StatDuration *made = structs_new(arena, &v1__stat_duration__descriptor);
    if (made) {
        made->count = count;
        made->total_time_ns = ns;
    }
    return made;
}

/* The messages of all endpoints have the same layout. */
static bool add_requests(const struct v1_count *count, struct arena *arena, V1__StatusRequestStats **stats)
{
    uint64_t requests = atomic_load(&count->requests);
    if (requests == 0)
        return true;
    *stats = structs_new(arena, &v1__status_request_stats__descriptor);
    return *stats && ((*stats)->success = duration(arena, requests, atomic_load(&count->ns)));
}

/* --- A version --- */

static V1__InferRequestStats *batch_statistics(const struct statistics_sum *sum, struct arena *arena)
{
    V1__InferRequestStats *stats = structs_new(arena, &v1__infer_request_stats__descriptor);
    if (!stats)
        return NULL;
    uint64_t compute = sum->ns[PART_INPUT] + sum->ns[PART_INFER] + sum->ns[PART_OUTPUT];
    bool is_complete = true;
    if (sum->succeeded) {
        stats->success = duration(arena, sum->succeeded, compute + sum->ns[PART_QUEUE]);
        stats->compute = duration(arena, sum->succeeded, compute);
        stats->queue = duration(arena, sum->succeeded, sum->ns[PART_QUEUE]);
        is_complete = stats->success && stats->compute && stats->queue;
    }
    if (sum->failed) {
        stats->failed = duration(arena, sum->failed, sum->failed_ns);
        is_complete &= stats->failed != NULL;
    }
    return is_complete ? stats : NULL;
}

static bool add_statistics(const struct statistics *statistics, struct arena *arena, V1__ModelVersionStatus *status)
{
    struct statistics_batch *list;
    size_t count;
    struct statistics_sum sum = statistics_sum(statistics);
    status->model_execution_count = sum.executions;
    status->model_inference_count = sum.inferences;
    if (!statistics_by_batch(statistics, arena, &list, &count))
        return false;
    status->infer_stats = structs_list(arena, &v1__model_version_status__infer_stats_entry__descriptor, count);
    if (!status->infer_stats)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (list[i].sum.succeeded + list[i].sum.failed == 0)
            continue; /* only requests that were joined had this size, all together */
        V1__ModelVersionStatus__InferStatsEntry *entry = status->infer_stats[status->n_infer_stats++];
        entry->key = (uint32_t)list[i].batch;
        entry->value = batch_statistics(&list[i].sum, arena);
        if (!entry->value)
            return false;
    }
    return true;
}

static const V1__ModelReadyState ready_states[] = {
    [MODEL_LOADING] = V1__MODEL_READY_STATE__MODEL_LOADING,
    [MODEL_READY] = V1__MODEL_READY_STATE__MODEL_READY,
    [MODEL_UNAVAILABLE] = V1__MODEL_READY_STATE__MODEL_UNAVAILABLE,
    [MODEL_UNLOADING] = V1__MODEL_READY_STATE__MODEL_UNLOADING,
};

/* Adds a version, with its state and what its requests came to. */
static bool add_version(const struct model *model, const struct model_row *row, struct arena *arena,
                        V1__ModelStatus *status)
{
    V1__ModelStatus__VersionStatusEntry *entry = status->version_status[status->n_version_status];
    V1__ModelVersionStatus *version = structs_new(arena, &v1__model_version_status__descriptor);
    if (!version)
        return false;
    entry->key = v1_version_number(row->version);
    entry->value = version;
    version->ready_state = ready_states[row->state];
    status->n_version_status++;
    return add_statistics(model->statistics, arena, version);
}

/* --- A model --- */

typedef V1__ServerStatus__ModelStatusEntry ModelEntry;

/* Adds a version; the configuration of the highest one is that of the model. A version that is gone by now, or that v1
 * has no types for, is left out. */
static struct status add_row(const struct trtis_v1 *v1, const struct model_row *row, struct arena *arena,
                             V1__ModelStatus *status)
{
    struct model_hold hold;
    if (!is_ok(repository_find(v1->repository, row->name, row->version, arena, &hold)))
        return STATUS_IS_OK;
    struct status fault = STATUS_IS_OK;
    if (v1_has_types(hold.model)) {
        fault = v1_config(hold.model, arena, &status->config);
        if (is_ok(fault) && row->version.size && !add_version(hold.model, row, arena, status))
            fault = status_no_memory();
    }
    model_release(&hold);
    return fault;
}

/* The rows are those of the model: its versions, ascending. */
static struct status fill_model(const struct trtis_v1 *v1, const struct model_row *rows, size_t count,
                                struct arena *arena, ModelEntry *entry)
{
    V1__ModelStatus *status = structs_new(arena, &v1__model_status__descriptor);
    NEED(status);
    entry->key = structs_bytes(v1_shown(arena, rows[0].name));
    entry->value = status;
    status->version_status = structs_list(arena, &v1__model_status__version_status_entry__descriptor, count);
    struct status fault = status->version_status ? STATUS_IS_OK : status_no_memory();
    for (size_t i = 0; i < count && is_ok(fault); i++)
        fault = add_row(v1, &rows[i], arena, status);
    return fault;
}

/* Returns how many rows are of the model that they begin with. */
static size_t versions_of(const struct model_row *rows, size_t count)
{
    size_t same = 1;
    while (same < count && str_equal(rows[same].name, rows[0].name))
        same++;
    return same;
}

static struct status add_models(const struct trtis_v1 *v1, struct str name, struct arena *arena,
                                V1__ServerStatus *status)
{
    struct model_row *rows;
    size_t count = 0;
    struct status fault = repository_list(v1->repository, arena, &rows, &count);
    ModelEntry **entries = structs_list(arena, &v1__server_status__model_status_entry__descriptor, count);
    NEED(entries);
    status->model_status = entries;
    for (size_t i = 0, versions; i < count && is_ok(fault); i += versions) {
        versions = versions_of(rows + i, count - i);
        ModelEntry *entry = entries[status->n_model_status];
        bool is_asked = name.size == 0 || str_equal(name, rows[i].name);
        if (is_asked)
            fault = fill_model(v1, rows + i, versions, arena, entry);
        status->n_model_status += is_asked && is_ok(fault) && entry->value->config;
    }
    return fault;
}

/* --- The server --- */

static void fill_server(const struct trtis_v1 *v1, V1__ServerStatus *status)
{
    status->id = structs_bytes(STR(V1_SERVER_ID));
    status->version = structs_bytes(str_of(v1->version));
    status->uptime_ns = clock_now() - v1->started;
    status->ready_state = V1__SERVER_READY_STATE__SERVER_READY;
}

static bool add_endpoints(const struct trtis_v1 *v1, struct arena *arena, V1__ServerStatus *status)
{
    return add_requests(&v1->status, arena, &status->status_stats) &&
           add_requests(&v1->profile, arena, (V1__StatusRequestStats **)(void *)&status->profile_stats) &&
           add_requests(&v1->health, arena, (V1__StatusRequestStats **)(void *)&status->health_stats);
}

struct v1_outcome v1_status(struct trtis_v1 *v1, struct str name, struct arena *arena, V1__ServerStatus *status)
{
    v1__server_status__init(status);
    if (infer_draining())
        return v1_exiting();
    struct v1_outcome outcome = v1_counted(v1);
    struct status fault = add_models(v1, name, arena, status);
    fill_server(v1, status);
    if (is_ok(fault) && name.size == 0 && !add_endpoints(v1, arena, status))
        fault = status_no_memory();
    if (!is_ok(fault)) {
        outcome.code = V1__REQUEST_STATUS_CODE__INTERNAL;
        outcome.message = fault.message;
    } else if (name.size > 0 && status->n_model_status == 0) {
        struct str shown = v1_shown(arena, name);
        outcome.code = V1__REQUEST_STATUS_CODE__INVALID_ARG;
        outcome.message = arena_printf(arena, "no status available for unknown model '%.*s'", STR_ARG(shown));
        outcome.broken = "status-model-known";
    }
    return outcome;
}
