/* Errors of GraphPipe (004, "Error"): an InferResponse with a code and a message, also where no InferRequest was
 * understood. SPEC_NOTES.md publishes the codes; a code stands for one problem and never for another. A client that
 * looks at HTTP alone finds the message in the reason phrase. */
#include "base/search.h"
#include "graphpipe/graphpipe_call.h"

#define REASON_MAX ((size_t)120) /* bytes of a reason phrase */

struct error_row {
    const char *slug; /* the duty that is broken */
    int64_t code;
};

/* graphpipe.error-code graphpipe.error-code-differs */
static const struct error_row broken_codes[] = {
    {"request-whole", 1},      {"request-type", 2},        {"request-formed", 3},    {"config-given", 4},
    {"model-known", 10},       {"model-ready", 11},        {"inputs-required", 20},  {"names-count", 21},
    {"input-once", 22},        {"input-known", 23},        {"all-inputs", 24},       {"type-lacking", 30},
    {"type-known", 31},        {"type-null", 32},          {"datatype-matches", 33}, {"one-data", 40},
    {"data-count", 41},        {"shape-not-negative", 42}, {"shape-matches", 43},    {"batch-fits", 44},
    {"output-name-known", 50},
};

/* For what breaks no row above. */
static const struct {
    enum status_code status;
    int64_t code;
} status_codes[] = {
    {STATUS_INVALID_ARGUMENT, 90},   {STATUS_NOT_FOUND, 91},   {STATUS_FAILED_PRECONDITION, 92},
    {STATUS_RESOURCE_EXHAUSTED, 93}, {STATUS_UNAVAILABLE, 94}, {STATUS_DEADLINE_EXCEEDED, 95},
    {STATUS_UNIMPLEMENTED, 96},
};

#define OTHER_CODE 99

static int64_t code_of(struct status status)
{
    for (size_t i = 0; status.broken && i < COUNT_OF(broken_codes); i++)
        if (strcmp(broken_codes[i].slug, status.broken) == 0)
            return broken_codes[i].code;
    return FIRST(i, COUNT_OF(status_codes), status_codes[i].status == status.code, status_codes[i].code, OTHER_CODE);
}

/* Returns the message as far as a reason phrase can hold it. */
static struct str reason_of(struct arena *arena, struct str message)
{
    size_t size = message.size < REASON_MAX ? message.size : REASON_MAX;
    char *reason = arena_alloc(arena, size);
    for (size_t i = 0; reason && i < size; i++)
        reason[i] = message.data[i] < ' ' || message.data[i] > '~' ? '?' : message.data[i];
    return (struct str){reason, reason ? size : 0};
}

/* Writes the answer of the original server in Go. */
static const char *write_text(struct http_request *http, struct str message)
{
    buf_append_str(&http->answer_buf, message);
    buf_append_byte(&http->answer_buf, '\n');
    http_answer_header(http, STR("X-Content-Type-Options"), STR("nosniff"));
    return "text/plain; charset=utf-8";
}

/* Writes the list of outputs too, although it is empty: some clients read it without asking whether it is there.
 * graphpipe.error-response graphpipe.error-message graphpipe.errors-or-tensors */
static const char *write_error(struct buf *out, int64_t code, struct str message)
{
    struct flat_writer writer = flat_writer_begin(out, NULL);
    struct flat_slot slots[FLAT_FIELDS_MAX], fields[FLAT_FIELDS_MAX], root = flat_write_root(&writer);
    flat_write_table(&writer, root, &graphpipe_infer_response,
                     1u << INFER_RESPONSE_OUTPUT_TENSORS | 1u << INFER_RESPONSE_ERRORS, slots);
    flat_write_list(&writer, slots[INFER_RESPONSE_OUTPUT_TENSORS], 0);
    flat_write_table(&writer, flat_write_list(&writer, slots[INFER_RESPONSE_ERRORS], 1), &graphpipe_error,
                     1u << ERROR_CODE | 1u << ERROR_MESSAGE, fields);
    flat_write_scalar(&writer, fields[ERROR_CODE], (uint64_t)code, sizeof code);
    flat_write_string(&writer, fields[ERROR_MESSAGE], message);
    return GRAPHPIPE_CONTENT_TYPE;
}

static const char *write_refusal(struct http_request *http, int64_t code, struct str message)
{
    const struct graphpipe *service = http->context; /* NULL while the server starts */
    http->reason = reason_of(http->arena, message);
    return service && service->is_lenient ? write_text(http, message) : write_error(&http->answer_buf, code, message);
}

/* Such an error has the HTTP status as its code. */
const char *graphpipe_write_refusal(struct http_request *http, int status, const char *message)
{
    return write_refusal(http, status, str_of(message));
}

void graphpipe_refuse(struct graphpipe_call *call, struct status status)
{
    struct http_request *http = call->http;
    model_release(&call->hold);
    http->refused_by = status.broken;
    buf_clear(&http->answer_buf);
    http->answer_tail_count = 0;
    int http_status = call->service->is_lenient ? 400 : http_status_of(status.code);
    http_answer(http, http_status, write_refusal(http, code_of(status), status.message));
}
