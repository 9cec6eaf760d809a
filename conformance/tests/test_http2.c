/* How a client of gRPC sees HTTP/2, against servers that write frames by hand (null_servers.py). */
#include "client/client.h"
#include "null_server.h"
#include "port.h"
#include "shell.h"
#include <dirent.h>
#include <pthread.h>

#define LIVE ((struct request){.endpoint = OVER_GRPC, .rpc = STR("/inference.GRPCInferenceService/ServerLive")})

/* Makes one call to a server of that kind. */
static struct answer call(const char *kind, const struct request *request)
{
    return null_exchange("dead", kind, request, 10);
}

TEST(what_came_instead_of_an_answer_is_told)
{
    static const struct {
        const char *kind, *says;
        enum outcome outcome;
    } rows[] = {
        {"endless-headers", "the headers do not end", OUTCOME_GARBLED},
        {"endless-empty", "the headers do not end", OUTCOME_GARBLED},
        {"endless-interim", "the headers do not end", OUTCOME_GARBLED},
        {"header-bomb", "the headers do not end", OUTCOME_GARBLED},
        {"endless-pings", "SETTINGS or PING without end", OUTCOME_GARBLED},
        {"reset", "the server reset the stream with INTERNAL_ERROR", OUTCOME_CLOSED},
        {"refuses", "the server reset the stream with REFUSED_STREAM", OUTCOME_CLOSED},
        {"goaway", "the server ended the connection (GOAWAY NO_ERROR) without a look at the request", OUTCOME_CLOSED},
        {"calms", "the server ended the connection (GOAWAY ENHANCE_YOUR_CALM)", OUTCOME_CLOSED},
        {"cut", "the connection was closed before the whole answer came", OUTCOME_CLOSED},
        {"close", "the connection was closed before the whole answer came", OUTCOME_CLOSED},
        {"http1", "does not speak HTTP/2: what it says begins with: HTTP/1.1 ", OUTCOME_GARBLED},
        {"http404", "HTTP status 404 with the content-type 'text/html' is not an answer of gRPC", OUTCOME_GARBLED},
        {"html", "HTTP status 200 with the content-type 'text/html' is not an answer of gRPC", OUTCOME_GARBLED},
        {"no-status", "the answer has no grpc-status", OUTCOME_GARBLED},
        {"two-messages", "more than one message answers a unary call", OUTCOME_GARBLED},
        {"bad-gzip", "does not inflate", OUTCOME_GARBLED},
        {"upper-case", "the server breaks HTTP/2: Invalid HTTP header field was received: frame type: 1, stream: 1, ",
         OUTCOME_GARBLED},
        {"idle-stream", "the server breaks HTTP/2: DATA: stream in idle", OUTCOME_GARBLED},
    };
    EACH_ROW(row, rows, row->kind)
        for (int streams = 0; streams < 2; streams++) {
            struct request request = LIVE;
            request.streams = streams;
            struct answer answer = call(row->kind, &request);
            bool is_fine = strcmp(row->kind, "two-messages") == 0 && streams;
            assert_int_equal(answer.outcome, is_fine ? OUTCOME_ANSWERED : row->outcome);
            assert_has(answer.trouble, is_fine ? "" : row->says);
        }
}

TEST(a_block_may_come_in_many_frames)
{
    struct answer answer = call("pieces", &LIVE);
    if (answer.outcome != OUTCOME_ANSWERED || answer.code != STATUS_OK)
        fail_msg("outcome %d, '%.*s'", answer.outcome, STR_ARG(answer.trouble));
}

/* The server answers when it has seen the fields, and resets the stream with NO_ERROR (RFC 9113, 8.1). */
TEST(an_answer_before_the_whole_request_is_not_lost)
{
    size_t size = (size_t)1 << 20;
    struct null_server server;
    struct answer answer;
    null_server_start(&server, "dead", "early");
    for (int i = 0; i < 60; i++) {
        struct client *client = client_create(&server.options, &arena);
        struct str message = {arena_alloc_zero(&arena, 1, size), size};
        struct request request = LIVE;
        request.message = message;
        request.framed = i % 3 == 0;
        request.streams = i % 3 == 1;
        request.messages = &message;
        request.message_count = request.streams;
        client_exchange(client, &request, NULL, &arena, &answer);
        if (answer.outcome != OUTCOME_ANSWERED || answer.code != STATUS_RESOURCE_EXHAUSTED)
            fail_msg("outcome %d, code %d, '%.*s'", answer.outcome, answer.code, STR_ARG(answer.trouble));
        client_destroy(client);
    }
    null_server_stop(&server);
}

