/* The client before servers that answer wrongly, slowly, too much or not at all. */
#include "client/client.h"
#include "client/tcp.h"
#include "null_server.h"
#include <sys/resource.h>

#define LIVE .endpoint = OVER_GRPC, .rpc = STR("/inference.GRPCInferenceService/ServerLive")

static struct answer get_from(const char *kind, double timeout)
{
    struct request request = {.endpoint = OVER_HTTP, .method = STR("GET"), .path = STR("/v2")};
    return null_exchange(kind, "dead", &request, timeout);
}

static struct answer call(const char *kind, double timeout)
{
    struct request request = {LIVE};
    return null_exchange("dead", kind, &request, timeout);
}

static void assert_outcome(struct answer answer, enum outcome expected)
{
    if (answer.outcome != expected)
        fail_msg("outcome %d, not %d (%.*s; %.*s)", answer.outcome, expected, STR_ARG(answer.trouble),
                 STR_ARG(answer.details));
    assert_true(answer.outcome == OUTCOME_ANSWERED || answer.trouble.size > 0);
}

TEST(every_http_server_gives_its_outcome)
{
    EACH(kind, "ok", "500", "empty", "redirect", "interim")
        assert_outcome(get_from(kind, 10), OUTCOME_ANSWERED);
    EACH(kind, "hang", "trickle", "trickle-headers")
        assert_outcome(get_from(kind, 0.5), OUTCOME_TIMEOUT);
    EACH(kind, "dead")
        assert_outcome(get_from(kind, 10), OUTCOME_UNREACHABLE);
    EACH(kind, "close", "huge-claim", "short-body", "short-head")
        assert_outcome(get_from(kind, 10), OUTCOME_CLOSED);
    EACH(kind, "endless-headers", "endless-line", "endless-interim", "over-claim", "two-lengths", "bad-chunk",
         "garbage")
        assert_outcome(get_from(kind, 10), OUTCOME_GARBLED);
}

TEST(every_grpc_server_gives_its_outcome)
{
    EACH(kind, "ok", "internal", "unimplemented", "unavailable", "deadline", "no-message", "odd-code", "gzip", "bomb",
         "large")
        assert_outcome(call(kind, 10), OUTCOME_ANSWERED);
    EACH(kind, "huge-claim", "endless-trailers", "endless-settings") /* test_http2.c has more */
        assert_outcome(call(kind, 10), OUTCOME_GARBLED);
    EACH(kind, "hang", "silent", "trickle", "endless-goaways", "endless-frames", "endless-data", "no-window",
         "endless-padding")
        assert_outcome(call(kind, 0.5), OUTCOME_TIMEOUT);
    EACH(kind, "dead")
        assert_outcome(call(kind, 10), OUTCOME_UNREACHABLE);
}

TEST(answers_without_end_are_cut_at_the_limit)
{
    static const char *const http[] = {"endless-body", "endless-chunks"}, *const grpc[] = {"bomb", "large"};
    for (size_t i = 0; i < 2; i++) {
        struct answer answer = get_from(http[i], 10);
        assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
        assert_true(answer.truncated);
        assert_in_range(answer.body.size, 1, 1 << 16);
        answer = call(grpc[i], 10);
        assert_true(answer.truncated);
        assert_in_range(answer.message.size, 0, 1 << 16);
    }
}

/* What comes faster than it is read neither holds a connection that a case writes to, nor is it kept. */
TEST(answers_without_end_to_bytes_end_with_the_time)
{
    EACH(text, "endless-body", "endless-chunks", "endless-interim") {
        struct null_server server;
        struct answer answer;
        struct rusage before, after;
        null_server_start(&server, text, "dead");
        server.options.timeout = 1;
        getrusage(RUSAGE_SELF, &before);
        struct tcp *tcp = tcp_open(&server.options, client_address(&server.options, OVER_HTTP));
        tcp_write(tcp, STR("GET /v2 HTTP/1.1\r\nHost: x\r\n\r\n"));
        tcp_read(tcp, &(struct tcp_wanted){0}, &arena, &answer);
        tcp_close(tcp);
        null_server_stop(&server);
        getrusage(RUSAGE_SELF, &after);
        assert_int_equal(answer.outcome, OUTCOME_TIMEOUT);
        assert_in_range(after.ru_maxrss - before.ru_maxrss, 0, 192 << 10); /* kB; 16 MiB are kept, twice */
    }
}

