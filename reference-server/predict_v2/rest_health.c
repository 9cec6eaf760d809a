/* Health over REST (000, "Health"; SPEC_NOTES.md, notes 22 and 23): 200 means true, 4xx means false, and the body is
 * empty. A server that drains is live, but it and its models are not ready. A health request is never answered with
 * 503. */
#include "predict_v2/rest.h"

#include "http/document.h"

/* Writes the body of the dialect kserve: {"name": "simple", "ready": true}. Only a model has a name. */
static struct status write_body(struct rest_call *call, const char *what, bool is_true)
{
    struct document document = document_begin();
    if (call->model.size > 0)
        document_add_string(&document, document.root, "name", call->model);
    document_add_bool(&document, document.root, what, is_true);
    struct status status = document_write(&document, &call->http->answer_buf);
    document_free(&document);
    return status;
}

/* v2-rest.health-body-empty v2-rest.health-false-4xx */
static void answer_health(struct rest_call *call, int http_status, const char *what)
{
    bool has_body = call->v2->health_bodies;
    struct status status = has_body ? write_body(call, what, http_status == 200) : STATUS_IS_OK;
    if (is_ok(status))
        http_answer(call->http, http_status, has_body ? "application/json" : NULL);
    else
        rest_refuse(call, status);
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
    bool is_ready = repository_ready(call->v2->repository) && !infer_draining();
    answer_health(call, is_ready ? 200 : 400, "ready");
}

/* 000, "Model Ready": GET v2/models/NAME[/versions/VERSION]/ready
 * v2-rest.model-is-ready v2-rest.model-ready-versioned v2-rest.model-ready-false */
void rest_model_ready(struct rest_call *call)
{
    struct model_hold hold;
    struct status status = predict_v2_find_ready(call->v2->repository, call->model, call->version, call->arena, &hold);
    model_release(&hold);
    bool is_ready = is_ok(status) && !infer_draining();
    answer_health(call, is_ready ? 200 : status.code == STATUS_NOT_FOUND ? 404 : 409, "ready");
}
