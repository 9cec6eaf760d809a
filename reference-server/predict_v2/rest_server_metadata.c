/* Server metadata over REST (000, "Server Metadata"): GET v2. */
#include "predict_v2/rest.h"

#include "json/writer.h"

/* v2-rest.server-metadata v2-rest.server-name v2-rest.server-version v2-rest.server-extensions */
void rest_server_metadata(struct rest_call *call)
{
    struct buf *out = &call->http->answer_buf;
    buf_append_byte(out, '{');
    json_write_member(out, "name", str_of(call->shared->name));
    json_write_member(out, "version", str_of(call->shared->version));
    buf_append_literal(out, ",\"extensions\":[");
    for (size_t i = 0; i < predict_v2_extension_count(call->shared); i++) {
        json_write_next(out);
        json_write_string(out, str_of(predict_v2_extensions[i]));
    }
    buf_append_literal(out, "]}");
    rest_answer(call, STATUS_IS_OK);
}