TEST(padding_does_not_exhaust_the_windows)
{
    struct request request = {LIVE};
    struct answer answer = null_exchange("dead", "padded-message", &request, 60);
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_int_equal(answer.message.size, 60000);
    for (size_t i = 0; i < answer.message.size; i++)
        assert_int_equal((unsigned char)answer.message.data[i], i % 250);
    request.streams = true;
    answer = null_exchange("dead", "padded-stream", &request, 60);
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_int_equal(answer.message_count, 15000);
}

TEST(http_compression_is_left_as_it_came)
{
    struct answer answer = get_from("bomb", 10);
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_memory_equal(answer.body.data, "\x1f\x8b", 2);
}

TEST(http_sends_exactly_what_the_request_says)
{
    struct header headers[] = {{STR("X-Twice"), STR("a")},
                               {STR("X-Twice"), STR("b")},
                               {STR("X-Empty"), STR("")},
                               {STR("Content-Length"), STR("3")}};
    struct request request = {.endpoint = OVER_HTTP,
                              .method = STR("POST"),
                              .path = STR("/v2/../models/a%2Fb c?x=[1]"),
                              .headers = {headers, 4},
                              .body = STR("a\0b"),
                              .has_body = true};
    struct answer answer = null_exchange("echo", "dead", &request, 10);
    assert_int_equal(answer.status, 200);
    const char expected[] = "POST /v2/../models/a%2Fb c?x=[1] HTTP/1.1\r\nHost: ";
    assert_memory_equal(answer.body.data, expected, sizeof expected - 1);
    const char *rest = memchr(answer.body.data + sizeof expected, '\r', answer.body.size - sizeof expected);
    const char tail[] = "\r\nX-Twice: a\r\nX-Twice: b\r\nX-Empty:\r\nContent-Length: 3\r\n\r\na\0b";
    assert_non_null(rest);
    assert_int_equal(answer.body.data + answer.body.size - rest, sizeof tail - 1);
    assert_memory_equal(rest, tail, sizeof tail - 1);
}

TEST(a_header_can_be_left_out)
{
    struct header headers[] = {{STR("Host"), {0}}, {STR("Content-Length"), {0}}};
    struct request request = {.endpoint = OVER_HTTP, .method = STR("POST"), .path = STR("/"), .headers = {headers, 2}};
    struct answer answer = null_exchange("echo", "dead", &request, 10);
    assert_text(answer.body, "POST / HTTP/1.1\r\n\r\n");
}

TEST(a_head_request_awaits_no_body)
{
    struct request request = {.endpoint = OVER_HTTP, .method = STR("HEAD"), .path = STR("/v2")};
    struct answer answer = null_exchange("empty", "dead", &request, 10);
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_int_equal(answer.status, 200);
}

TEST(headers_are_those_of_the_final_answer)
{
    struct answer answer = get_from("interim", 10);
    assert_int_equal(answer.status, 200);
    assert_int_equal(answer.headers.count, 2);
    assert_text(answer.headers.entries[0].name, "Content-Type");
    answer = get_from("trailers", 10);
    assert_int_equal(answer.trailers.count, 1);
    assert_text(answer.trailers.entries[0].value, "yes");
}

