/* gRPC streams, against a server of Python's grpcio (null_servers.py, kind "streams"): what test_streams.c, which plays
 * steps against the same server, does not show. */
#include "client/stream.h"
#include "null_server.h"

static struct null_server server;
static struct client *client; /* of a test; NULL: none yet */
static struct answer answer;

static int start_server(void **)
{
    null_server_start(&server, "dead", "streams");
    return 0;
}

static int stop_server(void **)
{
    null_server_stop(&server);
    return 0;
}

static int end(void **)
{
    if (client)
        client_destroy(client);
    client = NULL;
    return 0;
}

#define STREAM_TEST(name) TEST_WITH(name, NULL, end)

/* Makes a client that waits so long. */
static void begin(double timeout)
{
    end(NULL);
    server.options.timeout = timeout;
    client = client_create(&server.options, &arena);
}

static struct request request_for(const char *rpc)
{
    static struct str messages[] = {STR("a"), STR(""), STR("ccc")};
    return (struct request){.endpoint = OVER_GRPC,
                            .rpc = arena_printf(&arena, "/t.T/%s", rpc),
                            .streams = true,
                            .messages = messages,
                            .message_count = 3};
}

static void exchange_with(const struct request *request, double timeout)
{
    begin(timeout);
    client_exchange(client, request, NULL, &arena, &answer);
}

/* Makes the whole exchange. */
static void exchange(const char *rpc, double timeout)
{
    const struct request request = request_for(rpc);
    exchange_with(&request, timeout);
}

const struct unit_group unit_group = {start_server, stop_server};

STREAM_TEST(the_end_of_our_messages_is_seen)
{
    exchange("Twice", 10);
    assert_int_equal(answer.message_count, 2);
    assert_true(str_is(answer.messages[0], "3") && str_is(answer.messages[1], "3"));
}

STREAM_TEST(a_compressed_message_is_inflated)
{
    exchange("Packed", 10);
    assert_int_equal(answer.message_count, 1);
    assert_int_equal(answer.messages[0].size, 1000);
}

STREAM_TEST(a_stream_without_an_end_is_cut_off)
{
    exchange("Endless", 60);
    assert_int_equal(answer.outcome, OUTCOME_GARBLED);
    assert_has(answer.trouble, "cut off after 20000 messages");
    exchange("Huge", 60);
    assert_int_equal(answer.outcome, OUTCOME_GARBLED);
    assert_has(answer.trouble, "cut off after 10 messages"); /* max_message is 1 MiB */
}

STREAM_TEST(a_server_that_does_not_read_is_not_waited_for)
{
    struct request request = request_for("Deaf");
    struct str large = {arena_alloc_zero(&arena, 1, 30 << 20), 30 << 20};
    request.messages = &large;
    request.message_count = 1;
    exchange_with(&request, 0.5);
    assert_int_equal(answer.outcome, OUTCOME_TIMEOUT);
    assert_has(answer.trouble, "took no more messages");
}

STREAM_TEST(a_cancelled_stream_ends)
{
    struct request request = request_for("Hang");
    request.cancel = true;
    exchange_with(&request, 10);
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_int_equal(answer.code, 1);
}

STREAM_TEST(a_deadline_is_the_servers_too)
{
    struct request request = request_for("Hang");
    request.deadline = 0.3;
    exchange_with(&request, 10);
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_int_equal(answer.code, 4);
}

STREAM_TEST(a_stream_is_read_in_parts)
{
    const struct request request = request_for("Echo");
    const struct str more[] = {STR("d"), STR("e")};
    begin(10);
    struct stream *stream = client_stream(client, &request, NULL);
    stream_send(stream, request.messages, 1);
    stream_read(stream, 1, &arena, &answer);
    assert_true(answer.open && answer.message_count == 1 && str_is(answer.messages[0], "a"));
    stream_send(stream, more, 2);
    stream_read(stream, 1, &arena, &answer);
    assert_true(answer.open && answer.message_count == 1 && str_is(answer.messages[0], "d"));
    stream_half_close(stream);
    stream_send(stream, more, 1); /* is not sent */
    stream_read(stream, STREAM_END, &arena, &answer);
    assert_true(!answer.open && answer.message_count == 1 && str_is(answer.messages[0], "e"));
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    stream_close(stream);
}

STREAM_TEST(fewer_messages_than_are_awaited_show_the_end)
{
    const struct request request = request_for("Breaks");
    begin(10);
    struct stream *stream = client_stream(client, &request, NULL);
    stream_read(stream, 3, &arena, &answer);
    assert_true(!answer.open && answer.message_count == 2 && answer.code == 10);
    stream_read(stream, 1, &arena, &answer); /* the end stays the end */
    assert_true(!answer.open && answer.message_count == 0 && answer.code == 10);
    stream_close(stream);
}

/* A message of the stream is larger than its window. */
STREAM_TEST(the_server_can_send_only_what_is_read)
{
    const struct request counted = request_for("Counted"), count = request_for("Count");
    begin(10);
    server.options.max_message = (size_t)1 << 30;
    struct stream *stream = client_stream(client, &counted, NULL);
    stream_send(stream, NULL, 0);
    for (int i = 0; i < 50; i++) { /* all of these read what comes on the connection */
        client_exchange(client, &count, NULL, &arena, &answer);
        assert_true(answer.message_count == 1 && (str_is(answer.messages[0], "0") || str_is(answer.messages[0], "1")));
    }
    stream_read(stream, 30, &arena, &answer);
    assert_true(answer.open && answer.message_count == 30 && answer.messages[29].size == 100000);
    stream_close(stream);
    server.options.max_message = 1 << 20;
}

STREAM_TEST(several_streams_share_a_connection)
{
    const struct request echo = request_for("Echo"), twice = request_for("Twice");
    begin(10);
    struct stream *one = client_stream(client, &echo, NULL), *two = client_stream(client, &twice, NULL);
    stream_send(two, twice.messages, 2);
    stream_send(one, echo.messages, 1);
    stream_read(one, 1, &arena, &answer);
    assert_int_equal(answer.message_count, 1);
    stream_half_close(two);
    stream_read(two, STREAM_END, &arena, &answer);
    assert_true(answer.message_count == 2 && str_is(answer.messages[0], "2"));
    stream_close(one);
    stream_close(two);
    client_exchange(client, &echo, NULL, &arena, &answer); /* the connection still serves */
    assert_true(answer.outcome == OUTCOME_ANSWERED && answer.message_count == 3);
}

STREAM_TEST(a_dead_server_is_unreachable)
{
    const struct request request = request_for("Echo");
    answer = null_exchange("dead", "dead", &request, 10);
    assert_int_equal(answer.outcome, OUTCOME_UNREACHABLE);
    assert_true(answer.trouble.size > 0);
}
