/* The index of the model repository over REST, after 001, "RepositoryIndex": POST v2/repository[/NAME]/index. The
 * answer is a list with an object for each version of each model. */
#include "predict_v2/rest_repository.h"
#include "json/writer.h"

static void write_row(struct buf *out, const struct model_row *row)
{
    json_write_next(out);
    buf_append_byte(out, '{');
    json_write_member(out, "name", row->name);
    if (row->version.size)
        json_write_member(out, "version", row->version);
    json_write_member(out, "state", str_of(order_state_name(row->state)));
    if (row->reason.size)
        json_write_member(out, "reason", row->reason);
    buf_append_byte(out, '}');
}

static void answer(struct order *order, struct status status)
{
    struct rest_call *call = order->context;
    struct buf *out = &call->http->answer_buf;
    if (!is_ok(status)) {
        rest_refuse(call, status);
        return;
    }
    buf_append_byte(out, '[');
    for (size_t i = 0; i < order->row_count; i++)
        write_row(out, &order->rows[i]);
    buf_append_byte(out, ']');
    rest_answer_json(call);
}

/* repository-rest.index repository-rest.index-array repository-rest.index-models repository-rest.index-state
 * repository-rest.index-reason repository-rest.index-ready repository-rest.index-repository */
void rest_repository_index(struct rest_call *call)
{
    rest_order(call, ORDER_INDEX, answer);
}
