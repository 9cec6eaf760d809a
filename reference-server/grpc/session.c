/* HTTP/2 by libnghttp2: what it tells of frames goes to the calls, and what it asks for comes from them. It checks the
 * rules of RFC 9113 by itself, and ends connections that flood it. */
#include "base/count.h"
#include "grpc/server.h"

/* What a client may send too much of, before its connection is ended. Resets are cheap here, since a call without its
 * message has not begun, and honest clients cancel many calls; so they are only bounded. */
#define RESET_BURST       10000
#define RESETS_A_SECOND   2000
#define CONTINUATIONS_MAX 8
#define SETTINGS_MAX      32
#define OUTBOUND_ACK_MAX  1000 /* answers to PING and SETTINGS that wait to be written */

static const uint8_t drain_ping[8] = "drain"; /* the PING between two GOAWAYs */

/* Mostly all frames of a request come together, so that nobody needs to look for its call. */
static struct server_call *call_of(const struct connection *connection, int32_t stream)
{
    struct server_call *last = connection->arriving;
    if (last && last->stream == stream)
        return last;
    return nghttp2_session_get_stream_user_data(connection->session, stream);
}

/* --- What comes --- */

static int headers_begin(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct connection *connection = user;
    connection->arriving = NULL;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
        connection->arriving = call_new(connection, frame->hd.stream_id);
        nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, connection->arriving);
    }
    return 0;
}

static int header_came(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                       const uint8_t *value, size_t value_size, uint8_t flags, void *user)
{
    (void)session;
    (void)frame;
    (void)flags;
    const struct connection *connection = user;
    if (connection->arriving)
        call_take_header(connection->arriving, (struct str){(const char *)name, name_size},
                         (struct str){(const char *)value, value_size});
    return 0;
}

