/* One thread and one loop. A direction is read only when all that came before has been passed on, so that a slow reader
 * slows down who sends to it, as without the relay, and no connection holds more than one piece in each direction. */
#include "watch/relay.h"

#include "base/buf.h"
#include "client/line.h"
#include "support/memory.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIECE       ((size_t)64 * 1024) /* bytes that are read at once */
#define DROPPED_MAX ((size_t)16 << 20)  /* bytes that a client may send to a server that takes no more */
#define BACKLOG     128

/* What one side sends to the other. */
struct direction {
    struct buf waiting; /* bytes that the other side does not take yet */
    size_t at;          /* of these: the first that it has not taken */
    bool is_dropped;    /* the other side takes nothing more */
    size_t dropped;     /* bytes that came since */
    bool is_ended;      /* the side sends nothing more */
    bool is_passed_on;  /* and the other one was told so */
};

struct connection {
    const struct port *port;
    void *named; /* by the receiver */
    int sockets[SIDES];
    bool is_connecting;
    bool is_over;
    struct direction directions[SIDES]; /* by who sends */
    struct connection *next;
};

struct relay {
    const struct relay_receiver *receiver;
    struct connection *connections;
    size_t count;
    char piece[PIECE];
};

/* --- Addresses --- */

/* Reads an address of this machine, "127.0.0.1:8000" or "[::1]:8000". */
static struct status read_own(struct str address, struct arena *arena, struct sockaddr_storage *own, socklen_t *size)
{
    const char *text = arena_copy(arena, address).data, *colon = strrchr(text, ':');
    struct str host = {text, colon ? (size_t)(colon - text) : 0};
    bool is_six = host.size > 1 && host.data[0] == '[' && host.data[host.size - 1] == ']';
    if (is_six)
        host = (struct str){host.data + 1, host.size - 2};
    else if (str_is(host, "localhost"))
        host = STR("127.0.0.1");
    char *end = NULL;
    unsigned long port = colon && colon[1] ? strtoul(colon + 1, &end, 10) : UINT16_MAX + 1UL;
    struct sockaddr_in *four = (struct sockaddr_in *)own;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)own;
    *own = (struct sockaddr_storage){.ss_family = is_six ? AF_INET6 : AF_INET};
    *size = is_six ? sizeof *six : sizeof *four;
    *(is_six ? &six->sin6_port : &four->sin_port) = htons((uint16_t)port);
    void *to = is_six ? (void *)&six->sin6_addr : (void *)&four->sin_addr;
    if (inet_pton(own->ss_family, arena_copy(arena, host).data, to) == 1 && port <= UINT16_MAX && *end == '\0')
        return STATUS_IS_OK;
    return status_invalid(arena, "'%s' is not a HOST:PORT to listen at; HOST must be an IP address of this machine",
                          str_printable(arena, address));
}

/* Writes the address that the listener has. */
static struct str own_address(int listener, struct str given, struct arena *arena)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } own = {.six = {0}};
    socklen_t size = sizeof own;
    const char *colon = memrchr(given.data, ':', given.size);
    if (getsockname(listener, &own.any, &size) != 0)
        return given;
    in_port_t port = own.any.sa_family == AF_INET6 ? own.six.sin6_port : own.four.sin_port;
    return arena_printf(arena, "%.*s:%d", (int)(colon - given.data), given.data, ntohs(port));
}

