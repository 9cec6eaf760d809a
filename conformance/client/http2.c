#include "client/http2.h"

#include "base/search.h"
#include "client/line.h"
#include "support/printable.h"
#include "support/seconds.h"
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#define PIECE                                                                                                          \
    ((size_t)64 * 1024) /* bytes of one read; more than a TLS record, so that no data stays unseen inside libcurl */
#define OUT_MAX           ((size_t)256 * 1024) /* bytes of one write, about */
#define CONNECTION_WINDOW (4 << 20)            /* for all streams together */
#define STREAM_WINDOW     (1 << 20)            /* of a stream whose answer is large and that is not paced */
#define IS_LARGE          ((size_t)32 * 1024)
#define CONTINUATIONS_MAX 4096               /* frames of one field block */
#define DROPPED_MAX       ((size_t)64 << 20) /* bytes of an answer that are read although they are not kept */
#define FIELDS_SENT_MAX   ((size_t)1 << 20)  /* bytes of all fields that are sent */
#define QUOTED_MAX        80                 /* bytes that are quoted of what is no HTTP/2 */
#define QUEUE_MAX         1000 /* frames that wait because the server takes nothing; then nothing is read */
#define FAULT_MAX         640

struct http2 {
    struct line line;
    nghttp2_session *session;
    struct http2_stream *streams; /* those that are not over */
    struct buf out;               /* frames to be sent; those before `sent` are gone */
    size_t sent;
    char in[PIECE];
    bool is_over;    /* the server sends nothing more */
    bool is_deaf;    /* the server takes nothing more */
    bool is_greeted; /* SETTINGS have come, before which libnghttp2 takes nothing */
    bool says_goaway;
    uint32_t goaway;     /* its error code */
    char complaint[512]; /* of libnghttp2, since the last stream began */
};

struct str http2_error_name(uint32_t code, struct arena *arena)
{
    const char *name = nghttp2_http2_strerror(code);
    return strcmp(name, "unknown") != 0 ? str_of(name) : arena_printf(arena, "CODE_%u", code);
}

/* --- The end of streams --- */

/* Notes that nothing more will come, unless that was noted before. */
static void finish(struct http2_stream *stream, enum outcome outcome, struct str trouble)
{
    if (stream->is_over)
        return;
    if (stream->in_block) /* which did not come as a whole */
        *(stream->in_trailers ? &stream->trailers : &stream->headers) = (struct header_list){0};
    stream->is_over = true;
    stream->outcome = outcome;
    stream->trouble = trouble;
}

/* The connection has ended, for all of its streams. `fault`: what the server did wrong; NULL: nothing. */
static void end_connection(struct http2 *connection, const char *fault)
{
    connection->is_over = true;
    for (struct http2_stream *stream = connection->streams; stream; stream = stream->next)
        if (fault)
            finish(stream, OUTCOME_GARBLED, arena_printf(stream->arena, "%s", fault));
        else if (connection->says_goaway)
            finish(stream, OUTCOME_CLOSED,
                   arena_printf(stream->arena, "the server ended the connection (GOAWAY %.*s)",
                                STR_ARG(http2_error_name(connection->goaway, stream->arena))));
        else
            finish(stream, OUTCOME_CLOSED, STR("the connection was closed before the whole answer came"));
}

/* --- What libnghttp2 tells --- */

