/* The client before servers that answer wrongly, slowly, too much or not at all. */
#include "base/count.h"
#include "client/client.h"
#include "client/tcp.h"
#include "null_server.h"
#include "tests/scratch.h"
#include <sys/resource.h>

/* Makes one exchange with a server of that kind. */
static struct answer exchange(const char *http_kind, const char *grpc_kind, const struct request *request,
                              double timeout)
{
    struct null_server server;
    struct client *client;
    struct answer answer;
    null_server_start(&server, http_kind, grpc_kind);
    server.options.timeout = timeout;
    assert_true(is_ok(client_create(&server.options, &arena, &client)));
    client_exchange(client, request, NULL, &arena, &answer);
    client_destroy(client);
    null_server_stop(&server);
    return answer;
}

static struct answer get_from(const char *kind, double timeout)
{
    struct request request = {.endpoint = OVER_HTTP, .method = STR("GET"), .path = STR("/v2")};
    return exchange(kind, "dead", &request, timeout);
}

static struct answer call(const char *kind, double timeout)
{
    struct request request = {.endpoint = OVER_GRPC, .rpc = STR("/inference.GRPCInferenceService/ServerLive")};
    return exchange("dead", kind, &request, timeout);
}

struct expected {
    const char *kind;
    enum outcome outcome;
    double timeout;
};

static void check_outcomes(const struct expected *rows, size_t count,
                           struct answer (*play)(const char *kind, double timeout))
{
    for (size_t i = 0; i < count; i++) {
        struct answer answer = play(rows[i].kind, rows[i].timeout);
        if (answer.outcome != rows[i].outcome)
            fail_msg("%s: outcome %d, not %d (%.*s; %.*s)", rows[i].kind, answer.outcome, rows[i].outcome,
                     STR_ARG(answer.trouble), STR_ARG(answer.details));
        if (answer.outcome != OUTCOME_ANSWERED && answer.trouble.size == 0)
            fail_msg("%s: no word about the trouble", rows[i].kind);
    }
}

const struct unit_group unit_group = {make_arena, drop_arena};

TEST(every_http_server_gives_its_outcome)
{
    static const struct expected rows[] = {
        {"ok", OUTCOME_ANSWERED, 10},          {"500", OUTCOME_ANSWERED, 10},
        {"empty", OUTCOME_ANSWERED, 10},       {"redirect", OUTCOME_ANSWERED, 10},
        {"interim", OUTCOME_ANSWERED, 10},     {"hang", OUTCOME_TIMEOUT, 0.5},
        {"trickle", OUTCOME_TIMEOUT, 0.5},     {"trickle-headers", OUTCOME_TIMEOUT, 0.5},
        {"dead", OUTCOME_UNREACHABLE, 10},     {"close", OUTCOME_CLOSED, 10},
        {"huge-claim", OUTCOME_CLOSED, 10},    {"short-body", OUTCOME_CLOSED, 10},
        {"short-head", OUTCOME_CLOSED, 10},    {"endless-headers", OUTCOME_GARBLED, 10},
        {"endless-line", OUTCOME_GARBLED, 10}, {"endless-interim", OUTCOME_GARBLED, 10},
        {"over-claim", OUTCOME_GARBLED, 10},   {"two-lengths", OUTCOME_GARBLED, 10},
        {"bad-chunk", OUTCOME_GARBLED, 10},    {"garbage", OUTCOME_GARBLED, 10},
    };
    check_outcomes(rows, COUNT_OF(rows), get_from);
}

