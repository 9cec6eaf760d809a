/* reference-server/bench/ compares request rates of the server with floors: the simplest servers on the same libraries.
 *
 * This is the floor for small inference over REST. civetweb answers every request with the same bytes, in one write,
 * from 64 workers. The answer is as large as that of a small inference. The difference to the server's rate is the
 * server's own cost.
 *
 *     constant_http [BYTES]      prints "listening http=127.0.0.1:PORT", ends at SIGTERM */
#include <civetweb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_ANSWER 266 /* two INT32 [1,16] outputs, as JSON */

static char answer[64 * 1024];
static size_t answer_size;

static int serve(struct mg_connection *connection)
{
    char body[8192];
    while (mg_read(connection, body, sizeof(body)) > 0)
        continue;
    mg_write(connection, answer, answer_size);
    return 200;
}

static void prepare(size_t body_size)
{
    int head = snprintf(answer, sizeof(answer),
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", body_size);
    memset(answer + head, '1', body_size);
    answer_size = (size_t)head + body_size;
}

int main(int count, char **arguments)
{
    static const char *settings[] = {
        "listening_ports",
        "127.0.0.1:0",
        "num_threads",
        "64",
        "enable_keep_alive",
        "yes",
        "keep_alive_timeout_ms",
        "60000",
        "tcp_nodelay",
        "1",
        "decode_url",
        "no",
        NULL,
    };
    static const struct mg_callbacks callbacks = {.begin_request = serve};
    size_t body_size = count > 1 ? strtoul(arguments[1], NULL, 10) : SMALL_ANSWER;
    if (body_size > sizeof(answer) - 256) {
        fprintf(stderr, "constant_http: at most %zu bytes\n", sizeof(answer) - 256);
        return 2;
    }
    prepare(body_size);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    mg_init_library(0);
    struct mg_context *context = mg_start(&callbacks, NULL, settings);
    if (!context) {
        fprintf(stderr, "constant_http: the port cannot be opened\n");
        return 1;
    }
    struct mg_server_port port;
    mg_get_server_ports(context, 1, &port);
    printf("listening http=127.0.0.1:%d\n", port.port);
    fflush(stdout);
    int number;
    sigwait(&signals, &number);
    mg_stop(context);
    mg_exit_library();
    return 0;
}