static int frame_came(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    (void)session;
    struct connection *connection = user;
    struct server_call *call;
    switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
        call = call_of(connection, frame->hd.stream_id);
        if (!call && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
            answer_plainly(connection, frame->hd.stream_id, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        if (call && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
            call_end_headers(call);
        if (call && frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
            call_end(call);
        break;
    case NGHTTP2_DATA:
        call = call_of(connection, frame->hd.stream_id);
        if (call && frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
            call_end(call);
        break;
    case NGHTTP2_SETTINGS:
        connection->is_greeted = true;
        break;
    case NGHTTP2_PING:
        if (frame->hd.flags & NGHTTP2_FLAG_ACK && connection->is_draining &&
            memcmp(frame->ping.opaque_data, drain_ping, sizeof(drain_ping)) == 0)
            connection_end_drain(connection);
        break;
    default:
        break;
    }
    return 0;
}

/* The window of the connection is given back at once, since what was taken is accounted for by calls. That of a stream
 * is not: it has the size of one message (call.c). */
static int data_came(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t size,
                     void *user)
{
    (void)flags;
    struct server_call *call = call_of(user, stream);
    if (nghttp2_session_consume_connection(session, size) != 0)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (call)
        call_take_data(call, (struct str){(const char *)bytes, size});
    return 0;
}

static int stream_closed(nghttp2_session *session, int32_t stream, uint32_t error, void *user)
{
    (void)session;
    (void)error;
    struct server_call *call = call_of(user, stream);
    if (call)
        call_close(call);
    return 0;
}

/* --- What goes --- */

/* An answer that ends before its request does: "No Error" asks the client to send no more (RFC 9113, 8.1). It must not
 * be queued before the answer is sent, or it would cancel it. Some clients take it for an error all the same; so one
 * that has little left to send may end its request. */
void session_ask_to_stop(const struct server_call *call)
{
    if (call->is_sent && call->dropped > DROPPED_MAX)
        nghttp2_submit_rst_stream(call->connection->session, NGHTTP2_FLAG_NONE, call->stream, NGHTTP2_NO_ERROR);
}

static int frame_sent(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    const struct connection *connection = user;
    bool ends = (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
                frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
    struct server_call *call = ends ? call_of(connection, frame->hd.stream_id) : NULL;
    if (call) {
        call->is_sent = true;
        session_ask_to_stop(call);
    }
    if (frame->hd.type == NGHTTP2_GOAWAY && connection->is_draining && frame->goaway.last_stream_id == INT32_MAX)
        nghttp2_submit_ping(session, NGHTTP2_FLAG_NONE, drain_ping);
    return 0;
}

static ssize_t send_bytes(nghttp2_session *session, const uint8_t *bytes, size_t size, int flags, void *user)
{
    (void)session;
    (void)flags;
    struct connection *connection = user;
    size_t taken = output_copy(connection->output, (struct str){(const char *)bytes, size});
    return taken > 0 ? (ssize_t)taken : NGHTTP2_ERR_WOULDBLOCK;
}

static int send_data(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *head, size_t size,
                     nghttp2_data_source *source, void *user)
{
    static const char padding[UINT8_MAX];
    (void)session;
    struct connection *connection = user;
    size_t padded = frame->data.padlen; /* with the byte that says so */
    const char last = (char)(padded - 1);
    if (!output_fits(connection->output, size + padded))
        return NGHTTP2_ERR_WOULDBLOCK;
    output_copy(connection->output, (struct str){(const char *)head, 9});
    output_copy(connection->output, (struct str){&last, padded > 0});
    answer_put(source->ptr, connection->output, size);
    output_copy(connection->output, (struct str){padding, padded > 0 ? padded - 1 : 0});
    return 0;
}

/* Padding hides how long an answer is (RFC 9113, 10.7). Returns the size of the frame with it. */
static ssize_t padded_size(nghttp2_session *session, const nghttp2_frame *frame, size_t most, void *user)
{
    (void)session;
    const struct connection *connection = user;
    size_t size = frame->hd.length + 1 + connection->loop->server->options.padding;
    return (ssize_t)(size < most ? size : most);
}

static ssize_t frame_size(nghttp2_session *session, uint8_t type, int32_t stream, int32_t session_window,
                          int32_t stream_window, uint32_t frame_max, void *user)
{
    (void)session;
    (void)type;
    (void)stream;
    (void)user;
    int64_t size = FRAME_PAYLOAD;
    size = size < frame_max ? size : frame_max;
    size = size < session_window ? size : session_window;
    return (ssize_t)(size < stream_window ? size : stream_window);
}

/* --- Sessions --- */

struct status session_prepare(struct rpc_server *server)
{
    if (nghttp2_session_callbacks_new(&server->callbacks) != 0 || nghttp2_option_new(&server->option) != 0)
        return status_no_memory();
    nghttp2_session_callbacks *callbacks = server->callbacks;
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, headers_begin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, header_came);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frame_came);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, data_came);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, stream_closed);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, frame_sent);
    nghttp2_session_callbacks_set_send_callback(callbacks, send_bytes);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, send_data);
    nghttp2_session_callbacks_set_data_source_read_length_callback(callbacks, frame_size);
    if (server->options.padding > 0)
        nghttp2_session_callbacks_set_select_padding_callback(callbacks, padded_size);

    nghttp2_option *option = server->option;
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_option_set_no_http_messaging(option, server->options.takes_malformed);
    nghttp2_option_set_stream_reset_rate_limit(option, RESET_BURST, RESETS_A_SECOND);
    nghttp2_option_set_max_continuations(option, CONTINUATIONS_MAX);
    nghttp2_option_set_max_settings(option, SETTINGS_MAX);
    nghttp2_option_set_max_outbound_ack(option, OUTBOUND_ACK_MAX);
    return STATUS_IS_OK;
}

bool session_open(struct connection *connection)
{
    static const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, STREAMS_MAX},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, METADATA_MAX},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
    };
    const struct rpc_server *server = connection->loop->server;
    return nghttp2_session_server_new3(&connection->session, server->callbacks, connection, server->option,
                                       &connection->loop->blocks.functions) == 0 &&
           nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE, settings, COUNT_OF(settings)) == 0 &&
           nghttp2_session_set_local_window_size(connection->session, NGHTTP2_FLAG_NONE, 0, SESSION_WINDOW) == 0;
}
