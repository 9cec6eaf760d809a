/* Answers over REST: JSON, or the error object (000, "Inference Response JSON Error Object") with the status of its
 * code. */
#include "predict_v2/rest.h"

#include "json/writer.h"

struct http_code {
    enum status_code code;
    int status;
};

/* 000 wants an error status, "typically 400"; v2-rest.client-error-4xx v2-rest.model-unknown-404 */
static const struct http_code http_codes[] = {
    {STATUS_INVALID_ARGUMENT, 400},   {STATUS_NOT_FOUND, 404},   {STATUS_FAILED_PRECONDITION, 409},
    {STATUS_RESOURCE_EXHAUSTED, 413}, {STATUS_UNAVAILABLE, 503}, {STATUS_DEADLINE_EXCEEDED, 408},
    {STATUS_UNIMPLEMENTED, 415}, /* only for a Content-Encoding */
};

static int http_status_of(enum status_code code)
{
    for (size_t i = 0; i < sizeof(http_codes) / sizeof(*http_codes); i++)
        if (http_codes[i].code == code)
            return http_codes[i].status;
    return 500;
}

void predict_v2_error_body(struct buf *out, int status, const char *message)
{
    (void)status;
    buf_append_literal(out, "{\"error\":");
    json_write_string(out, str_of(message));
    buf_append_literal(out, "}");
}

/* v2-rest.content-type-answer v2-rest.content-length-answer */
static void answer(struct rest_call *call, int status, const char *content_type)
{
    call->http->no_content_length = rest_duty_is_off(call, "content-length-answer");
    http_answer(call->http, status, content_type);
}

/* v2-rest.error-body */
void rest_refuse(struct rest_call *call, struct status status)
{
    struct http_request *http = call->http;
    if (status.broken)
        http->refused_by = arena_printf(call->arena, "v2-rest.%s", status.broken).data;
    buf_clear(&http->answer_buf);
    buf_append_literal(&http->answer_buf, "{\"error\":");
    json_write_string(&http->answer_buf, status.message);
    buf_append_literal(&http->answer_buf, "}");
    answer(call, http_status_of(status.code), "application/json");
}

void rest_answer_json(struct rest_call *call)
{
    if (call->http->answer_buf.failed)
        rest_refuse(call, status_no_memory());
    else
        answer(call, 200, "application/json");
}

struct status rest_write_parameters(const struct parameters *parameters, struct buf *out, struct arena *arena)
{
    buf_append_byte(out, '{');
    for (size_t i = 0; i < parameters->count; i++) {
        const struct parameter *parameter = &parameters->list[i];
        if (i)
            buf_append_byte(out, ',');
        json_write_string(out, parameter->name);
        buf_append_byte(out, ':');
        switch (parameter->kind) {
        case PARAMETER_BOOL:
            buf_append_str(out, parameter->boolean ? STR("true") : STR("false"));
            break;
        case PARAMETER_INT64:
            json_write_int64(out, parameter->int64);
            break;
        case PARAMETER_UINT64:
            json_write_uint64(out, parameter->uint64);
            break;
        case PARAMETER_DOUBLE:
            if (!__builtin_isfinite(parameter->number))
                return status_error(arena, STATUS_INTERNAL,
                                    "parameter '%s' of the answer is no finite number: JSON cannot express it",
                                    str_printable(arena, parameter->name));
            json_write_double(out, parameter->number);
            break;
        case PARAMETER_STRING:
            if (!str_is_utf8(parameter->string))
                return status_error(arena, STATUS_INTERNAL,
                                    "parameter '%s' of the answer is not UTF-8: JSON cannot express it",
                                    str_printable(arena, parameter->name));
            json_write_string(out, parameter->string);
            break;
        }
    }
    buf_append_byte(out, '}');
    return STATUS_IS_OK;
}

void rest_write_shape(const int64_t *shape, size_t rank, struct buf *out)
{
    buf_append_byte(out, '[');
    for (size_t i = 0; i < rank; i++) {
        if (i)
            buf_append_byte(out, ',');
        json_write_int64(out, shape[i]);
    }
    buf_append_byte(out, ']');
}
