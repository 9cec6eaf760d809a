/* Writes the answer of GraphPipe; data of outputs is sent from where it is, and not copied. */
#include "graphpipe/graphpipe_call.h"

/* Moves what follows the first splice into pieces. What stands between splices is small and copied. */
static struct status move_tail(struct graphpipe_call *call, const struct flat_writer *writer)
{
    struct http_request *http = call->http;
    struct buf *out = &http->answer_buf;
    struct str *tail = arena_alloc(call->arena, 2 * writer->splice_count * sizeof(*tail));
    NEED(tail);
    size_t count = 0, end = out->size;
    for (size_t i = 0; i < writer->splice_count; i++) {
        size_t from = writer->splices[i].at, to = i + 1 < writer->splice_count ? writer->splices[i + 1].at : end;
        struct str between = arena_copy(call->arena, (struct str){out->data + from, to - from});
        NEED(between.data);
        tail[count++] = writer->splices[i].bytes;
        tail[count++] = between;
    }
    out->size = writer->splices[0].at;
    http->answer_tail = tail;
    http->answer_tail_count = count;
    return STATUS_IS_OK;
}

void graphpipe_answer(struct graphpipe_call *call, const struct flat_writer *writer)
{
    struct status status = STATUS_IS_OK;
    if (call->http->answer_buf.failed)
        status = status_no_memory();
    else if (writer->failed)
        status = status_error(call->arena, STATUS_RESOURCE_EXHAUSTED,
                              "the answer is larger than a flatbuffer can be: 2147483647 bytes");
    else if (writer->splice_count > 0)
        status = move_tail(call, writer);
    if (!is_ok(status)) {
        graphpipe_refuse(call, status);
        return;
    }
    model_release(&call->hold);
    http_answer(call->http, 200, GRAPHPIPE_CONTENT_TYPE);
}
