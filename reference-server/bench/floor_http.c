/* reference-server/bench/ compares request rates of the server with floors: the simplest servers on the same libraries.
 *
 * These are the floors over REST: civetweb with 64 workers. `constant` answers every request with the same bytes, in
 * one write, as many as the answer to a small inference has. `echo` answers with the body of the request, which it
 * reads as a whole first. The difference to the server's rate is the server's own cost.
 *
 *     floor_http constant|echo      prints "listening http=127.0.0.1:PORT", and serves until it is killed */
#include <civetweb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SMALL_ANSWER 266 /* two INT32 [1,16] outputs, as JSON */

static char answer[1024];
static size_t answer_size;

static int answer_the_same(struct mg_connection *connection, void *)
{
    char body[8192];
    while (mg_read(connection, body, sizeof(body)) > 0)
        continue;
    mg_write(connection, answer, answer_size);
    return 200;
}

static void prepare(void)
{
    int head =
        snprintf(answer, sizeof(answer),
                 "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", SMALL_ANSWER);
    memset(answer + head, '1', SMALL_ANSWER);
    answer_size = (size_t)head + SMALL_ANSWER;
}

/* The body is in memory of the thread, which the next request uses again. */
static int answer_the_body(struct mg_connection *connection, void *)
{
    static _Thread_local char *body;
    static _Thread_local size_t room;
    size_t size = (size_t)mg_get_request_info(connection)->content_length, filled = 0;
    if (size > room) {
        free(body);
        body = malloc(size);
        room = body ? size : 0;
    }
    if (size > room)
        return 0;
    for (int got = 1; filled < size && got > 0; filled += (size_t)got)
        got = mg_read(connection, body + filled, size - filled);
    mg_printf(connection, "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: %zu\r\n\r\n",
              size);
    mg_write(connection, body, size);
    return 200;
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
    bool echoes = count > 1 && strcmp(arguments[1], "echo") == 0;
    prepare();
    mg_init_library(0);
    struct mg_context *context = mg_start(NULL, NULL, settings);
    if (!context) {
        fprintf(stderr, "floor_http: the port cannot be opened\n");
        return 1;
    }
    mg_set_request_handler(context, "/", echoes ? answer_the_body : answer_the_same, NULL);
    struct mg_server_port port;
    mg_get_server_ports(context, 1, &port);
    printf("listening http=127.0.0.1:%d\n", port.port);
    fflush(stdout);
    pause();
}