/* Returns the stream whose answer the frame belongs to, or NULL. Nothing that a server pushes is looked at. */
static struct http2_stream *stream_of(nghttp2_session *session, const nghttp2_frame *frame)
{
    bool pushes = frame->hd.type == NGHTTP2_PUSH_PROMISE;
    return pushes ? NULL : nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *)
{
    struct http2_stream *stream = stream_of(session, frame);
    if (stream == NULL)
        return 0;
    stream->in_block = true;
    stream->in_trailers = stream->status != 0;
    if (!stream->in_trailers)
        stream->headers.count = 0;
    return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                     const uint8_t *value, size_t value_size, uint8_t, void *)
{
    struct http2_stream *stream = stream_of(session, frame);
    if (stream == NULL)
        return 0;
    struct header field = {{(const char *)name, name_size}, {(const char *)value, value_size}};
    stream->field_bytes += name_size + value_size + 1;
    if (stream->field_bytes > ANSWER_HEADERS_MAX || stream->headers.count + stream->trailers.count == HEADERS_MAX)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (str_is(field.name, ":status")) {
        unsigned long long status = 0;
        str_to_uint64(field.value, &status); /* libnghttp2 has seen to it that it has three digits */
        stream->status = status < 200 ? 0 : (int)status;
        return 0;
    }
    field = (struct header){arena_copy(stream->arena, field.name), arena_copy(stream->arena, field.value)};
    header_list_add(stream->in_trailers ? &stream->trailers : &stream->headers, field, stream->arena);
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t, int32_t id, const uint8_t *bytes, size_t size, void *)
{
    struct http2_stream *stream = nghttp2_session_get_stream_user_data(session, id);
    nghttp2_session_consume_connection(session, size);
    if (stream == NULL || stream->is_over)
        return 0;
    size_t room = stream->body_max > stream->body.size ? stream->body_max - stream->body.size : 0;
    buf_append(&stream->body, bytes, size < room ? size : room);
    stream->dropped += size < room ? 0 : size - room;
    stream->unreturned += size;
    if (stream->is_paced)
        return 0;
    if (stream->body.size > IS_LARGE && stream->body.size - size <= IS_LARGE)
        nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, id, STREAM_WINDOW);
    http2_take(stream);
    if (stream->dropped > DROPPED_MAX)
        http2_cancel(stream, OUTCOME_GARBLED, STR("the answer is longer than is read"));
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct http2 *connection = user;
    struct http2_stream *stream = stream_of(session, frame);
    bool carries = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    connection->is_greeted = true;
    if (frame->hd.type == NGHTTP2_GOAWAY) {
        connection->says_goaway = true;
        connection->goaway = frame->goaway.error_code;
    }
    if (stream == NULL || stream->is_over)
        return 0;
    stream->in_block &= frame->hd.type != NGHTTP2_HEADERS;
    if (carries && frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
        finish(stream, OUTCOME_ANSWERED, (struct str){0});
    if (frame->hd.type == NGHTTP2_RST_STREAM) {
        stream->is_unseen = frame->rst_stream.error_code == NGHTTP2_REFUSED_STREAM;
        struct str code = http2_error_name(frame->rst_stream.error_code, stream->arena);
        finish(stream, OUTCOME_CLOSED,
               arena_printf(stream->arena, "the server reset the stream with %.*s", STR_ARG(code)));
    }
    return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t code, void *user)
{
    struct http2 *connection = user;
    struct http2_stream *stream = nghttp2_session_get_stream_user_data(session, id);
    if (stream == NULL)
        return 0;
    if (!stream->is_over && code == NGHTTP2_REFUSED_STREAM) { /* of those that RST_STREAM refuses, on_frame has told */
        stream->is_unseen = true;
        finish(stream, OUTCOME_CLOSED,
               arena_printf(stream->arena,
                            "the server ended the connection (GOAWAY %.*s) without a look at the request",
                            STR_ARG(http2_error_name(connection->goaway, stream->arena))));
    }
    const char *complaint = *connection->complaint ? connection->complaint : nghttp2_http2_strerror(code);
    finish(stream, OUTCOME_GARBLED, arena_printf(stream->arena, "the server breaks HTTP/2: %s", complaint));
    stream->id = 0;
    return 0;
}

/* Notes why libnghttp2 takes something for wrong. */
static int on_complaint(nghttp2_session *, int, const char *text, size_t size, void *user)
{
    struct http2 *connection = user;
    struct buf told = {0};
    append_printable(&told, (struct str){text, size}, sizeof connection->complaint / 4 - 4);
    snprintf(connection->complaint, sizeof connection->complaint, "%.*s", STR_ARG(buf_str(&told)));
    buf_free(&told);
    return 0;
}

static int on_invalid_frame(nghttp2_session *session, const nghttp2_frame *frame, int code, void *user)
{
    struct http2 *connection = user;
    if (frame->hd.type == NGHTTP2_HEADERS && code == NGHTTP2_ERR_HTTP_HEADER && *connection->complaint)
        return 0; /* which field it is was told */
    return on_complaint(session, code, nghttp2_strerror(code), strlen(nghttp2_strerror(code)), user);
}

/* With an error, the session ends the connection. */
static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct http2 *connection = user;
    if (frame->hd.type != NGHTTP2_GOAWAY || frame->goaway.error_code == NGHTTP2_NO_ERROR || *connection->complaint)
        return 0;
    struct str why = {(const char *)frame->goaway.opaque_data, frame->goaway.opaque_data_len};
    if (why.size == 0)
        why = str_of(nghttp2_http2_strerror(frame->goaway.error_code));
    return on_complaint(session, 0, why.data, why.size, user);
}

/* --- What is sent --- */

static ssize_t give_data(nghttp2_session *, int32_t, uint8_t *to, size_t room, uint32_t *flags,
                         nghttp2_data_source *source, void *)
{
    struct http2_stream *stream = source->ptr;
    size_t size = 0;
    for (size_t i = 0; i < 2; i++) {
        size_t step = stream->parts[i].size < room - size ? stream->parts[i].size : room - size;
        if (step == 0)
            continue;
        memcpy(to + size, stream->parts[i].data, step);
        stream->parts[i] = str_from(stream->parts[i], step);
        size += step;
    }
    bool rests = stream->parts[0].size > 0 || stream->parts[1].size > 0;
    stream->is_ended = !rests && stream->is_last;
    if (stream->is_ended)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return size == 0 && !stream->is_ended ? NGHTTP2_ERR_DEFERRED : (ssize_t)size;
}