TEST(a_connection_is_used_again)
{
    struct null_server server;
    struct answer first, answer;
    null_server_start(&server, "dead", "peer");
    struct client *client = client_create(&server.options, &arena);
    client_exchange(client, &LIVE, NULL, &arena, &first);
    assert_true(str_starts(first.details, STR("ipv4:")));
    for (int i = 0; i < 3; i++) {
        client_exchange(client, &LIVE, NULL, &arena, &answer);
        assert_true(str_equal(answer.details, first.details));
    }
    client_destroy(client);
    null_server_stop(&server);
}

TEST(a_connection_that_the_server_gives_up_is_not_used_again)
{
    struct null_server server;
    struct answer answer;
    null_server_start(&server, "dead", "last");
    struct client *client = client_create(&server.options, &arena);
    for (int i = 0; i < 3; i++) {
        client_exchange(client, &LIVE, NULL, &arena, &answer);
        assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    }
    client_destroy(client);
    null_server_stop(&server);
}

TEST(a_call_that_the_server_does_not_see_is_made_again)
{
    static const char *const kinds[] = {"refuses-once", "resets-once"};
    for (size_t i = 0; i < 4; i++) {
        struct request request = LIVE;
        request.streams = i % 2;
        struct answer answer = call(kinds[i / 2], &request);
        assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    }
}

/* Accepts connections and closes each. */
static void *close_each(void *listener)
{
    int *fd = listener;
    for (int peer; (peer = accept(*fd, NULL, NULL)) >= 0;)
        close(peer);
    return NULL;
}

TEST(a_server_that_is_not_there_may_come_later)
{
    int port, listener = port_bind(&port);
    pthread_t thread;
    struct client_options options = {.timeout = 10, .max_message = 1 << 20};
    set_address(options.addresses, "grpc", arena_printf(&arena, "127.0.0.1:%d", port));
    struct answer answer;
    struct client *client = client_create(&options, &arena);
    client_exchange(client, &LIVE, NULL, &arena, &answer);
    assert_int_equal(answer.outcome, OUTCOME_UNREACHABLE);
    assert_has(answer.trouble, "no connection");
    assert_int_equal(listen(listener, 8), 0);
    assert_int_equal(pthread_create(&thread, NULL, close_each, &listener), 0);
    client_exchange(client, &LIVE, NULL, &arena, &answer);
    assert_int_equal(answer.outcome, OUTCOME_CLOSED);
    client_destroy(client);
    shutdown(listener, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(listener);
}

static int open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

TEST(no_socket_stays_open)
{
    int before = 0;
    EACH(text, "internal", "last", "cut", "endless-headers", "dead") {
        struct null_server server;
        struct answer answer;
        null_server_start(&server, "dead", text);
        for (int k = 0; k < 3; k++) {
            struct client *client = client_create(&server.options, &arena);
            for (int call = 0; call < 3; call++)
                client_exchange(client, &LIVE, NULL, &arena, &answer);
            client_destroy(client);
            if (before == 0) /* the libraries have opened by now what they keep open */
                before = open_files();
            assert_int_equal(open_files(), before);
        }
        null_server_stop(&server);
    }
}

/* --- TLS --- */

/* Writes a self-signed certificate of 127.0.0.1, after its private key. */
static void write_certificate(const char *path)
{
    shell_says("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=null server'"
               " -addext subjectAltName=IP:127.0.0.1 -keyout - -out - >%s 2>/dev/null",
               path);
}

TEST(tls_carries_large_messages_and_checks_the_certificate)
{
    size_t size = (size_t)8 << 20;
    char path[] = "/tmp/certificate-XXXXXX", other[] = "/tmp/certificate-XXXXXX", *message = calloc(size, 1);
    close(mkstemp(path));
    close(mkstemp(other));
    write_certificate(path);
    write_certificate(other);
    setenv("NULL_SERVER_PEM", path, 1);
    struct null_server server;
    struct answer answer;
    struct request request = {
        .endpoint = OVER_GRPC, .rpc = STR("/inference.GRPCInferenceService/ModelInfer"), .message = {message, size}};
    null_server_start(&server, "dead", "tls");
    server.options.max_message = size;

    server.options.ca = path;
    struct client *client = client_create(&server.options, &arena);
    for (int i = 0; i < 3; i++) {
        client_exchange(client, &request, NULL, &arena, &answer);
        if (answer.outcome != OUTCOME_ANSWERED)
            fail_msg("%.*s", STR_ARG(answer.trouble));
        assert_int_equal(answer.message.size, size);
    }
    client_destroy(client);

    server.options.ca = other;
    client = client_create(&server.options, &arena);
    client_exchange(client, &request, NULL, &arena, &answer);
    assert_int_equal(answer.outcome, OUTCOME_UNREACHABLE);
    assert_has(answer.trouble, "certificate");
    client_destroy(client);

    null_server_stop(&server);
    unlink(path);
    unlink(other);
    free(message);
}
