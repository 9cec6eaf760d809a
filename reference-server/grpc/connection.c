/* A connection: its socket, and what a peer may keep waiting.
 *
 * The limits of time all follow from the server's patience: a client that sends no SETTINGS, takes no byte of what is
 * written, or does not answer a PING is cut after this time; a call of which no byte comes or goes is reset. */
#include "grpc/secure.h"
#include "grpc/server.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define TICKS          4  /* looks at a connection while the patience lasts */
#define PING_PATIENCES 2  /* without a byte while calls run: a PING */
#define IDLE_PATIENCES 20 /* without a call: farewell */
#define PART_SIZE      ((size_t)4 * 1024)
#define UNHEARD_MAX    ((size_t)1024 * 1024)

static void happened(struct source *source, uint32_t events);
static void tick(struct timer *timer);

struct connection *connection_new(void)
{
    struct connection *connection = calloc(1, sizeof(*connection));
    if (!connection)
        return NULL;
    connection->source.happened = happened;
    connection->timer.due = tick;
    connection->post.take = connection_adopt;
    connection->last_call = &connection->calls;
    connection->last_complete = &connection->complete;
    return connection;
}

static void set_timer(struct connection *connection, int64_t after)
{
    timer_set(&connection->loop->timers, &connection->timer, connection->loop->now + after);
}

void connection_adopt(struct loop *loop, struct post *post)
{
    struct connection *connection = (struct connection *)((char *)post - offsetof(struct connection, post));
    connection->next = loop->connections;
    connection->link = &loop->connections;
    if (connection->next)
        connection->next->link = &connection->next;
    loop->connections = connection;
    connection->received_at = connection->written_at = loop->now;
    set_timer(connection, loop->server->patience / TICKS);
    struct ssl_ctx_st *tls = loop->server->options.tls;
    if (tls)
        connection->tls = secure_new(tls, connection->fd);
    connection->is_shaking = tls != NULL;
    if (loop->is_stopping || (tls && !connection->tls) || !session_open(connection) ||
        !loop_watch(loop, connection->fd, &connection->source, EPOLLIN))
        connection_close(connection);
    else
        connection_flush(connection);
}

void connection_mark(struct connection *connection)
{
    connection->is_due = true;
    if (connection->is_dirty || connection->is_read || connection->fd < 0)
        return;
    connection->is_dirty = true;
    connection->next_dirty = connection->loop->dirty;
    connection->loop->dirty = connection;
}

static void give_output_back(struct connection *connection)
{
    connection->output->next = connection->loop->free_outputs;
    connection->loop->free_outputs = connection->output;
    connection->output = NULL;
}

/* The memory is freed at the end of the turn, because an event of this turn may still name it, and the list of the
 * connections that are to be flushed, where it stays: a flush of a closed connection does nothing. */
void connection_close(struct connection *connection)
{
    struct loop *loop = connection->loop;
    if (connection->fd < 0)
        return;
    secure_free(connection->tls);
    loop_unwatch(loop, connection->fd);
    close(connection->fd);
    connection->fd = -1;
    nghttp2_session_del(connection->session);
    free(connection->received);
    connection->session = NULL;
    while (connection->calls)
        call_close(connection->calls);
    if (connection->output) {
        output_drop(connection->output, call_part_written);
        give_output_back(connection);
    }
    timer_clear(&loop->timers, &connection->timer);
    *connection->link = connection->next;
    if (connection->next)
        connection->next->link = connection->link;
    connection->next_closed = loop->closed;
    loop->closed = connection;
    atomic_fetch_sub(&loop->connection_count, 1);
}

/* --- Writing --- */

static bool take_output(struct connection *connection)
{
    struct loop *loop = connection->loop;
    struct output *output = loop->free_outputs;
    if (output)
        loop->free_outputs = output->next;
    else
        output = malloc(sizeof(*output));
    if (!output)
        return false;
    output->used = output->first = output->count = 0;
    output->is_full = false;
    connection->output = output;
    return true;
}

static void set_blocked(struct connection *connection, bool is_blocked)
{
    if (connection->is_blocked != is_blocked)
        loop_watch(connection->loop, connection->fd, &connection->source, is_blocked ? EPOLLIN | EPOLLOUT : EPOLLIN);
    connection->is_blocked = is_blocked;
}

/* Everything is said: sends a FIN, and waits a moment for the client's, because closing at once would send a reset,
 * which may overtake the last frames. */
static void end(struct connection *connection)
{
    connection->is_ending = true;
    secure_finish(connection->fd, connection->tls);
    set_timer(connection, SECOND);
}

/* Writes until nothing is left or the socket takes no more. */
void connection_flush(struct connection *connection)
{
    enum output_result result = OUTPUT_DONE;
    connection->is_due = false;
    if (connection->fd < 0 || connection->is_ending || connection->is_shaking)
        return;
    if (!connection->output && !take_output(connection)) {
        connection_close(connection);
        return;
    }
    for (bool more = true; more && result == OUTPUT_DONE;) {
        size_t size;
        if (output_is_empty(connection->output) && nghttp2_session_send(connection->session) != 0) {
            connection_close(connection);
            return;
        }
        more = connection->output->is_full;
        result = output_write(connection->output, connection->fd, connection->tls, call_part_written, &size);
        if (size > 0)
            connection->written_at = connection->loop->now;
    }
    if (result == OUTPUT_BROKEN) {
        connection_close(connection);
        return;
    }
    set_blocked(connection, result == OUTPUT_BLOCKED);
    if (result == OUTPUT_BLOCKED)
        return;
    give_output_back(connection);
    if (!nghttp2_session_want_read(connection->session) && !nghttp2_session_want_write(connection->session))
        end(connection);
}

