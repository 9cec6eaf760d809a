/* The statistics of models over REST, which are Triton's: GET v2/models[/NAME[/versions/VERSION]]/stats. */
#include "predict_v2/rest.h"

#include "predict_v2/model_statistics.h"
#include "json/writer.h"

static void write_number(struct buf *out, const char *name, uint64_t value)
{
    json_write_name(out, str_of(name));
    json_write_uint64(out, value);
}

static void write_durations(struct buf *out, const struct statistics_duration *durations, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_write_name(out, str_of(durations[i].name));
        buf_append_byte(out, '{');
        write_number(out, "count", durations[i].count);
        write_number(out, "ns", durations[i].ns);
        buf_append_byte(out, '}');
    }
}

static void write_executions(struct buf *out, const struct statistics_batch *executions)
{
    struct statistics_duration durations[STATISTICS_BATCH_DURATIONS];
    predict_v2_batch_durations(&executions->sum, durations);
    json_write_next(out);
    buf_append_byte(out, '{');
    write_number(out, "batch_size", executions->batch);
    write_durations(out, durations, STATISTICS_BATCH_DURATIONS);
    buf_append_byte(out, '}');
}

static void write_version(struct buf *out, const struct version_statistics *version)
{
    struct statistics_duration durations[STATISTICS_DURATIONS];
    predict_v2_durations(&version->sum, durations);
    json_write_next(out);
    buf_append_byte(out, '{');
    json_write_member(out, "name", version->name);
    json_write_member(out, "version", version->version);
    write_number(out, "last_inference", version->sum.last_ms);
    write_number(out, "inference_count", version->sum.inferences);
    write_number(out, "execution_count", version->sum.executions);
    buf_append_literal(out, ",\"inference_stats\":{");
    write_durations(out, durations, STATISTICS_DURATIONS);
    buf_append_literal(out, "},\"response_stats\":{},\"batch_stats\":[");
    for (size_t i = 0; i < version->execution_sizes; i++)
        write_executions(out, &version->executions[i]);
    buf_append_literal(out, "],\"memory_usage\":[]}");
}

/* statistics-rest.statistics statistics-rest.all-models statistics-rest.success statistics-rest.fail
 * statistics-rest.inferences statistics-rest.executions statistics-rest.durations statistics-rest.last-inference
 * statistics-rest.versioned statistics-rest.model-known statistics-rest.version-known statistics-rest.refused-counts */
void rest_model_statistics(struct rest_call *call)
{
    struct version_statistics *list = NULL;
    size_t count = 0;
    struct buf *out = &call->http->answer_buf;
    struct status status =
        predict_v2_list_statistics(call->shared->repository, call->model, call->version, call->arena, &list, &count);
    buf_append_literal(out, "{\"model_stats\":[");
    for (size_t i = 0; i < count; i++)
        write_version(out, &list[i]);
    buf_append_literal(out, "]}");
    rest_answer(call, status);
}
