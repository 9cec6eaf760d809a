/* The list of models (003, "Model Operations"): GET v2/models. 003 gives no body; KServe's servers answer with an
 * object of names. Models that were unloaded or never loaded are left out. */
#include "predict_v2/rest.h"

#include "json/writer.h"

/* The versions of a name follow each other. */
static void write_names(struct buf *out, const struct model_row *rows, size_t count)
{
    buf_append_literal(out, "{\"models\":[");
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].is_wanted || (i > 0 && str_equal(rows[i].name, rows[i - 1].name)))
            continue;
        json_write_next(out);
        json_write_string(out, rows[i].name);
    }
    buf_append_literal(out, "]}");
}

/* v2-kserve.models v2-kserve.models-names */
void rest_models(struct rest_call *call)
{
    struct model_row *rows = NULL;
    size_t count = 0;
    struct status status = repository_list(call->shared->repository, call->arena, &rows, &count);
    if (is_ok(status))
        write_names(&call->http->answer_buf, rows, count);
    rest_answer(call, status);
}
