/* Metrics of the models, in Prometheus' text format 0.0.4. A request adds nothing to them: its model's statistics are
 * counted anyway, and read here when somebody asks. */
#include "monitoring/monitoring.h"

#include "base/search.h"
#include "models/statistics.h"
#include "json/writer.h"

/* A row's numbers are one member of the statistics, or an array of them, which are added up. They are divided by
 * `unit`, which makes microseconds of nanoseconds. */
#define MEMBER(NAME)                                                                                                   \
    offsetof(struct statistics_sum, NAME) / sizeof(uint64_t),                                                          \
        sizeof(((struct statistics_sum *)NULL)->NAME) / sizeof(uint64_t)
#define COUNTS(NAME)       MEMBER(NAME), 1
#define MICROSECONDS(NAME) MEMBER(NAME), 1000

/* The names are Triton's; all of them are counters.
 * metrics-triton.success metrics-triton.failure metrics-triton.inferences metrics-triton.executions
 * metrics-triton.durations metrics-triton.agrees */
static const struct metric {
    const char *name, *help;
    size_t first, count;
    uint64_t unit;
} metrics[] = {
    {"nv_inference_request_success", "Requests that succeeded", COUNTS(succeeded)},
    {"nv_inference_request_failure", "Requests that failed", COUNTS(failed)},
    {"nv_inference_count", "Inferences: elements of batches", COUNTS(inferences)},
    {"nv_inference_exec_count", "Executions of the model", COUNTS(executions)},
    {"nv_inference_request_duration_us", "Microseconds of all requests that succeeded", MICROSECONDS(ns)},
    {"nv_inference_queue_duration_us", "Microseconds that they waited for a thread, or for others to be joined with",
     MICROSECONDS(ns[PART_QUEUE])},
    {"nv_inference_compute_input_duration_us", "Microseconds of preparing their inputs", MICROSECONDS(ns[PART_INPUT])},
    {"nv_inference_compute_infer_duration_us", "Microseconds of their models", MICROSECONDS(ns[PART_INFER])},
    {"nv_inference_compute_output_duration_us", "Microseconds of encoding their outputs",
     MICROSECONDS(ns[PART_OUTPUT])},
};

static uint64_t value_of(const struct metric *metric, const struct statistics_sum *sum)
{
    const uint64_t *numbers = (const uint64_t *)sum + metric->first;
    return SUM(i, metric->count, numbers[i]) / metric->unit;
}

/* A version of a model that is ready. */
struct measured {
    struct str name, version;
    struct statistics_sum sum;
};

/* Lists the versions that are ready, in the arena. A version that is gone by now is left out. */
static struct status measure(struct repository *repository, struct arena *arena, struct measured **list, size_t *count)
{
    struct model_row *rows;
    size_t row_count = 0;
    TRY(repository_list(repository, arena, &rows, &row_count));
    *count = 0;
    *list = arena_alloc_zero(arena, row_count + 1, sizeof(**list));
    NEED(*list);
    for (size_t i = 0; i < row_count; i++) {
        struct model_hold hold;
        if (rows[i].state != MODEL_READY ||
            !is_ok(repository_find(repository, rows[i].name, rows[i].version, arena, &hold)))
            continue;
        struct measured measured = {rows[i].name, rows[i].version, statistics_sum(hold.model->statistics)};
        if (hold.model->state == MODEL_READY)
            (*list)[(*count)++] = measured;
        model_release(&hold);
    }
    return STATUS_IS_OK;
}

/* --- The text --- */

/* Writes the value of a label, with U+FFFD for a byte that is no UTF-8, as in JSON. metrics.label */
static void write_label(struct buf *out, struct str value)
{
    for (size_t i = 0, size; i < value.size; i += size ? size : 1) {
        char c = value.data[i];
        size = str_utf8_first(str_from(value, i));
        if (c == '\\' || c == '"' || c == '\n')
            buf_append_byte(out, '\\');
        if (c == '\n')
            buf_append_byte(out, 'n');
        else
            buf_append_str(out, size ? (struct str){value.data + i, size} : STR("\xEF\xBF\xBD"));
    }
}

static void write_sample(struct buf *out, const char *name, const struct measured *model, uint64_t value)
{
    buf_append_str(out, str_of(name));
    buf_append_literal(out, "{model=\"");
    write_label(out, model->name);
    buf_append_literal(out, "\",version=\"");
    write_label(out, model->version);
    buf_append_literal(out, "\"} ");
    json_write_uint64(out, value);
    buf_append_byte(out, '\n');
}

static const char *write_refusal(struct http_request *http, int, const char *message)
{
    buf_append_str(&http->answer_buf, str_of(message));
    buf_append_byte(&http->answer_buf, '\n');
    return "text/plain; charset=utf-8";
}

static void refuse(struct http_request *http, int status, const char *message)
{
    buf_clear(&http->answer_buf);
    http_answer(http, status, write_refusal(http, status, message));
}

static void answer(struct http_request *http)
{
    struct buf *out = &http->answer_buf;
    const struct shared *shared = http->context;
    struct measured *list = NULL;
    size_t count = 0;
    if (!is_ok(measure(shared->repository, http->arena, &list, &count))) {
        refuse(http, 413, "out of memory");
        return;
    }
    FOR_EACH(metric, metrics, COUNT_OF(metrics)) {
        buf_printf(out, "# HELP %s %s\n", metric->name, metric->help);
        buf_printf(out, "# TYPE %s counter\n", metric->name);
        for (size_t i = 0; i < count; i++)
            write_sample(out, metric->name, &list[i], value_of(metric, &list[i].sum));
    }
    http_answer(http, 200, "text/plain; version=0.0.4; charset=utf-8");
}

static void handle(struct http_request *http)
{
    if (!str_is(http->path, "/metrics")) {
        refuse(http, 404, "the metrics are at /metrics");
    } else if (!str_is(http->method, "GET") && !str_is(http->method, "HEAD")) {
        http_answer_header(http, STR("Allow"), STR("GET, HEAD"));
        refuse(http, 405, "the metrics endpoint takes GET");
    } else {
        answer(http);
    }
}

const struct http_service metrics_http = {
    .listener = "http",
    .prefix = "/metrics",
    .profile = "metrics",
    .handle = handle,
    .write_refusal = write_refusal,
    .form = &metrics_form,
};