TEST(a_connection_is_used_again_and_survives_bad_answers)
{
    struct null_server server;
    struct answer answer;
    struct request get = {.endpoint = OVER_HTTP, .method = STR("GET"), .path = STR("/v2")};
    struct request live = {LIVE};
    null_server_start(&server, "short-body", "internal");
    struct client *client = client_create(&server.options, &arena);
    for (int i = 0; i < 20; i++) {
        client_exchange(client, &get, NULL, &arena, &answer);
        assert_int_equal(answer.outcome, OUTCOME_CLOSED);
        client_exchange(client, &live, NULL, &arena, &answer);
        assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
        assert_int_equal(answer.code, STATUS_INTERNAL);
    }
    client_destroy(client);
    null_server_stop(&server);
}

TEST(grpc_messages_and_metadata_arrive_whole)
{
    size_t size = (size_t)8 << 20;
    char *message = malloc(size);
    for (size_t i = 0; i < size; i++)
        message[i] = (char)(i * 31 >> 3);
    struct null_server server;
    struct answer answer;
    struct header metadata = {STR("X-Asked"), STR("yes, 100%")}, extra = {STR("x-extra"), STR("more")};
    struct request request = {.endpoint = OVER_GRPC,
                              .rpc = STR("/inference.GRPCInferenceService/ModelInfer"),
                              .metadata = {&metadata, 1},
                              .message = {message, size}};
    null_server_start(&server, "dead", "echo");
    server.options.max_message = size;
    struct client *client = client_create(&server.options, &arena);
    client_exchange(client, &request, &extra, &arena, &answer);
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_int_equal(answer.code, STATUS_OK);
    assert_false(answer.truncated);
    assert_int_equal(answer.message.size, size);
    assert_memory_equal(answer.message.data, message, size);
    assert_int_equal(answer.trailers.count, 2);
    assert_text(answer.trailers.entries[0].name, "x-asked");
    assert_text(answer.trailers.entries[0].value, "yes, 100%");
    assert_text(answer.trailers.entries[1].value, "more");
    client_destroy(client);
    null_server_stop(&server);
    free(message);
}

TEST(a_refusal_before_the_whole_request_went_out_is_an_answer)
{
    size_t size = (size_t)16 << 20;
    char *zeros = calloc(size, 1);
    struct request request = {
        .endpoint = OVER_GRPC, .rpc = STR("/inference.GRPCInferenceService/ModelInfer"), .message = {zeros, size}};
    struct answer answer = null_exchange("dead", "ok", &request, 10);
    if (answer.outcome != OUTCOME_ANSWERED)
        fail_msg("%.*s", STR_ARG(answer.trouble));
    assert_int_equal(answer.code, STATUS_RESOURCE_EXHAUSTED);
    free(zeros);
}

TEST(a_compressed_message_is_inflated)
{
    struct answer answer = call("gzip", 10);
    assert_true(answer.has_message);
    assert_text(answer.message, "\x0a\x04null");
}

TEST(the_answer_to_frames_shows_its_http)
{
    static const struct {
        const char *kind;
        enum outcome outcome;
        int status;
        size_t header_count, end_field_count;
        bool has_http, is_coded;
    } rows[] = {
        {"gzip", OUTCOME_ANSWERED, 200, 2, 1, true, true},    {"percent", OUTCOME_ANSWERED, 200, 3, 0, true, false},
        {"http404", OUTCOME_GARBLED, 404, 1, 0, true, false}, {"cut", OUTCOME_CLOSED, 200, 1, 0, true, false},
        {"dead", OUTCOME_UNREACHABLE, 0, 0, 0, false, false},
    };
    const struct request request = {LIVE, .message = {"\0\0\0\0\0", 5}, .framed = true};
    EACH_ROW(row, rows, row->kind) {
        struct answer answer = null_exchange("dead", row->kind, &request, 10);
        if (answer.outcome != row->outcome || answer.status != row->status ||
            answer.headers.count != row->header_count || answer.end_fields.count != row->end_field_count ||
            answer.has_http != row->has_http || answer.is_coded != row->is_coded)
            fail_msg("%s: outcome %d, status %d, %zu headers, %zu behind, has_http %d, is_coded %d (%.*s)", row->kind,
                     answer.outcome, answer.status, answer.headers.count, answer.end_fields.count, answer.has_http,
                     answer.is_coded, STR_ARG(answer.trouble));
        assert_int_equal(answer_is_seen(&answer), row->has_http);
    }
}