/* --- Reading --- */

/* Returns false if the connection is broken. */
static bool take_part(struct connection *connection, const uint8_t *bytes, size_t size)
{
    const struct rpc_options *options = &connection->loop->server->options;
    if (options->receive)
        return options->receive(connection->session, &connection->received, bytes, size) >= 0;
    return nghttp2_session_mem_recv(connection->session, bytes, size) >= 0;
}

/* Reads frames in parts, and writes the answers to each part before it reads the next: so a client with many calls at
 * once works on the first answers while its last calls are handled. Parts without an answer are parts of large
 * messages; they become larger.
 *
 * All frames of a part are read before the first of its calls is handled, and all of these are handled before the first
 * answer is put into frames. So each of the three works runs many times in a row, and its instructions stay in the
 * nearest cache of the processor, which is too small for all of them. */
static void take_bytes(struct connection *connection, struct str bytes)
{
    size_t part = PART_SIZE;
    while (bytes.size > 0 && connection->fd >= 0 && !connection->is_ending) {
        size_t size = bytes.size < part ? bytes.size : part;
        if (!take_part(connection, (const uint8_t *)bytes.data, size)) {
            connection_close(connection);
            return;
        }
        calls_handle(connection);
        bytes = str_from(bytes, size);
        part = connection->is_due ? PART_SIZE : 2 * part;
        if (bytes.size > 0 && connection->is_due && !connection->is_blocked)
            connection_flush(connection);
    }
}

static void read_some(struct connection *connection)
{
    struct loop *loop = connection->loop;
    ssize_t size = secure_read(connection->fd, connection->tls, loop->buffer, READ_SIZE);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size <= 0) {
        connection_close(connection);
        return;
    }
    if (connection->is_ending) {
        connection->unheard += (size_t)size;
        if (connection->unheard > UNHEARD_MAX)
            connection_close(connection);
        return;
    }
    connection->received_at = loop->now;
    connection->is_pinged = false;
    take_bytes(connection, (struct str){(const char *)loop->buffer, (size_t)size});
}

/* Goes on with the handshake of TLS. */
static void shake(struct connection *connection)
{
    enum handshake result = secure_shake(connection->tls);
    if (result == HANDSHAKE_FAILED) {
        connection_close(connection);
        return;
    }
    set_blocked(connection, result == HANDSHAKE_WRITES);
    connection->is_shaking = result != HANDSHAKE_DONE;
}

static void happened(struct source *source, uint32_t events)
{
    struct connection *connection = (struct connection *)source;
    if (connection->fd >= 0 && connection->is_shaking)
        shake(connection);
    connection->is_read = true;
    if (connection->fd >= 0 && !connection->is_shaking && events & (EPOLLIN | EPOLLERR | EPOLLHUP))
        do
            read_some(connection);
        while (connection->fd >= 0 && secure_has_more(connection->tls));
    connection->is_read = false;
    if (connection->fd >= 0 && (!connection->is_blocked || events & EPOLLOUT))
        connection_flush(connection);
}

/* --- Time --- */

/* Says whether the client did not do in time what it must do. */
static bool is_dead(const struct connection *connection, int64_t patience)
{
    int64_t silence = connection->loop->now - connection->received_at;
    if (!connection->is_greeted)
        return silence > patience;
    if (connection->is_pinged)
        return silence > (PING_PATIENCES + 1) * patience;
    return connection->output && connection->loop->now - connection->written_at > patience;
}

static void tick(struct timer *timer)
{
    struct connection *connection = (struct connection *)((char *)timer - offsetof(struct connection, timer));
    int64_t patience = connection->loop->server->patience, silence = connection->loop->now - connection->received_at;
    if (connection->is_ending || is_dead(connection, patience)) {
        connection_close(connection);
        return;
    }
    for (struct server_call *call = connection->calls; call; call = call->next)
        if (call_is_stalled(call, connection->loop->now - patience))
            nghttp2_submit_rst_stream(connection->session, NGHTTP2_FLAG_NONE, call->stream, NGHTTP2_CANCEL);
    if (connection->calls && !connection->is_pinged && silence > PING_PATIENCES * patience)
        connection->is_pinged = nghttp2_submit_ping(connection->session, NGHTTP2_FLAG_NONE, NULL) == 0;
    if (connection->is_draining)
        connection_end_drain(connection);
    else if (!connection->calls && silence > IDLE_PATIENCES * patience)
        nghttp2_session_terminate_session(connection->session, NGHTTP2_NO_ERROR);
    set_timer(connection, patience / TICKS);
    connection_mark(connection);
}

/* --- Farewell (RFC 9113, 6.8) --- */

/* The first GOAWAY asks for no new calls and refuses none: some may be on their way. A PING follows it (session.c).
 * When its answer has come, so have they, and the second GOAWAY says which call was the last. */
void connection_drain(struct connection *connection)
{
    if (connection->is_draining || connection->is_ending)
        return;
    connection->is_draining = true;
    for (struct server_call *call = connection->calls; call; call = call->next)
        if (call->streaming)
            streaming_drain(call);
    nghttp2_submit_shutdown_notice(connection->session);
    set_timer(connection, SECOND); /* if no answer to the PING comes */
    connection_mark(connection);
}

void connection_end_drain(struct connection *connection)
{
    nghttp2_submit_goaway(connection->session, NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(connection->session), NGHTTP2_NO_ERROR, NULL, 0);
    connection_mark(connection);
}
