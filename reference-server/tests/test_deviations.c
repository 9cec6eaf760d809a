/* deviations/, with the list that is built in. */
#include "deviations/deviation.h"
#include "tests/scratch.h"

static struct arena lasting, arena;

struct played {
    struct http_request http;
    struct http_header headers[1];
};

/* An answer of 200 with a JSON body, as it is after the hooks. */
static void play(struct played *played, const char *name, const char *path, const char *body)
{
    *played = (struct played){.headers = {{STR("oip-deviate"), str_of(name)}}};
    played->http = (struct http_request){
        .arena = &arena, .method = STR("GET"), .path = str_of(path), .headers = played->headers, .header_count = 1};
    deviations_http_begin(&played->http);
    played->http.status = 200;
    played->http.content_type = STR("application/json");
    buf_append_str(&played->http.answer_buf, str_of(body));
    deviations_http_finish(&played->http);
}

static void assert_body(struct played *played, const char *body)
{
    struct str whole = played->http.answer_buf.size ? buf_str(&played->http.answer_buf) : played->http.answer_body;
    if (!str_is(whole, body))
        fail_msg("%.*s, not %s", STR_ARG(whole), body);
    buf_free(&played->http.answer_buf);
}

static void test_alter_changes_the_answer(void **state)
{
    struct played played;
    (void)state;
    play(&played, "rest-id-lost", "/v2/models/m/infer", "{\"id\":\"1\",\"n\":9007199254740993}");
    assert_body(&played, "{\"n\":9007199254740993}");
    assert_int_equal(played.http.status, 200);
    assert_null(played.http.content_length.data);
    play(&played, "rest-client-errors-are-500", "/v2", "{}");
    assert_int_equal(played.http.status, 500);
    assert_body(&played, "{}");
    play(&played, "rest-answers-are-text", "/v2", "{}");
    assert_true(str_is(played.http.content_type, "text/plain"));
    assert_body(&played, "{}");
    play(&played, "rest-wrong-method-is-400, rest-id-lost", "/v2", "{\"id\":1}");
    assert_int_equal(played.http.status, 400);
    assert_body(&played, "{}");
}

static void test_a_change_that_does_not_fit_leaves_the_answer(void **state)
{
    struct played played;
    (void)state;
    play(&played, "rest-id-lost", "/v2", "{ \"name\" : 1 }");
    assert_body(&played, "{ \"name\" : 1 }");
}

static void test_on_narrows_a_deviation_to_its_path(void **state)
{
    struct played played;
    (void)state;
    play(&played, "rest-live-says-400", "/v2/health/live", "");
    assert_int_equal(played.http.status, 400);
    assert_body(&played, "");
    play(&played, "rest-live-says-400", "/v2/health/ready", "");
    assert_int_equal(played.http.status, 200);
    assert_body(&played, "");
    play(&played, "rest-model-ready-says-404", "/v2/models/a/ready", "");
    assert_int_equal(played.http.status, 404);
    assert_body(&played, "");
    play(&played, "rest-model-ready-says-404", "/v2/models/a/versions/1/ready", "");
    assert_int_equal(played.http.status, 200);
    assert_body(&played, "");
}

static void test_skip_switches_the_duty_off(void **state)
{
    struct played played;
    (void)state;
    play(&played, "rest-data-count-unchecked", "/v2", "{}");
    assert_true(duty_is_off(played.http.switches, "data-count"));
    assert_false(duty_is_off(played.http.switches, "data-array"));
    assert_body(&played, "{}");
    play(&played, "", "/v2", "{}");
    assert_null(played.http.switches);
    assert_body(&played, "{}");
    play(&played, "grpc-data-count-unchecked", "/v2", "{}"); /* not on this transport */
    assert_null(played.http.switches);
    assert_body(&played, "{}");
}

static void test_unknown_names_are_refused(void **state)
{
    struct played played;
    (void)state;
    assert_int_equal(deviations_enable("rest-id-lost-not", &arena).code, STATUS_NOT_FOUND);
    play(&played, "no-such", "/v2", "{}");
    assert_int_equal(played.http.status, 400);
    buf_free(&played.http.answer_buf);
}

