/* Answers over REST: JSON, or the error object (000, "Inference Response JSON Error Object") with the HTTP status of
 * its code. */
#include "predict_v2/rest.h"

#include "json/writer.h"

#define ERROR_TYPE "application/json" /* v2-rest.error-content-type */

void rest_write_origin(struct str id, const struct infer_response *response, struct buf *out)
{
    buf_append_byte(out, '{');
    if (id.data) {
        buf_append_literal(out, "\"id\":");
        json_write_string(out, id);
        buf_append_byte(out, ',');
    }
    buf_append_literal(out, "\"model_name\":");
    json_write_string(out, response->model->name);
    buf_append_literal(out, ",\"model_version\":");
    json_write_string(out, response->model->version);
}

/* It is written by hand, because there may be little memory. v2-rest.error-body */
void rest_write_error(struct buf *out, struct str message)
{
    buf_append_literal(out, "{\"error\":");
    json_write_string(out, message);
    buf_append_byte(out, '}');
}

const char *rest_write_refusal(struct http_request *http, int, const char *message)
{
    rest_write_error(&http->answer_buf, str_of(message));
    return ERROR_TYPE;
}

/* 000 demands an error status, "typically 400" (SPEC_NOTES.md, note 21). v2-rest.client-error-4xx
 * v2-rest.model-unknown-404 */
void rest_refuse(struct rest_call *call, struct status status)
{
    rest_refuse_as(call, http_status_of(status.code), status);
}

void rest_refuse_as(struct rest_call *call, int code, struct status status)
{
    struct http_request *http = call->http;
    http->refused_by = status.broken;
    buf_clear(&http->answer_buf);
    http->answer_tail_count = 0;
    rest_write_error(&http->answer_buf, status.message);
    http_answer(call->http, code, ERROR_TYPE);
}

void rest_answer(struct rest_call *call, struct status status)
{
    if (!is_ok(status))
        rest_refuse(call, status);
    else if (call->http->answer_buf.failed)
        rest_refuse(call, status_no_memory());
    else
        http_answer(call->http, 200, call->has_binary ? "application/octet-stream" : "application/json");
}

void rest_write_shape(const int64_t *shape, size_t rank, struct buf *out)
{
    buf_append_byte(out, '[');
    for (size_t i = 0; i < rank; i++) {
        json_write_next(out);
        json_write_int64(out, shape[i]);
    }
    buf_append_byte(out, ']');
}