TEST(every_grpc_server_gives_its_outcome)
{
    static const struct expected rows[] = {
        {"ok", OUTCOME_ANSWERED, 10},
        {"internal", OUTCOME_ANSWERED, 10},
        {"unimplemented", OUTCOME_ANSWERED, 10},
        {"unavailable", OUTCOME_ANSWERED, 10},
        {"deadline", OUTCOME_ANSWERED, 10},
        {"no-message", OUTCOME_ANSWERED, 10},
        {"odd-code", OUTCOME_ANSWERED, 10},
        {"gzip", OUTCOME_ANSWERED, 10},
        {"bomb", OUTCOME_ANSWERED, 10},
        {"huge-claim", OUTCOME_GARBLED, 10},
        {"hang", OUTCOME_TIMEOUT, 0.5},
        {"large", OUTCOME_ANSWERED, 10},
        {"silent", OUTCOME_TIMEOUT, 0.5},
        {"trickle", OUTCOME_TIMEOUT, 0.5},
        {"dead", OUTCOME_UNREACHABLE, 10},
        {"close", OUTCOME_CLOSED, 10},
        {"http1", OUTCOME_GARBLED, 10},
        {"reset", OUTCOME_CLOSED, 10},
        {"cut", OUTCOME_CLOSED, 10},
        {"endless-headers", OUTCOME_GARBLED, 10},
        {"endless-empty", OUTCOME_GARBLED, 10},
        {"endless-trailers", OUTCOME_GARBLED, 10},
        {"endless-interim", OUTCOME_GARBLED, 10},
        {"header-bomb", OUTCOME_GARBLED, 10},
        {"endless-pings", OUTCOME_GARBLED, 10},
        {"endless-settings", OUTCOME_GARBLED, 10},
        {"endless-goaways", OUTCOME_TIMEOUT, 0.5},
        {"endless-frames", OUTCOME_TIMEOUT, 0.5},
        {"endless-data", OUTCOME_TIMEOUT, 0.5},
        {"no-window", OUTCOME_TIMEOUT, 0.5},
        {"endless-padding", OUTCOME_TIMEOUT, 0.5},
        {"goaway", OUTCOME_CLOSED, 10},
        {"http404", OUTCOME_GARBLED, 10},
        {"no-status", OUTCOME_GARBLED, 10},
        {"html", OUTCOME_GARBLED, 10},
        {"bad-gzip", OUTCOME_GARBLED, 10},
        {"two-messages", OUTCOME_GARBLED, 10},
    };
    check_outcomes(rows, COUNT_OF(rows), call);
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
    static const char *const kinds[] = {"endless-body", "endless-chunks", "endless-interim"};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct null_server server;
        struct answer answer;
        struct rusage before, after;
        null_server_start(&server, kinds[i], "dead");
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
    struct request request = {.endpoint = OVER_GRPC, .rpc = STR("/inference.GRPCInferenceService/ServerLive")};
    struct answer answer = exchange("dead", "padded-message", &request, 60);
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_int_equal(answer.message.size, 60000);
    for (size_t i = 0; i < answer.message.size; i++)
        assert_int_equal((unsigned char)answer.message.data[i], i % 250);
    request.streams = true;
    answer = exchange("dead", "padded-stream", &request, 60);
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
                              .headers = {headers, 4, 4},
                              .body = STR("a\0b"),
                              .has_body = true};
    struct answer answer = exchange("echo", "dead", &request, 10);
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
    struct request request = {
        .endpoint = OVER_HTTP, .method = STR("POST"), .path = STR("/"), .headers = {headers, 2, 2}};
    struct answer answer = exchange("echo", "dead", &request, 10);
    assert_true(str_is(answer.body, "POST / HTTP/1.1\r\n\r\n"));
}

TEST(a_head_request_awaits_no_body)
{
    struct request request = {.endpoint = OVER_HTTP, .method = STR("HEAD"), .path = STR("/v2")};
    struct answer answer = exchange("empty", "dead", &request, 10);
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_int_equal(answer.status, 200);
}

TEST(headers_are_those_of_the_final_answer)
{
    struct answer answer = get_from("interim", 10);
    assert_int_equal(answer.status, 200);
    assert_int_equal(answer.headers.count, 2);
    assert_true(str_is(answer.headers.entries[0].name, "Content-Type"));
    answer = get_from("trailers", 10);
    assert_int_equal(answer.trailers.count, 1);
    assert_true(str_is(answer.trailers.entries[0].value, "yes"));
}

TEST(a_connection_is_used_again_and_survives_bad_answers)
{
    struct null_server server;
    struct client *client;
    struct answer answer;
    struct request get = {.endpoint = OVER_HTTP, .method = STR("GET"), .path = STR("/v2")};
    struct request live = {.endpoint = OVER_GRPC, .rpc = STR("/inference.GRPCInferenceService/ServerLive")};
    null_server_start(&server, "short-body", "internal");
    assert_true(is_ok(client_create(&server.options, &arena, &client)));
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
    struct client *client;
    struct answer answer;
    struct header metadata = {STR("X-Asked"), STR("yes, 100%")}, extra = {STR("x-extra"), STR("more")};
    struct request request = {.endpoint = OVER_GRPC,
                              .rpc = STR("/inference.GRPCInferenceService/ModelInfer"),
                              .metadata = {&metadata, 1, 1},
                              .message = {message, size}};
    null_server_start(&server, "dead", "echo");
    server.options.max_message = size;
    assert_true(is_ok(client_create(&server.options, &arena, &client)));
    client_exchange(client, &request, &extra, &arena, &answer);
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_int_equal(answer.code, STATUS_OK);
    assert_false(answer.truncated);
    assert_int_equal(answer.message.size, size);
    assert_memory_equal(answer.message.data, message, size);
    assert_int_equal(answer.trailers.count, 2);
    assert_true(str_is(answer.trailers.entries[0].name, "x-asked"));
    assert_true(str_is(answer.trailers.entries[0].value, "yes, 100%"));
    assert_true(str_is(answer.trailers.entries[1].value, "more"));
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
    struct answer answer = exchange("dead", "ok", &request, 10);
    if (answer.outcome != OUTCOME_ANSWERED)
        fail_msg("%.*s", STR_ARG(answer.trouble));
    assert_int_equal(answer.code, STATUS_RESOURCE_EXHAUSTED);
    free(zeros);
}

