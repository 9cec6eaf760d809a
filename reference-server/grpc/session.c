#include "grpc/session.h"

#include "base/search.h"

#include <stdlib.h>

/* Limits beyond which a connection is ended. Resets are cheap here, since a call without its message has not begun, and
 * honest clients cancel many calls; so the limit for them is high. */
#define RESET_BURST       10000
#define RESETS_A_SECOND   2000
#define CONTINUATIONS_MAX 8
#define SETTINGS_MAX      32
#define BLOCK_MAX         ((size_t)1024 * 1024) /* of headers: a short name of HPACK may stand for 4 kB */
#define OUTBOUND_ACK_MAX  1000                  /* answers to PING and SETTINGS that wait to be written */

#define SESSION_WINDOW (16 * 1024 * 1024)
#define PING_PATIENCES 2  /* calls run, and no byte came for so long: a PING is sent */
#define IDLE_PATIENCES 20 /* no call for so long: the connection is ended */

static const uint8_t drain_ping[8] = "drain"; /* the PING between two GOAWAYs */

/* The frames of a request mostly come one after the other, so the last call is usually the right one. */
static struct server_call *call_of(const struct session *session, int32_t stream)
{
    if (session->call && session->stream == stream)
        return session->call;
    return nghttp2_session_get_stream_user_data(session->nghttp2, stream);
}

/* See session_drain. */
static void end_drain(struct session *session)
{
    nghttp2_submit_goaway(session->nghttp2, NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(session->nghttp2), NGHTTP2_NO_ERROR, NULL, 0);
    connection_mark(&session->connection);
}

/* --- What comes --- */

static int headers_begin(nghttp2_session *nghttp2, const nghttp2_frame *frame, void *user)
{
    struct session *session = user;
    int32_t stream = frame->hd.stream_id;
    bool is_request = frame->headers.cat == NGHTTP2_HCAT_REQUEST;
    session->call = is_request ? session->http2->handler->begin(session, stream) : call_of(session, stream);
    session->stream = stream;
    session->block_size = 0;
    if (is_request)
        nghttp2_session_set_stream_user_data(nghttp2, stream, session->call);
    return 0;
}

static int header_came(nghttp2_session *nghttp2, const nghttp2_frame *, const uint8_t *name, size_t name_size,
                       const uint8_t *value, size_t value_size, uint8_t, void *user)
{
    struct session *session = user;
    session->block_size += name_size + value_size + FIELD_OVERHEAD;
    if (session->block_size > BLOCK_MAX) {
        nghttp2_session_terminate_session(nghttp2, NGHTTP2_ENHANCE_YOUR_CALM);
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; /* the rest of the block is skipped */
    }
    if (session->call)
        session->http2->handler->take_header(session->call, (struct str){(const char *)name, name_size},
                                             (struct str){(const char *)value, value_size});
    return 0;
}

static int frame_came(nghttp2_session *, const nghttp2_frame *frame, void *user)
{
    struct session *session = user;
    const struct session_handler *handler = session->http2->handler;
    struct server_call *call;
    bool is_end = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
    switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
        call = call_of(session, frame->hd.stream_id);
        if (call)
            handler->end_headers(call, is_end);
        else if (frame->headers.cat == NGHTTP2_HCAT_REQUEST)
            handler->refuse(session, frame->hd.stream_id);
        if (call && is_end)
            handler->end(call);
        break;
    case NGHTTP2_DATA:
        call = call_of(session, frame->hd.stream_id);
        if (call && is_end)
            handler->end(call);
        break;
    case NGHTTP2_SETTINGS:
        session->is_greeted = true;
        break;
    case NGHTTP2_PING:
        if (frame->hd.flags & NGHTTP2_FLAG_ACK && session->is_draining &&
            memcmp(frame->ping.opaque_data, drain_ping, sizeof(drain_ping)) == 0)
            end_drain(session);
        break;
    default:
        break;
    }
    return 0;
}

/* The window of the connection is given back at once, because calls account for the bytes. The window of a stream is
 * not: it has the size of one message (dispatch.c, admit). */
static int data_came(nghttp2_session *nghttp2, uint8_t, int32_t stream, const uint8_t *bytes, size_t size, void *user)
{
    const struct session *session = user;
    struct server_call *call = call_of(session, stream);
    if (nghttp2_session_consume_connection(nghttp2, size) != 0)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (call)
        session->http2->handler->take_data(call, (struct str){(const char *)bytes, size});
    return 0;
}