struct status port_open(struct port *port, struct arena *arena)
{
    struct sockaddr_storage own;
    socklen_t size;
    int on = 1;
    struct status status = read_own(port->listen, arena, &own, &size);
    if (!is_ok(status))
        return status;
    port->listener = socket(own.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(port->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (port->listener < 0 || bind(port->listener, (struct sockaddr *)&own, size) != 0 ||
        listen(port->listener, BACKLOG) != 0)
        return status_error(arena, STATUS_FAILED_PRECONDITION, "cannot listen at %s: %s",
                            str_printable(arena, port->listen), strerror(errno));
    port->listen = own_address(port->listener, port->listen, arena);
    return status;
}

void port_close(struct port *port)
{
    if (port->listener >= 0)
        close(port->listener);
}

struct str port_reach(struct port *port, const struct client_options *options, struct arena *arena)
{
    struct line line;
    struct answer answer = {0};
    line_open(&line, options, arena_printf(arena, "http://%.*s", STR_ARG(port->target)), false);
    curl_outcome(line.code, line.detail, arena, &answer);
    port->reached_size = sizeof port->reached;
    if (line.curl)
        getpeername(line.socket, (struct sockaddr *)&port->reached, &port->reached_size);
    line_close(&line);
    return answer.trouble;
}

/* --- Connections --- */

/* Has the other side see an end that is none of TCP's orderly ones. */
static void reset(int socket)
{
    const struct linger linger = {.l_onoff = 1};
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

static void break_off(struct connection *connection)
{
    for (int side = 0; side < SIDES; side++)
        if (connection->sockets[side] >= 0)
            reset(connection->sockets[side]);
    connection->is_over = true;
}

static void give_up(struct relay *relay, struct connection *connection, int why)
{
    relay->receiver->unreachable(relay->receiver->context, connection->port, strerror(why));
    break_off(connection);
}

static void begin_connecting(struct relay *relay, struct connection *connection)
{
    const struct port *port = connection->port;
    int server = socket(port->reached.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
    setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection->sockets[SIDE_SERVER] = server;
    connection->is_connecting = true;
    if (server < 0 ||
        (connect(server, (const struct sockaddr *)&port->reached, port->reached_size) != 0 && errno != EINPROGRESS))
        give_up(relay, connection, errno);
}

static void finish_connecting(struct relay *relay, struct connection *connection)
{
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(connection->sockets[SIDE_SERVER], SOL_SOCKET, SO_ERROR, &error, &size);
    connection->is_connecting = false;
    if (error != 0)
        give_up(relay, connection, error);
}

static void free_connection(struct relay *relay, struct connection *connection)
{
    for (int side = 0; side < SIDES; side++) {
        if (connection->sockets[side] >= 0)
            close(connection->sockets[side]);
        buf_free(&connection->directions[side].waiting);
    }
    relay->receiver->closed(relay->receiver->context, connection->named);
    relay->count--;
    free(connection);
}

static void accept_from(struct relay *relay, const struct port *port)
{
    int client = accept4(port->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
    if (client < 0)
        return;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct connection *connection = memory_zeroed(sizeof *connection);
    *connection = (struct connection){.port = port,
                                      .named = relay->receiver->opened(relay->receiver->context, port),
                                      .sockets = {client, -1},
                                      .next = relay->connections};
    relay->connections = connection;
    relay->count++;
    begin_connecting(relay, connection);
    if (connection->is_over) {
        relay->connections = connection->next;
        free_connection(relay, connection);
    }
}

/* --- Bytes --- */

static bool would_block(void)
{
    return errno == EAGAIN || errno == EINTR;
}

/* A server that takes no more may have answered before. The client is heard on, so that it can read the answer. */
static void drop(struct connection *connection, enum side side, size_t size)
{
    struct direction *direction = &connection->directions[side];
    direction->is_dropped = true;
    direction->dropped += size;
    buf_clear(&direction->waiting);
    direction->at = 0;
    if (side == SIDE_SERVER || direction->dropped > DROPPED_MAX)
        break_off(connection);
}

/* Passes on what waits, and then the end. */
static void push(struct connection *connection, enum side side)
{
    struct direction *direction = &connection->directions[side];
    int to = connection->sockets[!side];
    struct str rest = str_from(buf_str(&direction->waiting), direction->at);
    ssize_t sent = rest.size ? send(to, rest.data, rest.size, MSG_NOSIGNAL) : 0;
    if (sent < 0 && !would_block()) {
        drop(connection, side, rest.size);
        return;
    }
    direction->at += sent > 0 ? (size_t)sent : 0;
    if (direction->at < direction->waiting.size)
        return;
    buf_clear(&direction->waiting);
    direction->at = 0;
    if (direction->is_ended && !direction->is_passed_on) {
        shutdown(to, SHUT_WR);
        direction->is_passed_on = true;
    }
}

/* Reads what came from a side, passes it on, and tells it. */
static void pull(struct relay *relay, struct connection *connection, enum side side)
{
    const struct relay_receiver *receiver = relay->receiver;
    struct direction *direction = &connection->directions[side];
    ssize_t size = recv(connection->sockets[side], relay->piece, PIECE, 0);
    if (size < 0 && would_block())
        return;
    if (size < 0) {
        break_off(connection);
        return;
    }
    struct str came = {relay->piece, (size_t)size};
    direction->is_ended = size == 0;
    ssize_t sent =
        size && !direction->is_dropped ? send(connection->sockets[!side], came.data, came.size, MSG_NOSIGNAL) : 0;
    if (direction->is_dropped || (sent < 0 && !would_block()))
        drop(connection, side, came.size);
    else
        buf_append_str(&direction->waiting, str_from(came, sent > 0 ? (size_t)sent : 0));
    if (size == 0)
        push(connection, side);
    receiver->passed(receiver->context, connection->named, side, came);
}

/* --- The loop --- */

/* What to wait for at a socket: bytes to read, unless some of that side still wait or it has ended, and room for those
 * that the other side sends it. */
static short wanted(const struct connection *connection, enum side side)
{
    const struct direction *from = &connection->directions[side], *to = &connection->directions[!side];
    if (connection->is_connecting)
        return side == SIDE_SERVER ? POLLOUT : 0;
    return (short)((!from->is_ended && !from->waiting.size ? POLLIN : 0) | (to->waiting.size ? POLLOUT : 0));
}

static void serve(struct relay *relay, struct connection *connection, const struct pollfd polled[SIDES])
{
    if (connection->is_connecting) {
        if (polled[SIDE_SERVER].revents)
            finish_connecting(relay, connection);
        return;
    }
    for (int side = 0; side < SIDES && !connection->is_over; side++) {
        short events = polled[side].revents;
        const struct direction *from = &connection->directions[side];
        if (events && connection->directions[!side].waiting.size)
            push(connection, !side);
        if (events && !from->is_ended && !from->waiting.size && !connection->is_over)
            pull(relay, connection, (enum side)side);
    }
    connection->is_over |=
        connection->directions[SIDE_CLIENT].is_passed_on && connection->directions[SIDE_SERVER].is_passed_on;
}

/* Serves all connections by what poll found of them, in the order of the list, and frees those that are over. */
static void serve_all(struct relay *relay, const struct pollfd *polled)
{
    struct connection **at = &relay->connections;
    while (*at) {
        struct connection *connection = *at;
        serve(relay, connection, polled);
        polled += SIDES;
        if (connection->is_over) {
            *at = connection->next;
            free_connection(relay, connection);
        } else {
            at = &connection->next;
        }
    }
}

void relay_run(const struct port *ports, size_t count, int stop, const struct relay_receiver *receiver)
{
    struct relay *relay = memory_zeroed(sizeof *relay);
    size_t room = 1 + count;
    struct pollfd *polled = memory_zeroed(room * sizeof *polled);
    relay->receiver = receiver;
    for (;;) {
        size_t used = 0, need = 1 + count + SIDES * relay->count;
        if (need > room) {
            room = 2 * need;
            free(polled);
            polled = memory_zeroed(room * sizeof *polled);
        }
        polled[used++] = (struct pollfd){.fd = stop, .events = POLLIN};
        for (size_t i = 0; i < count; i++)
            polled[used++] = (struct pollfd){.fd = ports[i].listener, .events = POLLIN};
        for (const struct connection *connection = relay->connections; connection; connection = connection->next)
            for (int side = 0; side < SIDES; side++) {
                short events = wanted(connection, (enum side)side);
                polled[used++] = (struct pollfd){.fd = events ? connection->sockets[side] : -1, .events = events};
            }
        if (poll(polled, used, -1) < 0 && errno != EINTR)
            break;
        if (polled[0].revents)
            break;
        serve_all(relay, polled + 1 + count);
        for (size_t i = 0; i < count; i++)
            if (polled[1 + i].revents)
                accept_from(relay, &ports[i]);
    }
    while (relay->connections) {
        struct connection *connection = relay->connections;
        relay->connections = connection->next;
        free_connection(relay, connection);
    }
    free(polled);
    free(relay);
}