/* Sends as many frames as the system takes. What was begun to be sent stays where it is, as OpenSSL wants it. */
static void send_some(struct http2 *connection)
{
    for (;;) {
        const uint8_t *bytes;
        ssize_t size = 1;
        if (connection->sent == connection->out.size) {
            connection->sent = connection->out.size = 0;
            while (connection->out.size < OUT_MAX && (size = nghttp2_session_mem_send(connection->session, &bytes)) > 0)
                buf_append(&connection->out, bytes, (size_t)size);
        }
        struct str rest = str_from(buf_str(&connection->out), connection->sent);
        if (rest.size == 0)
            return;
        size_t sent = 0;
        CURLcode code =
            connection->is_deaf ? CURLE_SEND_ERROR : curl_easy_send(connection->line.curl, rest.data, rest.size, &sent);
        if (code == CURLE_AGAIN)
            return;
        connection->is_deaf |= code != CURLE_OK; /* the server may have said something before */
        connection->sent += code == CURLE_OK ? sent : rest.size;
    }
}

/* --- What comes --- */

/* Says in `told` why the session cannot go on after bytes that came, with the result of libnghttp2. */
static void describe_fault(const struct http2 *connection, struct str came, ssize_t result, char told[FAULT_MAX])
{
    struct buf begins = {0};
    append_printable(&begins, came, QUOTED_MAX);
    if (!connection->is_greeted)
        snprintf(told, FAULT_MAX, "the server does not speak HTTP/2: what it says begins with: %.*s",
                 STR_ARG(buf_str(&begins)));
    else if (result == NGHTTP2_ERR_CALLBACK_FAILURE || result == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS)
        snprintf(told, FAULT_MAX, "the headers do not end");
    else if (result == NGHTTP2_ERR_FLOODED)
        snprintf(told, FAULT_MAX, "the server sends SETTINGS or PING without end");
    else
        snprintf(told, FAULT_MAX, "the server breaks HTTP/2: %s", connection->complaint);
    buf_free(&begins);
}

/* Reads what has come. False: nothing has. */
static bool read_some(struct http2 *connection)
{
    size_t size = 0;
    char told[FAULT_MAX];
    CURLcode code = curl_easy_recv(connection->line.curl, connection->in, PIECE, &size);
    if (code == CURLE_AGAIN)
        return false;
    if (code != CURLE_OK || size == 0) {
        end_connection(connection, NULL);
        return true;
    }
    ssize_t result = nghttp2_session_mem_recv(connection->session, (const uint8_t *)connection->in, size);
    if (result == NGHTTP2_ERR_NOMEM)
        memory_exhausted();
    send_some(connection);
    if (result >= 0 && nghttp2_session_want_read(connection->session))
        return true;
    bool is_farewell = result >= 0 && connection->says_goaway && !*connection->complaint;
    describe_fault(connection, (struct str){connection->in, size}, result, told);
    end_connection(connection, is_farewell ? NULL : told);
    return true;
}

bool http2_advance(struct http2_stream *stream, double until)
{
    struct http2 *connection = stream->connection;
    if (stream->is_over || seconds_now() >= until)
        return false;
    send_some(connection);
    bool waits = connection->sent < connection->out.size;
    bool reads = !waits || nghttp2_session_get_outbound_queue_size(connection->session) < QUEUE_MAX;
    if (reads && read_some(connection))
        return true;
    return line_wait(&connection->line, (short)((reads ? POLLIN : 0) | (waits ? POLLOUT : 0)), until);
}

void http2_look(struct http2 *connection)
{
    if (!connection->is_over)
        read_some(connection);
}

bool http2_serves(const struct http2 *connection)
{
    return !connection->is_over && !connection->is_deaf && !connection->says_goaway;
}

/* --- Connections --- */

/* The callbacks and the options are the same for all sessions. */
static void make_session(struct http2 *connection)
{
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *option;
    if (nghttp2_session_callbacks_new(&callbacks) != 0 || nghttp2_option_new(&option) != 0)
        memory_exhausted();
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, on_invalid_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
    nghttp2_session_callbacks_set_error_callback2(callbacks, on_complaint);
    nghttp2_option_set_no_auto_window_update(option, 1);
    /* RFC 7540 allowed white space around a value, and clients of gRPC take it: the text of an error often ends so. */
    nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(option, 1);
    nghttp2_option_set_max_continuations(option, CONTINUATIONS_MAX);
#if NGHTTP2_VERSION_NUM >= 0x014300
    nghttp2_option_set_glitch_rate_limit(option, UINT64_MAX, UINT64_MAX); /* what is odd is judged, however often */
#endif
    nghttp2_option_set_max_send_header_block_length(option, FIELDS_SENT_MAX);
    if (nghttp2_session_client_new2(&connection->session, callbacks, connection, option) != 0)
        memory_exhausted();
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(option);
}