static int stream_closed(nghttp2_session *, int32_t stream, uint32_t, void *user)
{
    struct session *session = user;
    struct server_call *call = call_of(session, stream);
    if (call == session->call)
        session->call = NULL;
    if (call)
        session->http2->handler->close_stream(call);
    return 0;
}

void session_forget(struct session *session, int32_t stream)
{
    if (session->stream == stream)
        session->call = NULL;
    nghttp2_session_set_stream_user_data(session->nghttp2, stream, NULL);
}

/* Reads some frames, and handles the calls that they complete. */
static bool take(struct connection *connection, const uint8_t *bytes, size_t size)
{
    struct session *session = (struct session *)connection;
    const struct http2 *http2 = session->http2;
    session->is_pinged = false;
    if ((http2->receive ? http2->receive(session->nghttp2, &session->received, bytes, size)
                        : nghttp2_session_mem_recv(session->nghttp2, bytes, size)) < 0)
        return false;
    http2->handler->frames_taken(session);
    return true;
}

/* --- What goes --- */

void session_reset(struct session *session, int32_t stream, uint32_t error)
{
    nghttp2_submit_rst_stream(session->nghttp2, NGHTTP2_FLAG_NONE, stream, error);
}

static int frame_sent(nghttp2_session *nghttp2, const nghttp2_frame *frame, void *user)
{
    const struct session *session = user;
    bool ends = (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
                frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
    struct server_call *call = ends ? call_of(session, frame->hd.stream_id) : NULL;
    if (call)
        session->http2->handler->sent(call);
    if (frame->hd.type == NGHTTP2_GOAWAY && session->is_draining && frame->goaway.last_stream_id == INT32_MAX)
        nghttp2_submit_ping(nghttp2, NGHTTP2_FLAG_NONE, drain_ping);
    return 0;
}

static ssize_t send_bytes(nghttp2_session *, const uint8_t *bytes, size_t size, int, void *user)
{
    const struct session *session = user;
    size_t taken = output_copy(session->connection.output, (struct str){(const char *)bytes, size});
    return taken > 0 ? (ssize_t)taken : NGHTTP2_ERR_WOULDBLOCK;
}

static int send_data(nghttp2_session *, nghttp2_frame *frame, const uint8_t *head, size_t size,
                     nghttp2_data_source *source, void *user)
{
    static const char padding[UINT8_MAX];
    const struct session *session = user;
    struct output *output = session->connection.output;
    size_t padded = frame->data.padlen; /* with the byte that says so */
    const char last = (char)(padded - 1);
    if (!output_fits(output, size + padded))
        return NGHTTP2_ERR_WOULDBLOCK;
    output_copy(output, (struct str){(const char *)head, 9});
    output_copy(output, (struct str){&last, padded > 0});
    session->http2->handler->put(source->ptr, output, size);
    output_copy(output, (struct str){padding, padded > 0 ? padded - 1 : 0});
    return 0;
}

/* Padding hides how long an answer is (RFC 9113, 10.7). Returns the size of the frame with it. */
static ssize_t padded_size(nghttp2_session *, const nghttp2_frame *frame, size_t most, void *user)
{
    const struct session *session = user;
    size_t size = frame->hd.length + 1 + session->http2->padding;
    return (ssize_t)(size < most ? size : most);
}

static ssize_t frame_size(nghttp2_session *, uint8_t, int32_t, int32_t session_window, int32_t stream_window,
                          uint32_t frame_max, void *)
{
    int64_t size = FRAME_PAYLOAD;
    size = size < frame_max ? size : frame_max;
    size = size < session_window ? size : session_window;
    return (ssize_t)(size < stream_window ? size : stream_window);
}

static bool fill(struct connection *connection)
{
    return nghttp2_session_send(((struct session *)connection)->nghttp2) == 0;
}

/* --- Sessions --- */

struct status http2_open(struct http2 *http2)
{
    if (nghttp2_session_callbacks_new(&http2->callbacks) != 0 || nghttp2_option_new(&http2->option) != 0)
        return status_no_memory();
    nghttp2_session_callbacks *callbacks = http2->callbacks;
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, headers_begin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, header_came);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frame_came);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, data_came);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, stream_closed);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, frame_sent);
    nghttp2_session_callbacks_set_send_callback(callbacks, send_bytes);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, send_data);
    nghttp2_session_callbacks_set_data_source_read_length_callback(callbacks, frame_size);
    if (http2->padding > 0)
        nghttp2_session_callbacks_set_select_padding_callback(callbacks, padded_size);

    nghttp2_option *option = http2->option;
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_option_set_no_http_messaging(option, 1); /* request_fields.c */
    nghttp2_option_set_stream_reset_rate_limit(option, RESET_BURST, RESETS_A_SECOND);
    nghttp2_option_set_max_continuations(option, CONTINUATIONS_MAX);
    nghttp2_option_set_max_settings(option, SETTINGS_MAX);
    nghttp2_option_set_max_outbound_ack(option, OUTBOUND_ACK_MAX);
    return STATUS_IS_OK;
}

