#include "client/relay.h"

#include "client/frames.h"
#include "client/line.h"
#include "client/transport.h"
#include "support/memory.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIECE                                                                                                          \
    ((size_t)64 * 1024) /* bytes of one read; more than a TLS record, so that no data stays unseen inside libcurl */

/* Bytes that were read from one side and still have to be written to the other. */
struct piece {
    char bytes[PIECE + (FRAMES_SPACE > CREDIT_SPACE ? FRAMES_SPACE : CREDIT_SPACE)];
    size_t begin, end;
};

struct relay {
    struct line line;
    int core; /* our end of the socket pair */
    pthread_t thread;
    struct piece up, down;         /* up: to the server; down: to the core */
    struct frames frames;          /* of the server */
    struct credit credit;          /* for padding that the core does not see */
    char came[PIECE];              /* what was read last, before it is passed */
    bool core_ended, server_ended; /* it sends nothing more */
    atomic_bool serves;
    _Atomic(const char *) fault;
};

/* --- Both directions --- */

static bool is_empty(const struct piece *piece)
{
    return piece->begin == piece->end;
}

static void fill(struct piece *piece, size_t size)
{
    piece->begin = 0;
    piece->end = size;
}

static void read_core(struct relay *relay)
{
    ssize_t size = recv(relay->core, relay->came, PIECE, MSG_DONTWAIT);
    if (size > 0)
        fill(&relay->up, credit_pass(&relay->credit, (struct str){relay->came, (size_t)size}, relay->up.bytes));
    else if (size == 0 || errno != EAGAIN)
        relay->core_ended = true;
}

static void write_core(struct relay *relay)
{
    struct piece *piece = &relay->down;
    ssize_t size =
        send(relay->core, piece->bytes + piece->begin, piece->end - piece->begin, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size >= 0)
        piece->begin += (size_t)size;
    else if (errno != EAGAIN)
        relay->core_ended = true;
}

static void read_server(struct relay *relay)
{
    size_t size = 0;
    CURLcode code = curl_easy_recv(relay->line.curl, relay->came, PIECE, &size);
    if (code == CURLE_AGAIN)
        return;
    size_t passed = 0;
    relay->fault =
        frames_pass(&relay->frames, &relay->credit, (struct str){relay->came, size}, relay->down.bytes, &passed);
    if (relay->frames.says_goaway)
        relay->serves = false;
    if (code == CURLE_OK && size > 0 && relay->fault == NULL) {
        fill(&relay->down, passed);
        return;
    }
    relay->server_ended = true;
    relay->serves = false;
    shutdown(relay->line.socket, SHUT_RDWR);
    shutdown(relay->core,
             SHUT_WR); /* a write of the core must not fail: the core finds the end of the stream instead */
}

/* A server that accepts nothing more may still send, so the bytes are dropped without closing. */
static void write_server(struct relay *relay)
{
    struct piece *piece = &relay->up;
    size_t size = 0;
    CURLcode code = curl_easy_send(relay->line.curl, piece->bytes + piece->begin, piece->end - piece->begin, &size);
    piece->begin = code == CURLE_OK || code == CURLE_AGAIN ? piece->begin + size : piece->end;
}

/* What to wait for at one side. */
static struct pollfd waiting(int fd, bool reads, bool writes)
{
    return (struct pollfd){reads || writes ? fd : -1, (short)((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)), 0};
}

static void *pass(void *context)
{
    struct relay *relay = context;
    while (!relay->core_ended) {
        if (is_empty(&relay->up))
            fill(&relay->up, credit_pass(&relay->credit, (struct str){NULL, 0}, relay->up.bytes));
        bool idle_up = is_empty(&relay->up), idle_down = is_empty(&relay->down);
        struct pollfd ends[] = {
            waiting(relay->core, idle_up, !idle_down),
            waiting(relay->line.socket, idle_down && !relay->server_ended, !idle_up),
        };
        poll(ends, 2, -1);
        if (idle_up && ends[0].revents)
            read_core(relay);
        if (!is_empty(&relay->up))
            write_server(relay);
        if (idle_down && ends[1].revents && !relay->server_ended)
            read_server(relay);
        if (!is_empty(&relay->down))
            write_core(relay);
    }
    shutdown(relay->core, SHUT_RDWR);
    shutdown(relay->line.socket, SHUT_RDWR);
    return NULL;
}

struct relay *relay_open(const struct client_options *options, struct str address, int *core, struct arena *arena,
                         struct answer *answer)
{
    struct relay *relay = memory_zeroed(sizeof *relay);
    struct str url = rpc_base(options, address, arena);
    int pair[2] = {-1, -1};
    line_open(&relay->line, options, url.data, true);
    if (relay->line.curl == NULL) {
        curl_outcome(relay->line.code, relay->line.detail, arena, answer);
        free(relay);
        return NULL;
    }
    bool made = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0;
    relay->serves = true;
    relay->core = pair[0];
    *core = pair[1];
    if (!made || pthread_create(&relay->thread, NULL, pass, relay) != 0)
        memory_exhausted();
    return relay;
}

void relay_close(struct relay *relay)
{
    shutdown(relay->core, SHUT_RDWR);
    shutdown(relay->line.socket, SHUT_RDWR);
    pthread_join(relay->thread, NULL);
    close(relay->core);
    line_close(&relay->line);
    free(relay);
}

bool relay_serves(struct relay *relay)
{
    return relay->serves;
}

const char *relay_fault(struct relay *relay)
{
    return relay->fault;
}
