/* Sends any bytes to the judge as a server's answer: a thread listens, takes the request, sends the bytes and closes.
 * The first byte chooses how the judge asks: over HTTP, with gRPC frames or HTTP/2 frames of its own, over a bare
 * connection, or by a call or a stream of gRPC. */
#include "base/search.h"
#include "client/client.h"
#include "client/tcp.h"
#include "protocols/answer.h"
#include "tests/registry.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char answered[65536]; /* the bytes that are sent on each connection */
static size_t answered_size;
static char address[64];

static void *serve(void *)
{
    static char bytes[sizeof answered];
    for (;;) {
        char request[4096];
        int peer = accept(listener, NULL, NULL);
        if (peer < 0)
            continue;
        bool asked = recv(peer, request, sizeof request, 0) > 0;
        pthread_mutex_lock(&lock);
        size_t size = answered_size;
        memcpy(bytes, answered, size);
        pthread_mutex_unlock(&lock);
        if (asked && size)
            send(peer, bytes, size, MSG_NOSIGNAL);
        close(peer);
    }
    return NULL;
}

static void listen_once(void)
{
    if (address[0])
        return;
    pthread_t thread;
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof here;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) != 0 || listen(listener, 16) != 0 ||
        getsockname(listener, (struct sockaddr *)&here, &length) != 0 ||
        pthread_create(&thread, NULL, serve, NULL) != 0)
        abort();
    snprintf(address, sizeof address, "127.0.0.1:%d", ntohs(here.sin_port));
}

/* Runs once: sets the address and makes a client of it. */
static struct client *start(struct client_options *options)
{
    static struct arena arena;
    static char http[80];
    static struct client *client;
    arena = arena_new(ARENA_NO_BUDGET);
    listen_once();
    snprintf(http, sizeof http, "http://%s", address);
    *options = (struct client_options){.timeout = 2, .max_message = (size_t)1 << 20};
    set_address(options->addresses, "http", str_of(http));
    set_address(options->addresses, "grpc", str_of(address));
    client = client_create(options, &arena);
    return client;
}

/* Reads three answers, of which the first is given: a peer may send several, and end within any of them. */
static void ask_by_tcp(const struct client_options *options, bool closed, struct arena *arena, struct answer *answer)
{
    const struct tcp_wanted wanted = {.closed = closed};
    struct answer next;
    struct tcp *tcp = tcp_open(options, client_address(options, OVER_HTTP));
    tcp_write(tcp, STR("GET /v2 HTTP/1.1\r\nHost: x\r\n\r\n"));
    tcp_read(tcp, &wanted, arena, answer);
    for (size_t i = 0; i < 2; i++)
        tcp_read(tcp, &wanted, arena, &next);
    tcp_close(tcp);
}

static void answer_in(const char *encoding, const struct request *request, const struct answer *answer,
                      struct arena *arena, struct str *trouble)
{
    const struct encoding *in = encoding_named(encoding);
    answer_tree(in, profile_of(in), request, answer, arena, trouble);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct client_options options;
    static struct client *client;
    const struct request requests[] = {
        {.endpoint = OVER_HTTP, .method = {"GET", 3}, .path = {"/v2", 3}},
        {.endpoint = OVER_HTTP, .method = {"HEAD", 4}, .path = {"/v2", 3}},
        {.endpoint = OVER_HTTP, .method = {"POST", 4}, .path = {"/v2", 3}, .body = {"{}", 2}, .has_body = true},
        {.endpoint = OVER_GRPC,
         .rpc = {"/inference.GRPCInferenceService/ServerLive", 42},
         .message = {"\0\0\0\0\0", 5},
         .framed = true},
        {.endpoint = OVER_GRPC,
         .rpc = {"/inference.GRPCInferenceService/ServerLive", 42},
         .preface = {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24},
         .http2_raw = true},
        {.endpoint = OVER_GRPC, .rpc = {"/inference.GRPCInferenceService/ServerLive", 42}},
        {.endpoint = OVER_GRPC, .rpc = {"/inference.GRPCInferenceService/ModelStreamInfer", 48}, .streams = true},
    };
    enum { OVER_HTTP_ONES = 3, BY_TCP = COUNT_OF(requests) };
    if (size == 0)
        return 0;
    if (!client)
        client = start(&options);
    pthread_mutex_lock(&lock);
    answered_size = size - 1 < sizeof answered ? size - 1 : sizeof answered;
    memcpy(answered, bytes + 1, answered_size);
    pthread_mutex_unlock(&lock);
    struct arena arena = arena_new((size_t)1 << 30);
    struct answer answer = {0};
    struct str trouble = {0};
    size_t chosen = bytes[0] % (BY_TCP + 2);
    if (chosen < BY_TCP)
        client_exchange(client, &requests[chosen], NULL, &arena, &answer);
    else
        ask_by_tcp(&options, chosen > BY_TCP, &arena, &answer);
    if (answer.outcome != OUTCOME_ANSWERED && answer.trouble.size == 0)
        abort();
    if (answer_is_seen(&answer) && chosen < BY_TCP)
        answer_in(chosen >= OVER_HTTP_ONES ? "grpc" : "http", &requests[chosen], &answer, &arena, &trouble);
    else if (answer.outcome == OUTCOME_ANSWERED)
        answer_in("tcp", &requests[0], &answer, &arena, &trouble);
    arena_free(&arena);
    return 0;
}