void http2_close(struct http2 *http2)
{
    nghttp2_session_callbacks_del(http2->callbacks);
    nghttp2_option_del(http2->option);
}

static bool open_session(struct connection *connection)
{
    static const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, STREAMS_MAX},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, METADATA_MAX},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
    };
    struct session *session = (struct session *)connection;
    struct sessions *all = (struct sessions *)connection->all;
    const struct http2 *http2 = session->http2 = all->http2;
    http2->handler->open(session);
    return nghttp2_session_server_new3(&session->nghttp2, http2->callbacks, session, http2->option,
                                       &all->blocks.functions) == 0 &&
           nghttp2_submit_settings(session->nghttp2, NGHTTP2_FLAG_NONE, settings, COUNT_OF(settings)) == 0 &&
           nghttp2_session_set_local_window_size(session->nghttp2, NGHTTP2_FLAG_NONE, 0, SESSION_WINDOW) == 0;
}

static void close_session(struct connection *connection)
{
    struct session *session = (struct session *)connection;
    nghttp2_session_del(session->nghttp2);
    free(session->received);
    session->nghttp2 = NULL;
    session->call = NULL;
    if (session->http2)
        session->http2->handler->close(session);
}

static bool is_over(const struct connection *connection)
{
    nghttp2_session *nghttp2 = ((const struct session *)connection)->nghttp2;
    return !nghttp2_session_want_read(nghttp2) && !nghttp2_session_want_write(nghttp2);
}

/* --- Time: a client must send SETTINGS, answer a PING, and take what is written --- */

static bool is_dead(const struct session *session, int64_t silence, int64_t patience)
{
    const struct connection *connection = &session->connection;
    if (!session->is_greeted)
        return silence > patience;
    if (session->is_pinged)
        return silence > (PING_PATIENCES + 1) * patience;
    return connection->output && connection->all->loop.now - connection->written_at > patience;
}

static bool tick(struct connection *connection, int64_t silence)
{
    struct session *session = (struct session *)connection;
    int64_t patience = connection->all->patience;
    if (is_dead(session, silence, patience))
        return false;
    bool has_streams = session->http2->handler->tick(session, connection->all->loop.now - patience);
    if (has_streams && !session->is_pinged && silence > PING_PATIENCES * patience)
        session->is_pinged = nghttp2_submit_ping(session->nghttp2, NGHTTP2_FLAG_NONE, NULL) == 0;
    if (session->is_draining)
        end_drain(session);
    else if (!has_streams && silence > IDLE_PATIENCES * patience)
        nghttp2_session_terminate_session(session->nghttp2, NGHTTP2_NO_ERROR);
    return true;
}

static const struct connection_handler handler = {open_session, close_session, take, fill, is_over, tick};

struct status sessions_open(struct sessions *all, const struct http2 *http2, int (*turn)(struct loop *loop),
                            struct arena *arena)
{
    all->http2 = http2;
    all->connections.handler = &handler;
    blocks_open(&all->blocks);
    return connections_open(&all->connections, turn, arena);
}

void sessions_close(struct sessions *all)
{
    connections_close(&all->connections);
    blocks_close(&all->blocks);
}

/* --- Farewell --- */

/* The first GOAWAY asks for no new calls and refuses none: some may be on their way. A PING follows it (frame_sent).
 * When its answer has come, so have they, and the second GOAWAY says which call was the last. */
void session_drain(struct session *session)
{
    session->is_draining = true;
    nghttp2_submit_shutdown_notice(session->nghttp2);
    connection_set_timer(&session->connection, CLOCK_SECOND); /* if no answer to the PING comes */
    connection_mark(&session->connection);
}

void session_end(struct session *session)
{
    nghttp2_session_terminate_session(session->nghttp2, NGHTTP2_NO_ERROR);
    connection_flush(&session->connection);
    connection_close(&session->connection);
}