#define FRAMES_ALONE                                                                                                   \
    ((struct request){LIVE, .preface = STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"),                      \
                      .message = STR("\0\0\0\1\5\0\0\0\1"), .http2_raw = true})

#define TALE "only the frames of HTTP/2 were looked at"

TEST(a_bare_connection_tells_what_the_server_says)
{
    static const struct {
        const char *kind;
        enum outcome outcome;
        const char *goaway, *reset;
        bool is_closed, is_ended;
        size_t data;
        double timeout;
        const char *tale;
    } rows[] = {
        {"reset", OUTCOME_GARBLED, "", "INTERNAL_ERROR", false, false, 0, 10, TALE ": RST_STREAM INTERNAL_ERROR"},
        {"goaway", OUTCOME_GARBLED, "NO_ERROR", "", false, false, 0, 10, TALE ": GOAWAY NO_ERROR"},
        {"large-frames", OUTCOME_GARBLED, "NO_ERROR", "", false, false, 0, 10, TALE ": GOAWAY NO_ERROR"},
        {"http404", OUTCOME_GARBLED, "", "", false, true, 0, 10, TALE ": a stream was ended"},
        {"no-status", OUTCOME_GARBLED, "", "", false, true, 5, 10, TALE ": a stream was ended"},
        {"close", OUTCOME_GARBLED, "", "", true, false, 0, 10, TALE ": the connection was ended"},
        {"silent", OUTCOME_TIMEOUT, "", "", false, false, 0, 0.5, ""},
        {"dead", OUTCOME_UNREACHABLE, "", "", false, false, 0, 10, ""},
    };
    EACH_ROW(row, rows, row->kind) {
        struct answer answer = null_exchange("dead", row->kind, &FRAMES_ALONE, row->timeout);
        static const struct http2_raw_answer nothing;
        const struct http2_raw_answer *said = answer.http2_raw ? answer.http2_raw : &nothing;
        if (answer.outcome != row->outcome || !str_is(said->goaway, row->goaway) || !str_is(said->reset, row->reset) ||
            said->is_closed != row->is_closed || said->is_ended != row->is_ended || said->data.size != row->data)
            fail_msg("%s: outcome %d, goaway '%.*s', reset '%.*s', closed %d, ended %d, %zu bytes of data (%.*s)",
                     row->kind, answer.outcome, STR_ARG(said->goaway), STR_ARG(said->reset), said->is_closed,
                     said->is_ended, said->data.size, STR_ARG(answer.trouble));
        if (answer.http2_raw)
            assert_int_equal(said->frame_max, strcmp(row->kind, "large-frames") == 0 ? 1 << 20 : 16384);
        assert_int_equal(answer_is_seen(&answer), row->outcome == OUTCOME_GARBLED);
        assert_true(*row->tale ? str_is(answer.trouble, row->tale) : answer.trouble.size > 0);
    }
}

TEST(frames_without_end_are_cut)
{
    struct answer answer = null_exchange("dead", "endless-pings", &FRAMES_ALONE, 60);
    assert_int_equal(answer.outcome, OUTCOME_GARBLED);
    assert_false(answer_is_seen(&answer));
}

TEST(details_are_percent_decoded)
{
    struct answer answer = call("percent", 10);
    assert_int_equal(answer.code, STATUS_NOT_FOUND);
    assert_text(answer.details, "100% of 'é' "); /* some servers' texts end with a space */
}

TEST(a_deadline_is_told_to_the_server)
{
    struct request request = {LIVE, .deadline = 5};
    struct answer answer = null_exchange("dead", "time", &request, 10);
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_text(answer.details, "has a deadline");
    answer = call("time", 10);
    assert_text(answer.details, "has none");
}
