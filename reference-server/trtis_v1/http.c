/* v1 over HTTP: the table of endpoints, and those that answer at once. Statuses are 200, 400 and 405 alone, as 002
 * knows no others; what is wrong says NV-Status. */
#include "trtis_v1/http.h"

#include "base/clock.h"
#include "base/search.h"

#define REASON_405 STR("Not Allowed") /* the words of the original server */

static bool is_success(const struct v1_outcome *outcome)
{
    return outcome->code == V1__REQUEST_STATUS_CODE__SUCCESS;
}

/* --- Health, status, profile --- */

/* trtis-v1-http.health-live trtis-v1-http.health-ready */
static void answer_health(struct http_request *http, struct str rest)
{
    struct str mode = rest.size ? str_from(rest, 1) : rest;
    if (rest.size > 0 && !str_is(rest, "/live") && !str_is(rest, "/ready")) {
        v1_http_answer_nothing(http);
        return;
    }
    bool is_healthy;
    struct v1_outcome outcome = v1_health(http->context, mode, http->arena, &is_healthy);
    v1_http_answer_outcome(http, &outcome, is_healthy ? 200 : 400, V1_TEXT);
}

/* trtis-v1-http.status-text trtis-v1-http.status-binary trtis-v1-http.status-content-type */
static void answer_status(struct http_request *http, struct str rest)
{
    if (rest.size > 0 && rest.data[0] != '/') {
        v1_http_answer_nothing(http);
        return;
    }
    V1__ServerStatus status;
    bool is_binary = v1_http_wants_binary(http->query);
    struct v1_outcome outcome = v1_status(http->context, rest.size ? str_from(rest, 1) : rest, http->arena, &status);
    if (is_success(&outcome)) {
        http->answer_body =
            is_binary ? structs_packed(http->arena, &status.base) : v1_text(&status.base, TEXT_LINES, http->arena);
        if (!http->answer_body.data) {
            outcome.code = V1__REQUEST_STATUS_CODE__INTERNAL;
            outcome.message = STR("out of memory");
        }
    }
    is_binary = is_binary && is_success(&outcome);
    v1_http_answer_outcome(http, &outcome, is_success(&outcome) ? 200 : 400, is_binary ? V1_BINARY : V1_TEXT);
}

static void answer_profile(struct http_request *http, struct str rest)
{
    if (rest.size > 0 && !str_is(rest, "/")) {
        v1_http_answer_nothing(http);
        return;
    }
    struct v1_outcome outcome = v1_profile(http->context);
    v1_http_answer_outcome(http, &outcome, is_success(&outcome) ? 200 : 400, V1_TEXT);
}

/* --- The table --- */

struct endpoint_row {
    const char *path, *method;
    void (*handle)(struct http_request *http, struct str rest);
    bool names_model; /* after the path: /NAME */
    size_t count;     /* the offset of its count in the context; 0: it has none */
};

static const struct endpoint_row rows[] = {
    {"/api/health", "GET", answer_health, false, offsetof(struct trtis_v1, health)},
    {"/api/status", "GET", answer_status, true, offsetof(struct trtis_v1, status)},
    {"/api/profile", "GET", answer_profile, false, offsetof(struct trtis_v1, profile)},
    {"/api/infer", "POST", v1_http_infer, true, 0},
};

static const struct endpoint_row *row_of(struct str path)
{
    return FIND(rows, i, COUNT_OF(rows), str_starts(path, str_of(rows[i].path)));
}

static void handle_row(struct http_request *http, const struct endpoint_row *row)
{
    if (str_is(http->method, row->method)) {
        row->handle(http, str_from(http->path, strlen(row->path)));
    } else {
        http->reason = REASON_405;
        http_answer_header(http, STR("Allow"), str_of(row->method));
        http_answer(http, 405, V1_TEXT);
    }
}

static void handle(struct http_request *http)
{
    uint64_t began = clock_now();
    struct trtis_v1 *v1 = http->context;
    const struct endpoint_row *row = row_of(http->path);
    if (!row) {
        v1_http_answer_nothing(http);
        return;
    }
    handle_row(http, row);
    if (row->count)
        v1_count((struct v1_count *)(void *)((char *)v1 + row->count), began);
}

/* Faults of the transport. A request of no path could not be read, or there is no memory for its answer. */
static const char *write_refusal(struct http_request *http, int, const char *message)
{
    struct v1_outcome outcome = {.code = V1__REQUEST_STATUS_CODE__INVALID_ARG, .message = str_of(message)};
    if (http->path.size == 0 || str_starts(http->path, STR("/api/infer")))
        v1_http_say_outcome(http, &outcome);
    return V1_TEXT;
}

/* /api/infer/NAME, /api/infer/NAME/VERSION, /api/status/NAME */
static struct str model_of(struct str path)
{
    const struct endpoint_row *row = row_of(path);
    size_t prefix = row && row->names_model ? strlen(row->path) + 1 : path.size;
    return path.size > prefix ? str_before(str_from(path, prefix), '/') : STR("");
}

const struct http_service trtis_v1_http = {
    .listener = "http",
    .prefix = "/api",
    .profile = "trtis-v1-http",
    .handle = handle,
    .write_refusal = write_refusal,
    .free_cache = v1_http_forget_header,
    .model_of = model_of,
    .form = &v1_form,
    .needs_no_host = true,
    .status_of_a_refusal = 400,
};
