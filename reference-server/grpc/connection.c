/* The limits of time all follow from the server's patience: a client that takes no byte of what is written is cut after
 * this time, and so is one that does not do what HTTP/2 demands (session.c). */
#include "grpc/connection.h"

#include "grpc/secure.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define TICKS       4 /* looks at a connection while the patience lasts */
#define READ_SIZE   ((size_t)128 * 1024)
#define PART_SIZE   ((size_t)4 * 1024)
#define UNHEARD_MAX ((size_t)1024 * 1024)

static void go(struct connection *connection, enum connection_state state)
{
    assert(state > connection->state);
    connection->state = state;
}

void connection_set_timer(struct connection *connection, int64_t after)
{
    struct loop *loop = &connection->all->loop;
    timer_set(&loop->timers, &connection->timer, loop->now + after);
}

static void adopt(struct post *post)
{
    struct connection *connection = OWNER_OF(post, struct connection, post);
    struct connections *all = connection->all;
    connection->next = all->first;
    connection->link = &all->first;
    if (connection->next)
        connection->next->link = &connection->next;
    all->first = connection;
    connection->received_at = connection->written_at = all->loop.now;
    connection_set_timer(connection, all->patience / TICKS);
    if (all->tls)
        connection->tls = secure_new(all->tls, connection->fd);
    go(connection, all->tls ? CONNECTION_SHAKING : CONNECTION_OPEN);
    if (all->is_stopping || (all->tls && !connection->tls) || !all->handler->open(connection) ||
        !loop_watch(&all->loop, connection->fd, &connection->source, EPOLLIN))
        connection_close(connection);
    else
        connection_flush(connection);
}

void connection_begin(struct connection *connection, int fd, struct connections *all, const struct loop *current)
{
    atomic_fetch_add(&all->count, 1);
    connection->fd = fd;
    connection->all = all;
    connection->post.take = adopt;
    if (current == &all->loop)
        adopt(&connection->post);
    else
        loop_post(&all->loop, &connection->post);
}

void connection_mark(struct connection *connection)
{
    connection->is_due = true;
    if (connection->is_dirty || connection->is_read || connection->state == CONNECTION_CLOSED)
        return;
    connection->is_dirty = true;
    connection->next_dirty = connection->all->dirty;
    connection->all->dirty = connection;
}

static void give_output_back(struct connection *connection)
{
    connection->output->next = connection->all->free_outputs;
    connection->all->free_outputs = connection->output;
    connection->output = NULL;
}

/* The memory is freed at the end of the turn, because an event of this turn may still name it, and the list of the
 * connections that are to be flushed, where it stays: a flush of a closed connection does nothing. */
void connection_close(struct connection *connection)
{
    struct connections *all = connection->all;
    if (connection->state == CONNECTION_CLOSED)
        return;
    go(connection, CONNECTION_CLOSED);
    secure_free(connection->tls);
    loop_unwatch(&all->loop, connection->fd);
    close(connection->fd);
    all->handler->close(connection);
    if (connection->output) {
        output_drop(connection->output);
        give_output_back(connection);
    }
    timer_clear(&all->loop.timers, &connection->timer);
    *connection->link = connection->next;
    if (connection->next)
        connection->next->link = connection->link;
    connection->next_closed = all->closed;
    all->closed = connection;
    atomic_fetch_sub(&all->count, 1);
}

/* --- Writing --- */

static bool take_output(struct connection *connection)
{
    struct output *output = connection->all->free_outputs;
    if (output)
        connection->all->free_outputs = output->next;
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
        loop_watch(&connection->all->loop, connection->fd, &connection->source,
                   is_blocked ? EPOLLIN | EPOLLOUT : EPOLLIN);
    connection->is_blocked = is_blocked;
}

/* Everything is said: sends a FIN, and waits a moment for the client's, because closing at once would send a reset,
 * which may overtake the last frames. */
static void end(struct connection *connection)
{
    go(connection, CONNECTION_ENDING);
    secure_finish(connection->fd, connection->tls);
    connection_set_timer(connection, CLOCK_SECOND);
}

/* Writes until nothing is left or the socket takes no more. */
void connection_flush(struct connection *connection)
{
    const struct connection_handler *handler = connection->all->handler;
    enum output_result result = OUTPUT_DONE;
    connection->is_due = false;
    if (connection->state != CONNECTION_OPEN)
        return;
    if (!connection->output && !take_output(connection)) {
        connection_close(connection);
        return;
    }
    for (bool more = true; more && result == OUTPUT_DONE;) {
        size_t size;
        if (output_is_empty(connection->output) && !handler->fill(connection)) {
            connection_close(connection);
            return;
        }
        more = connection->output->is_full;
        result = output_write(connection->output, connection->fd, connection->tls, &size);
        if (size > 0)
            connection->written_at = connection->all->loop.now;
    }
    if (result == OUTPUT_BROKEN) {
        connection_close(connection);
        return;
    }
    set_blocked(connection, result == OUTPUT_BLOCKED);
    if (result == OUTPUT_BLOCKED)
        return;
    give_output_back(connection);
    if (handler->is_over(connection))
        end(connection);
}

