/* Health over REST (000, "Health"; SPEC_NOTES.md, notes 22 and 23): 200 means true, 4xx means false, and the body is
 * empty. A server that drains is live, but it and its models are not ready. A health request is never answered with
 * 503. */
#include "predict_v2/rest.h"

#include "json/writer.h"

/* Writes the body of the dialect kserve: {"name": "simple", "ready": true}. Only a model has a name. */
static void write_body(struct buf *out, struct str model, const char *what, bool is_true)
{
    buf_append_byte(out, '{');
    if (model.size > 0)
        json_write_member(out, "name", model);
    json_write_name(out, str_of(what));
    buf_append_str(out, is_true ? STR("true}") : STR("false}"));
}

/* v2-rest.health-body-empty v2-rest.health-false-4xx */
static void answer_health(struct rest_call *call, int http_status, const char *what)
{
    struct buf *out = &call->http->answer_buf;
    bool has_body = call->shared->options->dialect_kserve;
    if (has_body)
        write_body(out, call->model, what, http_status == 200);
    if (out->failed)
        rest_refuse(call, status_no_memory());
    else
        http_answer(call->http, http_status, has_body ? "application/json" : NULL);
}

/* 000, "Server Live": GET v2/health/live
 * v2-rest.server-live v2-rest.live-while-loading */
void rest_server_live(struct rest_call *call)
{
    answer_health(call, 200, "live");
}

/* 000, "Server Ready": GET v2/health/ready
 * v2-rest.server-ready v2-rest.ready-while-loading */
void rest_server_ready(struct rest_call *call)
{
    answer_health(call, infer_is_ready(call->shared->repository) ? 200 : 400, "ready");
}

/* 000, "Model Ready": GET v2/models/NAME[/versions/VERSION]/ready
 * v2-rest.model-is-ready v2-rest.model-ready-versioned v2-rest.model-ready-false */
void rest_model_ready(struct rest_call *call)
{
    struct model_hold hold;
    struct status status =
        predict_v2_find_ready(call->shared->repository, call->model, call->version, call->arena, &hold);
    model_release(&hold);
    bool is_ready = is_ok(status) && !infer_draining();
    answer_health(call, is_ready ? 200 : status.code == STATUS_NOT_FOUND ? 404 : 409, "ready");
}
