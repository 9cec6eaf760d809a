/* Metrics of the models, in Prometheus' text format 0.0.4. A request adds nothing to them: its model's statistics are
 * counted anyway, and read here when somebody asks. */
#include "monitoring/monitoring.h"

#include "base/search.h"
#include "models/statistics.h"
#include "json/writer.h"

/* The names are Triton's; all of them are counters.
 * metrics-triton.success metrics-triton.failure metrics-triton.inferences metrics-triton.executions
 * metrics-triton.durations metrics-triton.agrees */
enum { SUCCESS, FAILURE, INFERENCES, EXECUTIONS, REQUEST_US, QUEUE_US, INPUT_US, INFER_US, OUTPUT_US, METRICS };

static const struct {
    const char *name, *help;
} metrics[METRICS] = {
    [SUCCESS] = {"nv_inference_request_success", "Requests that succeeded"},
    [FAILURE] = {"nv_inference_request_failure", "Requests that failed"},
    [INFERENCES] = {"nv_inference_count", "Inferences: elements of batches"},
    [EXECUTIONS] = {"nv_inference_exec_count", "Executions of the model"},
    [REQUEST_US] = {"nv_inference_request_duration_us", "Microseconds of all requests that succeeded"},
    [QUEUE_US] = {"nv_inference_queue_duration_us",
                  "Microseconds that they waited for a thread, or for others to be joined with"},
    [INPUT_US] = {"nv_inference_compute_input_duration_us", "Microseconds of preparing their inputs"},
    [INFER_US] = {"nv_inference_compute_infer_duration_us", "Microseconds of their models"},
    [OUTPUT_US] = {"nv_inference_compute_output_duration_us", "Microseconds of encoding their outputs"},
};

/* A version of a model that is ready. */
struct measured {
    struct str name, version;
    uint64_t values[METRICS];
};

static struct measured measured(const struct model_row *row, const struct statistics_sum *sum)
{
    uint64_t ns = SUM(i, PARTS, sum->ns[i]);
    return (struct measured){row->name,
                             row->version,
                             {[SUCCESS] = sum->succeeded,
                              [FAILURE] = sum->failed,
                              [INFERENCES] = sum->inferences,
                              [EXECUTIONS] = sum->executions,
                              [REQUEST_US] = ns / 1000,
                              [QUEUE_US] = sum->ns[PART_QUEUE] / 1000,
                              [INPUT_US] = sum->ns[PART_INPUT] / 1000,
                              [INFER_US] = sum->ns[PART_INFER] / 1000,
                              [OUTPUT_US] = sum->ns[PART_OUTPUT] / 1000}};
}

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
        const struct statistics_sum sum = statistics_sum(hold.model->statistics);
        if (hold.model->state == MODEL_READY)
            (*list)[(*count)++] = measured(&rows[i], &sum);
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

static const char *write_refusal(struct http_request *http, int status, const char *message)
{
    (void)status;
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
    for (size_t i = 0; i < METRICS; i++) {
        buf_printf(out, "# HELP %s %s\n", metrics[i].name, metrics[i].help);
        buf_printf(out, "# TYPE %s counter\n", metrics[i].name);
        for (size_t k = 0; k < count; k++)
            write_sample(out, metrics[i].name, &list[k], list[k].values[i]);
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

static const char *const extensions[] = {"metrics-triton", NULL};

const struct http_service metrics_http = {
    .listener = "http",
    .prefix = "/metrics",
    .profile = "metrics",
    .handle = handle,
    .write_refusal = write_refusal,
    .form = &metrics_form,
    .extensions = extensions,
};
