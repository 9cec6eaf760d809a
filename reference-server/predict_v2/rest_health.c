/* Health (000, "Health"): 200 is true, 4xx is false, and the body is empty. A server that drains is alive, but neither
 * it nor its models are ready; 503 is never an answer to a health request. */
#include "predict_v2/rest.h"

#include "json/writer.h"

/* v2-rest.health-body-empty v2-rest.health-false-4xx */
static void answer_health(struct rest_call *call, int status, const char *member)
{
    struct buf *out = &call->http->answer_buf;
    if (call->v2->health_bodies) {
        buf_append_byte(out, '{');
        if (call->model.size > 0) {
            buf_append_literal(out, "\"name\":");
            json_write_string(out, call->model);
            buf_append_byte(out, ',');
        }
        buf_printf(out, "\"%s\":%s}", member, status == 200 ? "true" : "false");
    }
    http_answer(call->http, status, call->v2->health_bodies ? "application/json" : NULL);
}

/* 000, "Server Live": GET v2/health/live          v2-rest.server-live v2-rest.live-while-loading */
void rest_server_live(struct rest_call *call)
{
    answer_health(call, 200, "live");
}

/* 000, "Server Ready": GET v2/health/ready        v2-rest.server-ready v2-rest.ready-while-loading */
void rest_server_ready(struct rest_call *call)
{
    bool is_ready = repository_ready(call->v2->repository) && !infer_draining();
    answer_health(call, is_ready ? 200 : 400, "ready");
}

/* 000, "Model Ready": GET v2/models/NAME[/versions/VERSION]/ready
 * v2-rest.model-is-ready v2-rest.model-ready-versioned v2-rest.model-ready-false */
void rest_model_ready(struct rest_call *call)
{
    struct model *model;
    struct status status = rest_find_ready(call, &model);
    bool is_ready = is_ok(status) && !infer_draining();
    answer_health(call, is_ready ? 200 : status.code == STATUS_NOT_FOUND ? 404 : 409, "ready");
}
