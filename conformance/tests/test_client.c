#include "client/exchange.h"
#include "null_server.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct arena arena;

/* One exchange with a server of that kind. */
static struct answer exchange(const char *http_kind, const char *grpc_kind, const struct request *request, double timeout)
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

static const struct request get_v2 = {.rest = true, .method = {"GET", 3}, .path = {"/v2", 3}};
static const struct request server_live = {.rpc = {"/inference.GRPCInferenceService/ServerLive", 42}};

static struct answer get_from(const char *kind, double timeout)
{
    return exchange(kind, "dead", &get_v2, timeout);
}

static struct answer call(const char *kind, double timeout)
{
    return exchange("dead", kind, &server_live, timeout);
}

struct expected {
    const char *kind;
    enum outcome outcome;
    double timeout;
};

static void check_outcomes(const struct expected *rows, size_t count, struct answer (*play)(const char *kind, double timeout))
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

static void test_every_http_answer_has_its_outcome(void **state)
{
    (void)state;
    static const struct expected rows[] = {
        {"ok", OUTCOME_ANSWERED, 10},          {"500", OUTCOME_ANSWERED, 10},
        {"empty", OUTCOME_ANSWERED, 10},       {"hang", OUTCOME_TIMEOUT, 0.5},
        {"close", OUTCOME_CLOSED, 10},         {"dead", OUTCOME_UNREACHABLE, 10},
        {"trickle", OUTCOME_TIMEOUT, 0.5},     {"trickle-headers", OUTCOME_TIMEOUT, 0.5},
        {"endless-headers", OUTCOME_GARBLED, 10}, {"endless-line", OUTCOME_GARBLED, 10},
        {"endless-interim", OUTCOME_GARBLED, 10}, {"over-claim", OUTCOME_GARBLED, 10},
        {"huge-claim", OUTCOME_CLOSED, 10},    {"short-body", OUTCOME_CLOSED, 10},
        {"short-head", OUTCOME_CLOSED, 10},    {"two-lengths", OUTCOME_GARBLED, 10},
        {"bad-chunk", OUTCOME_GARBLED, 10},    {"garbage", OUTCOME_GARBLED, 10},
        {"redirect", OUTCOME_ANSWERED, 10},    {"interim", OUTCOME_ANSWERED, 10},
    };
    check_outcomes(rows, sizeof rows / sizeof *rows, get_from);
}

static void test_every_grpc_answer_has_its_outcome(void **state)
{
    (void)state;
    static const struct expected rows[] = {
        {"ok", OUTCOME_ANSWERED, 10},         {"internal", OUTCOME_ANSWERED, 10},
        {"unimplemented", OUTCOME_ANSWERED, 10}, {"unavailable", OUTCOME_ANSWERED, 10},
        {"deadline", OUTCOME_ANSWERED, 10},   {"no-message", OUTCOME_ANSWERED, 10},
        {"odd-code", OUTCOME_ANSWERED, 10},   {"gzip", OUTCOME_ANSWERED, 10},
        {"bomb", OUTCOME_ANSWERED, 10},       {"hang", OUTCOME_TIMEOUT, 0.5},
        {"silent", OUTCOME_TIMEOUT, 0.5},     {"trickle", OUTCOME_TIMEOUT, 0.5},
        {"dead", OUTCOME_UNREACHABLE, 10},    {"close", OUTCOME_CLOSED, 10},
        {"reset", OUTCOME_CLOSED, 10},        {"cut", OUTCOME_CLOSED, 10},
        {"goaway", OUTCOME_CLOSED, 10},       {"http1", OUTCOME_GARBLED, 10},
        {"http404", OUTCOME_GARBLED, 10},     {"no-status", OUTCOME_GARBLED, 10},
        {"html", OUTCOME_GARBLED, 10},        {"bad-gzip", OUTCOME_GARBLED, 10},
        {"endless-headers", OUTCOME_GARBLED, 10},
    };
    check_outcomes(rows, sizeof rows / sizeof *rows, call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_http_answer_has_its_outcome),
        cmocka_unit_test(test_every_grpc_answer_has_its_outcome),
    };
    arena = arena_new(ARENA_NO_BUDGET);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