struct http2 *http2_connect(const struct client_options *options, struct str url, struct arena *arena,
                            struct answer *answer)
{
    static const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, ANSWER_HEADERS_MAX},
    };
    struct http2 *connection = memory_zeroed(sizeof *connection);
    line_open(&connection->line, options, url, true);
    if (connection->line.curl == NULL) {
        curl_outcome(connection->line.code, connection->line.detail, arena, answer);
        free(connection);
        return NULL;
    }
    make_session(connection);
    nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE, settings, COUNT_OF(settings));
    nghttp2_session_set_local_window_size(connection->session, NGHTTP2_FLAG_NONE, 0, CONNECTION_WINDOW);
    return connection;
}

void http2_close(struct http2 *connection)
{
    if (connection == NULL)
        return;
    end_connection(connection, NULL);
    for (struct http2_stream *stream = connection->streams; stream; stream = stream->next)
        stream->connection = NULL;
    nghttp2_session_del(connection->session);
    line_close(&connection->line);
    buf_free(&connection->out);
    free(connection);
}

/* --- Streams --- */

static uint8_t *unchanged(const char *text) /* libnghttp2's fields are not const, but it does not write to them */
{
    union {
        const char *from;
        uint8_t *to;
    } same = {text};
    return same.to;
}

void http2_begin(struct http2 *connection, struct http2_stream *stream, const struct header_list *fields)
{
    nghttp2_nv *pairs = arena_alloc_zero(stream->arena, fields->count, sizeof *pairs);
    size_t count = 0;
    for (int pseudo = 1; pseudo >= 0; pseudo--)
        for (size_t i = 0; i < fields->count; i++) {
            struct str name = fields->entries[i].name, value = fields->entries[i].value;
            if (str_starts(name, STR(":")) == (bool)pseudo && value.data != NULL)
                pairs[count++] = (nghttp2_nv){unchanged(name.data), unchanged(value.data), name.size, value.size, 0};
        }
    const nghttp2_data_provider provider = {.source.ptr = stream, .read_callback = give_data};
    *connection->complaint = '\0';
    stream->connection = connection;
    stream->next = connection->streams;
    connection->streams = stream;
    stream->id = nghttp2_submit_request(connection->session, NULL, pairs, count, &provider, stream);
    if (stream->id < 0)
        memory_exhausted();
}

void http2_send(struct http2_stream *stream, struct str one, struct str two, bool last)
{
    if (stream->is_over)
        return;
    stream->parts[0] = one;
    stream->parts[1] = two;
    stream->is_last = last;
    nghttp2_session_resume_data(stream->connection->session, stream->id);
}

bool http2_is_sent(struct http2_stream *stream)
{
    if (stream->is_over)
        return true;
    send_some(stream->connection);
    return stream->parts[0].size + stream->parts[1].size == 0 && stream->is_ended == stream->is_last &&
           stream->connection->sent == stream->connection->out.size;
}

void http2_take(struct http2_stream *stream)
{
    if (stream->connection && stream->id)
        nghttp2_session_consume_stream(stream->connection->session, stream->id, stream->unreturned);
    stream->unreturned = 0;
}

static void reset(struct http2_stream *stream)
{
    if (stream->connection && stream->id && !stream->is_cancelled)
        nghttp2_submit_rst_stream(stream->connection->session, NGHTTP2_FLAG_NONE, stream->id, NGHTTP2_CANCEL);
    stream->is_cancelled = true;
}

void http2_cancel(struct http2_stream *stream, enum outcome outcome, struct str trouble)
{
    if (stream->is_over)
        return;
    finish(stream, outcome, trouble);
    reset(stream);
}

void http2_end(struct http2_stream *stream)
{
    struct http2 *connection = stream->connection;
    buf_free(&stream->body);
    if (connection == NULL)
        return;
    finish(stream, OUTCOME_CLOSED, (struct str){0});
    reset(stream);
    if (!connection->is_over)
        send_some(connection);
    if (stream->id)
        nghttp2_session_set_stream_user_data(connection->session, stream->id, NULL);
    for (struct http2_stream **at = &connection->streams; *at; at = &(*at)->next)
        if (*at == stream) {
            *at = stream->next;
            break;
        }
    stream->connection = NULL;
}