/* --- Reading --- */

/* Reads frames in parts, and writes the answers to each part before it reads the next: so a client with many calls at
 * once works on the first answers while its last calls are handled. Parts without an answer are parts of large
 * messages; they become larger.
 *
 * All frames of a part are read before the first of its calls is handled (session.c), and all of these are handled
 * before the first answer is put into frames. So each of the three works runs many times in a row, and its instructions
 * stay in the nearest cache of the processor, which is too small for all of them. */
static void take_bytes(struct connection *connection, struct str bytes)
{
    size_t part = PART_SIZE;
    while (bytes.size > 0 && connection->state == CONNECTION_OPEN) {
        size_t size = bytes.size < part ? bytes.size : part;
        if (!connection->all->handler->take(connection, (const uint8_t *)bytes.data, size)) {
            connection_close(connection);
            return;
        }
        bytes = str_from(bytes, size);
        part = connection->is_due ? PART_SIZE : 2 * part;
        if (bytes.size > 0 && connection->is_due && !connection->is_blocked)
            connection_flush(connection);
    }
}

static void read_some(struct connection *connection)
{
    uint8_t *buffer = connection->all->buffer;
    ssize_t size = secure_read(connection->fd, connection->tls, buffer, READ_SIZE);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size <= 0) {
        connection_close(connection);
        return;
    }
    if (connection->state == CONNECTION_ENDING) {
        connection->unheard += (size_t)size;
        if (connection->unheard > UNHEARD_MAX)
            connection_close(connection);
        return;
    }
    connection->received_at = connection->all->loop.now;
    take_bytes(connection, (struct str){(const char *)buffer, (size_t)size});
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
    if (result == HANDSHAKE_DONE)
        go(connection, CONNECTION_OPEN);
}

static bool is_readable(const struct connection *connection)
{
    return connection->state == CONNECTION_OPEN || connection->state == CONNECTION_ENDING;
}

static void happened(struct loop_source *source, uint32_t events)
{
    struct connection *connection = (struct connection *)source;
    if (connection->state == CONNECTION_SHAKING)
        shake(connection);
    connection->is_read = true;
    if (is_readable(connection) && events & (EPOLLIN | EPOLLERR | EPOLLHUP))
        do
            read_some(connection);
        while (is_readable(connection) && secure_has_more(connection->tls));
    connection->is_read = false;
    if (!connection->is_blocked || events & EPOLLOUT)
        connection_flush(connection);
}

static void tick(struct timer *timer)
{
    struct connection *connection = OWNER_OF(timer, struct connection, timer);
    const struct connections *all = connection->all;
    connection_set_timer(connection, all->patience / TICKS);
    if (connection->state == CONNECTION_ENDING ||
        !all->handler->tick(connection, all->loop.now - connection->received_at))
        connection_close(connection);
    else
        connection_mark(connection);
}

struct connection *connection_new(size_t size)
{
    struct connection *connection = calloc(1, size);
    if (connection) {
        connection->source.happened = happened;
        connection->timer.due = tick;
    }
    return connection;
}

/* --- The connections of a loop --- */

struct status connections_open(struct connections *all, int (*turn)(struct loop *loop), struct arena *arena)
{
    all->buffer = malloc(READ_SIZE);
    all->free_outputs = calloc(1, sizeof(struct output));
    struct status status = loop_open(&all->loop, turn, arena);
    return all->buffer && all->free_outputs ? status : status_no_memory();
}

static void flush_dirty(struct connections *all)
{
    while (all->dirty) {
        struct connection *connection = all->dirty;
        all->dirty = connection->next_dirty;
        connection->is_dirty = false;
        connection_flush(connection);
    }
}

static void free_closed(struct connections *all)
{
    while (all->closed) {
        struct connection *connection = all->closed;
        all->closed = connection->next_closed;
        free(connection);
    }
}

void connections_end_turn(struct connections *all)
{
    flush_dirty(all);
    free_closed(all);
}

void connections_close(struct connections *all)
{
    free_closed(all);
    for (struct output *next, *output = all->free_outputs; output; output = next) {
        next = output->next;
        free(output);
    }
    free(all->buffer);
    loop_close(&all->loop);
}