static void test_refusals_name_their_requirement(void **state)
{
    struct http_header headers[HTTP_ANSWER_HEADERS];
    struct http_request http = {
        .arena = &arena, .method = STR("GET"), .path = STR("/v2"), .status = 400, .answer_headers = headers};
    (void)state;
    deviations_http_begin(&http);
    http.refused_by = "v2-rest.data-count";
    deviations_http_finish(&http);
    assert_int_equal(http.answer_header_count, 1);
    assert_true(str_is(http.answer_headers[0].value, "v2-rest.data-count"));
}

static void test_as_transforms_what_copy_copies(void **state)
{
    static const char *const rows[][3] = {
        {"\"reversed\"", "[1,2,3]", "[3,2,1]"},  {"\"double\"", "9007199254740993", "9007199254740992"},
        {"\"lower\"", "\"INT32\"", "\"int32\""}, {"\"null\"", "5", "null"},
        {"\"base64\"", "\"a\"", "\"YQ==\""},     {"\"base64\"", "\"ab\"", "\"YWI=\""},
        {"\"base64\"", "\"abc\"", "\"YWJj\""},   {"{\"plus\":-1}", "5", "4"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct deviation deviation = {
            .alter = parse(arena_printf(&arena, "{\"copy\":{\"/b\":\"/a\"},\"as\":%s}", rows[i][0]).data)};
        struct tree *answer = parse(arena_printf(&arena, "{\"a\":%s}", rows[i][1]).data);
        struct tree *wanted = parse(arena_printf(&arena, "{\"a\":%s,\"b\":%s}", rows[i][1], rows[i][2]).data);
        assert_true(deviation_change(&deviation, &answer, &arena));
        assert_true(tree_equal(answer, wanted));
    }
}

/* The last test: what is enabled stays. ModelInferResponse: id is field 3, ServerLiveResponse: live is field 1. */
static void test_grpc_answers_are_altered_too(void **state)
{
    struct str with_id = STR("\x0a\x01m\x1a\x01"
                             "7"),
               live = STR("\x08\x01");
    struct rpc_call call = {.arena = &arena,
                            .method = STR("/inference.GRPCInferenceService/ModelInfer"),
                            .pieces = &with_id,
                            .piece_count = 1};
    (void)state;
    struct rpc_call other = {.arena = &arena,
                             .method = STR("/inference.GRPCInferenceService/ServerLive"),
                             .pieces = &live,
                             .piece_count = 1};
    struct rpc_call failed = {.arena = &arena, .method = STR("/inference.GRPCInferenceService/ModelReady")};
    assert_true(is_ok(deviations_enable("grpc-id-lost,grpc-live-is-false,grpc-unready-model-is-ready", &lasting)));
    struct asked asked = {.rpc = STR("ModelInfer")};
    const struct chosen *chosen = deviations_choose(&asked, true, STR(""), &arena);
    assert_int_equal(chosen->count, 1);
    call.deviation = chosen;
    deviations_rpc_finish(&call);
    assert_int_equal(call.piece_count, 1);
    assert_true(str_equal(call.pieces[0], STR("\x0a\x01m")));

    asked.rpc = STR("ServerLive");
    other.deviation = deviations_choose(&asked, true, STR(""), &arena);
    deviations_rpc_finish(&other);
    assert_int_equal(other.pieces[0].size, 0);

    asked.rpc = STR("ModelReady");
    failed.deviation = deviations_choose(&asked, true, STR(""), &arena);
    failed.status = status_error(&arena, STATUS_NOT_FOUND, "no such model");
    deviations_rpc_finish(&failed);
    assert_int_equal(failed.status.code, STATUS_OK);
    assert_true(str_equal(failed.pieces[0], STR("\x08\x01")));
}

static int begin(void **state)
{
    (void)state;
    lasting = arena_new(ARENA_NO_BUDGET);
    arena = arena_new(ARENA_NO_BUDGET);
    deviations_enable_by_header();
    return is_ok(deviations_load(&lasting)) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    arena_free(&arena);
    arena_free(&lasting);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alter_changes_the_answer),
        cmocka_unit_test(test_a_change_that_does_not_fit_leaves_the_answer),
        cmocka_unit_test(test_on_narrows_a_deviation_to_its_path),
        cmocka_unit_test(test_skip_switches_the_duty_off),
        cmocka_unit_test(test_unknown_names_are_refused),
        cmocka_unit_test(test_refusals_name_their_requirement),
        cmocka_unit_test(test_as_transforms_what_copy_copies),
        cmocka_unit_test(test_grpc_answers_are_altered_too),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
