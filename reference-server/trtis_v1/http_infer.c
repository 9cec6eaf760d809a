/* "Inference" of 002 over HTTP: POST /api/infer/MODEL[/VERSION]. The header NV-InferRequest is an InferRequestHeader,
 * and the body is the bytes of its inputs. The answer is the InferResponseHeader without classes in the header
 * NV-InferResponse; the body is the bytes of the outputs, and after them the whole InferResponseHeader. */
#include "trtis_v1/http.h"
#include "trtis_v1/infer.h"

#include "base/clock.h"
#include "tensor/raw.h"

/* --- The answer --- */

static struct str header_text(const struct v1_infer *asked)
{
    const V1__InferResponseHeader *response = asked->response;
    struct arena *arena = asked->request.arena;
    V1__InferResponseHeader header = *response;
    V1__InferResponseHeader__Output *outputs = arena_alloc(arena, header.n_output * sizeof(*outputs));
    header.output = arena_alloc(arena, header.n_output * sizeof(*header.output));
    if (!outputs || !header.output)
        return (struct str){0};
    for (size_t i = 0; i < header.n_output; i++) {
        outputs[i] = *response->output[i];
        outputs[i].n_batch_classes = 0;
        header.output[i] = &outputs[i];
    }
    return v1_text(&header.base, TEXT_LINE, arena);
}

static struct str trailer(const struct http_request *http, const V1__InferResponseHeader *response)
{
    return v1_http_wants_binary(http->query) ? structs_packed(http->arena, &response->base)
                                             : v1_text(&response->base, TEXT_LINES, http->arena);
}

/* Sets header and body of an answer. Returns false without memory.
 * trtis-v1-http.meta-data trtis-v1-http.raw-in-order trtis-v1-http.trailer */
static bool set_answer(struct http_request *http, const struct v1_infer *asked)
{
    const V1__InferResponseHeader *response = asked->response;
    struct str *pieces = arena_alloc(http->arena, (response->n_output + 1) * sizeof(*pieces));
    struct str header = header_text(asked), last = trailer(http, response);
    if (!pieces || !header.data || !last.data)
        return false;
    for (size_t i = 0; i < response->n_output; i++)
        pieces[i] = asked->raw[i];
    pieces[response->n_output] = last;
    http_answer_header(http, STR("NV-InferResponse"), header);
    http->answer_tail = pieces;
    http->answer_tail_count = response->n_output + 1;
    return true;
}

/* A refused request gets its id back, and no body. */
static void answer_failure(struct http_request *http, const struct v1_infer *asked)
{
    struct str header = asked->response ? header_text(asked) : STR("");
    http_answer_header(http, STR("NV-InferResponse"), header.data ? header : STR(""));
    v1_http_answer_outcome(http, &asked->outcome, 400, V1_BINARY);
}

static void answer(struct v1_infer *asked)
{
    struct http_request *http = asked->request.context;
    bool succeeds = asked->outcome.code == V1__REQUEST_STATUS_CODE__SUCCESS;
    if (succeeds && !set_answer(http, asked)) {
        succeeds = false;
        asked->response = NULL;
        asked->outcome.code = V1__REQUEST_STATUS_CODE__INTERNAL;
        asked->outcome.message = STR("out of memory");
    }
    if (succeeds)
        v1_http_answer_outcome(http, &asked->outcome, 200, V1_BINARY);
    else
        answer_failure(http, asked);
}

static bool is_awaited(const struct infer_request *request)
{
    return http_is_awaited(request->context);
}

/* --- The request --- */

/* Reads the rest of the path: nothing, /NAME, or /NAME/DIGITS. A number beyond all versions stays beyond. */
static bool read_path(struct str rest, struct str *name, int64_t *version)
{
    struct str digits = rest.size ? str_from(rest, 1) : rest;
    bool has_version = str_has(digits, '/');
    *name = str_take(&digits, '/');
    *version = -1;
    if (rest.size == 0)
        return true;
    if (rest.data[0] != '/' || name->size == 0 || (has_version && digits.size == 0))
        return false;
    for (size_t i = 0; i < digits.size; i++) {
        int64_t digit = digits.data[i] - '0';
        if (digit < 0 || digit > 9)
            return false;
        *version = i == 0 ? digit : *version > (INT64_MAX - digit) / 10 ? INT64_MAX : *version * 10 + digit;
    }
    return true;
}

/* What is no InferRequestHeader is refused; the original executes what precedes the fault.
 * trtis-v1-http.request-header-valid trtis-v1-http.request-header-whole */
static struct status read_header(struct http_request *http, struct v1_infer *asked)
{
    struct str message;
    TRY(v1_http_read_header(http, &message));
    return v1_infer_read_header(message, http->arena, &asked->header);
}

static struct status unreadable(const struct v1_infer *asked, struct status fault)
{
    struct arena *arena = asked->request.arena;
    if (fault.broken || fault.code != STATUS_INVALID_ARGUMENT)
        return fault;
    struct str name = v1_shown(arena, asked->request.model_name);
    return status_breaks(arena, "request-header-valid",
                         "unable to parse request for model '%.*s': NV-InferRequest, %.*s", STR_ARG(name),
                         STR_ARG(fault.message));
}

/* --- The body --- */

/* trtis-v1-http.inputs-in-order trtis-v1-http.body-size */
static struct status take_body(struct v1_infer *asked, struct str body)
{
    struct arena *arena = asked->request.arena;
    struct str model = asked->hold.model->name;
    for (size_t i = 0; i < asked->request.input_count; i++) {
        struct str name = asked->request.inputs[i].tensor.name, bytes = {body.data, asked->sizes[i]};
        if (bytes.size > body.size)
            return status_breaks(arena, "data-count",
                                 "unexpected size for input '%.*s', expecting %zu bytes for model '%.*s'",
                                 STR_ARG(name), bytes.size - body.size, STR_ARG(model));
        body = str_from(body, bytes.size);
        if (!raw_align(&bytes, HTTP_BODY_ALIGNMENT, arena)) /* of a second input, or of a body that came in chunks */
            return status_no_memory();
        TRY(v1_infer_take(asked, i, bytes));
    }
    if (body.size > 0)
        return status_breaks(arena, "body-size", "unexpected additional input data for model '%.*s'", STR_ARG(model));
    return STATUS_IS_OK;
}

static struct status read_body(struct http_request *http, struct v1_infer *asked)
{
    struct str body = {0};
    TRY(http_read_body(http, &body));
    return take_body(asked, body);
}

/* trtis-v1-http.infer-answers */
void v1_http_infer(struct http_request *http, struct str rest)
{
    struct v1_infer *asked = arena_new_of(http->arena, struct v1_infer);
    if (!asked) {
        v1_http_answer_no_memory(http);
        return;
    }
    asked->v1 = http->context;
    asked->answer = answer;
    asked->request.arena = http->arena;
    asked->request.admitted = !infer_draining();
    asked->request.is_awaited = is_awaited;
    asked->request.context = http;
    asked->request.began = clock_now();
    if (!read_path(rest, &asked->request.model_name, &asked->version)) {
        v1_http_answer_nothing(http);
        return;
    }
    struct status header = read_header(http, asked);
    struct status status = v1_infer_find(asked);
    if (is_ok(status) && !is_ok(header))
        status = unreadable(asked, header);
    if (is_ok(status))
        status = v1_infer_check(asked);
    if (is_ok(status))
        status = read_body(http, asked);
    if (is_ok(status))
        v1_infer_run(asked);
    else
        v1_infer_refuse(asked, status);
}