TEST(a_compressed_message_is_inflated)
{
    struct answer answer = call("gzip", 10);
    assert_true(answer.has_message);
    assert_true(str_is(answer.message, "\x0a\x04null"));
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
    const struct request request = {.endpoint = OVER_GRPC,
                                    .rpc = STR("/inference.GRPCInferenceService/ServerLive"),
                                    .message = {"\0\0\0\0\0", 5},
                                    .framed = true};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct answer answer = exchange("dead", rows[i].kind, &request, 10);
        if (answer.outcome != rows[i].outcome || answer.status != rows[i].status ||
            answer.headers.count != rows[i].header_count || answer.end_fields.count != rows[i].end_field_count ||
            answer.has_http != rows[i].has_http || answer.is_coded != rows[i].is_coded)
            fail_msg("%s: outcome %d, status %d, %zu headers, %zu behind, has_http %d, is_coded %d (%.*s)",
                     rows[i].kind, answer.outcome, answer.status, answer.headers.count, answer.end_fields.count,
                     answer.has_http, answer.is_coded, STR_ARG(answer.trouble));
        assert_int_equal(answer_is_seen(&answer), rows[i].has_http);
    }
}

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
    const struct request request = {.endpoint = OVER_GRPC,
                                    .rpc = STR("/inference.GRPCInferenceService/ServerLive"),
                                    .preface = STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"),
                                    .message = STR("\0\0\0\1\5\0\0\0\1"),
                                    .http2_raw = true};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct answer answer = exchange("dead", rows[i].kind, &request, rows[i].timeout);
        static const struct http2_raw_answer nothing;
        const struct http2_raw_answer *said = answer.http2_raw ? answer.http2_raw : &nothing;
        if (answer.outcome != rows[i].outcome || !str_is(said->goaway, rows[i].goaway) ||
            !str_is(said->reset, rows[i].reset) || said->is_closed != rows[i].is_closed ||
            said->is_ended != rows[i].is_ended || said->data.size != rows[i].data)
            fail_msg("%s: outcome %d, goaway '%.*s', reset '%.*s', closed %d, ended %d, %zu bytes of data (%.*s)",
                     rows[i].kind, answer.outcome, STR_ARG(said->goaway), STR_ARG(said->reset), said->is_closed,
                     said->is_ended, said->data.size, STR_ARG(answer.trouble));
        if (answer.http2_raw)
            assert_int_equal(said->frame_max, strcmp(rows[i].kind, "large-frames") == 0 ? 1 << 20 : 16384);
        assert_int_equal(answer_is_seen(&answer), rows[i].outcome == OUTCOME_GARBLED);
        assert_true(*rows[i].tale ? str_is(answer.trouble, rows[i].tale) : answer.trouble.size > 0);
    }
}

TEST(frames_without_end_are_cut)
{
    const struct request request = {.endpoint = OVER_GRPC,
                                    .rpc = STR("/inference.GRPCInferenceService/ServerLive"),
                                    .preface = STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"),
                                    .message = STR("\0\0\0\1\5\0\0\0\1"),
                                    .http2_raw = true};
    struct answer answer = exchange("dead", "endless-pings", &request, 60);
    assert_int_equal(answer.outcome, OUTCOME_GARBLED);
    assert_false(answer_is_seen(&answer));
}

TEST(details_are_percent_decoded)
{
    struct answer answer = call("percent", 10);
    assert_int_equal(answer.code, STATUS_NOT_FOUND);
    assert_true(str_is(answer.details, "100% of 'é' ")); /* some servers' texts end with a space */
}

TEST(a_deadline_is_told_to_the_server)
{
    struct request request = {
        .endpoint = OVER_GRPC, .rpc = STR("/inference.GRPCInferenceService/ServerLive"), .deadline = 5};
    struct answer answer = exchange("dead", "time", &request, 10);
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_true(str_is(answer.details, "has a deadline"));
    answer = call("time", 10);
    assert_true(str_is(answer.details, "has none"));
}
