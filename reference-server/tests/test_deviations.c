/* Tests deviations/ with the list that is built in. */
#include "deviations/deviation.h"
#include "deviations/pattern.h"
#include "graphpipe/graphpipe_call.h"
#include "grpc/call.h"
#include "monitoring/monitoring.h"
#include "predict_v2/rest_binary.h"
#include "tests/scratch.h"
#include "trtis_v1/http.h"

#include <inference.pb-c.h>
#include <stdlib.h>
#include <unistd.h>

static struct arena lasting;

static struct str path_as_model(struct str path)
{
    return str_from(path, 1);
}

static const char *write_refusal(struct http_request *request, int, const char *message)
{
    buf_append_str(&request->answer_buf, str_of(message));
    return "text/sentence";
}

/* A form of bodies that is not JSON: a number as that many strokes. */
static struct status read_strokes(const struct http_request *answered, struct str body, struct tree *answer)
{
    for (size_t i = 0; i < body.size; i++)
        if (body.data[i] != '|')
            return status_error(answered->arena, STATUS_INVALID_ARGUMENT, "no stroke");
    struct tree *tree = tree_new(answered->arena, TREE_OBJECT);
    tree_add(tree, STR("id"), tree_int(answered->arena, (int64_t)body.size));
    tree_add(answer, STR("json"), tree);
    return STATUS_IS_OK;
}

static struct status write_strokes(struct tree *answer, struct buf *out, struct arena *scratch)
{
    int64_t count = 0;
    const struct tree *id = tree_member(tree_member(answer, "json"), "id");
    if (id && !tree_to_int64(id, &count))
        return status_error(scratch, STATUS_INVALID_ARGUMENT, "no number");
    for (int64_t i = 0; i < count; i++)
        buf_append_byte(out, '|');
    return STATUS_IS_OK;
}

static const struct http_form strokes = {.read = read_strokes, .write = write_strokes};

static const struct http_service v2 = {.profile = "v2-rest", .write_refusal = write_refusal, .model_of = path_as_model};
static const struct http_service another = {.profile = "x-rest", .write_refusal = write_refusal};
static const struct http_service striking = {.profile = "v2-rest", .write_refusal = write_refusal, .form = &strokes};

struct played {
    struct http_request http;
    struct http_header headers[1], answer_headers[HTTP_ANSWER_HEADERS];
};

/* Makes a request that asks for deviations by their names, with an answer of 200 that has no body yet. */
static void ask(const struct http_service *service, struct played *played, const char *names, const char *path)
{
    *played = (struct played){.headers = {{STR("oip-deviate"), str_of(names)}}};
    played->http = (struct http_request){.arena = &arena,
                                         .method = STR("GET"),
                                         .path = str_of(path),
                                         .service = service,
                                         .headers = played->headers,
                                         .header_count = 1,
                                         .answer_headers = played->answer_headers,
                                         .status = 200};
}

/* Passes an answer of 200 with a JSON body through the hooks. */
static void play_to(const struct http_service *service, struct played *played, const char *names, const char *path,
                    const char *body)
{
    ask(service, played, names, path);
    deviations_http_begin(&played->http);
    played->http.content_type = STR("application/json");
    buf_append_str(&played->http.answer_buf, str_of(body));
    deviations_http_finish(&played->http);
}

static void play(struct played *played, const char *name, const char *path, const char *body)
{
    play_to(&v2, played, name, path, body);
}

static void assert_body(struct played *played, const char *body)
{
    struct str whole = played->http.answer_buf.size ? buf_str(&played->http.answer_buf) : played->http.answer_body;
    if (!str_is(whole, body))
        fail_msg("%.*s, not %s", STR_ARG(whole), body);
    buf_free(&played->http.answer_buf);
}

/* Passes an answer of 200 with this body through the hooks. Checks what it is then. */
static void assert_played(const char *name, const char *path, const char *body, int status, const char *then)
{
    struct played played;
    play(&played, name, path, body);
    assert_int_equal(played.http.status, status);
    assert_body(&played, then);
}

TEST(a_change_that_does_not_fit_leaves_the_answer)
{
    assert_played("rest-id-lost", "/v2", "{ \"name\" : 1 }", 200, "{ \"name\" : 1 }");
}

TEST(on_narrows_a_deviation_to_its_path)
{
    assert_played("rest-live-says-400", "/v2/health/live", "", 400, "this request is not served");
    assert_played("rest-live-says-400", "/v2/health/ready", "", 200, "");
    assert_played("rest-model-ready-says-404", "/v2/models/a/ready", "", 404, "this request is not served");
    assert_played("rest-model-ready-says-404", "/v2/models/a/versions/1/ready", "", 200, "");
}

/* Passes an answer without a body through the hooks; 400: a refusal because of a requirement. */
static struct http_request finished(struct played *played, const char *names, int status, const char *refused_by)
{
    ask(&v2, played, names, "/v2");
    deviations_http_begin(&played->http);
    played->http.status = status;
    played->http.refused_by = refused_by;
    deviations_http_finish(&played->http);
    return played->http;
}

static int refused(const char *name, const char *refused_by)
{
    struct played played;
    return finished(&played, name, 400, refused_by).status;
}

TEST(a_refusal_is_altered_only_by_a_deviation_of_its_requirement)
{
    assert_int_equal(refused("counts-are-not-minded", "data-count"), 200); /* v2-rest.data-count */
    assert_int_equal(refused("counts-are-not-minded", "json-valid"), 400);
    assert_int_equal(refused("counts-are-not-minded", NULL), 400);
    assert_int_equal(refused("failures-say-500", "data-count"), 500); /* on "*" */
    assert_int_equal(refused("failures-say-500", NULL), 500);
    assert_int_equal(refused("nameless-failures-say-200", NULL), 200); /* on "": no requirement is known */
    assert_int_equal(refused("nameless-failures-say-200", "data-count"), 400);
}

TEST(on_looks_at_request_and_answer)
{
    static const struct {
        const char *on, *request, *answer;
        bool fails, alters;
    } rows[] = {
        {"{}", "{}", "{}", false, true},
        {"{}", "{}", "{}", true, false},
        {"{\"request\":{\"json\":{\"id\":\"\"}}}", "{\"json\":{\"id\":\"\",\"n\":1}}", "{}", false, true},
        {"{\"request\":{\"json\":{\"id\":\"\"}}}", "{\"json\":{\"id\":\"a\"}}", "{}", false, false},
        {"{\"request\":{\"json\":{\"id\":\"\"}}}", "{\"body\":\"no JSON\"}", "{}", false, false},
        {"{\"answer\":{\"status\":400}}", "{}", "{\"status\":400}", true, true},
        {"{\"answer\":{\"status\":400}}", "{}", "{\"status\":404}", true, false},
        {"{\"refused_by\":[\"a.b\",\"v2-rest.c\"]}", "{}", "{}", true, true},
        {"{\"refused_by\":\"v2-rest.d\"}", "{}", "{}", true, false},
        {"{\"refused_by\":\"*\"}", "{}", "{}", false, false},
    };
    EACH_ROW(row, rows, row->on) {
        struct deviation deviation = {.key = "v2-rest.own", .alter = parse("{}"), .on = parse(row->on)};
        struct exchanged exchanged = {.request = parse(row->request),
                                      .answer = parse(row->answer),
                                      .fails = row->fails,
                                      .refused_by = STR("v2-rest.c")};
        assert_int_equal(deviation_alters(&deviation, &exchanged, &arena), row->alters);
    }
}

TEST(patterns)
{
    static const struct {
        const char *pattern, *value; /* a value that is NULL is absent */
        bool is_met;
    } rows[] = {
        {"1", "1.0", true},
        {"1", "2", false},
        {"\"a\"", "\"a\"", true},
        {"\"a\"", NULL, false},
        {"{\"a\":1}", "{\"a\":1,\"b\":2}", true},
        {"{\"a\":1}", "{\"b\":1}", false},
        {"[1,2]", "[1,2]", true},
        {"[1,2]", "[1,2,3]", false},
        {"{\"a\":{\"$absent\":true}}", "{}", true},
        {"{\"a\":{\"$absent\":true}}", "{\"a\":null}", false},
        {"{\"$not\":1}", "2", true},
        {"{\"$not\":1}", NULL, true},
        {"{\"$not\":1}", "1", false},
        {"{\"$in\":[1,2]}", "2", true},
        {"{\"$in\":[1,2]}", "3", false},
        {"{\"$all\":[{\"$type\":\"string\"},{\"$match\":\"^a\"}]}", "\"ab\"", true},
        {"{\"$all\":[{\"$type\":\"string\"},{\"$match\":\"^a\"}]}", "\"ba\"", false},
        {"{\"$contains\":{\"n\":1}}", "[{\"n\":2},{\"n\":1}]", true},
        {"{\"$contains\":{\"n\":1}}", "[{\"n\":2}]", false},
        {"{\"$contains\":\"b\"}", "\"abc\"", true},
        {"{\"$contains\":\"d\"}", "\"abc\"", false},
        {"{\"$match\":\"^[0-9]$\"}", "7", true},
        {"{\"$match\":\"a\"}", "[\"a\"]", false},
        {"{\"$type\":\"array\"}", "[]", true},
        {"{\"$type\":\"array\"}", "{}", false},
    };
    EACH_ROW(row, rows, row->pattern) {
        const struct tree *pattern = parse(row->pattern), *value = row->value ? parse(row->value) : NULL;
        assert_true(is_ok(pattern_check(pattern, &arena)));
        if (pattern_is_met(pattern, value, &arena) != row->is_met)
            fail_msg("%s, %s", row->pattern, row->value);
    }
    EACH(text, "{\"$no\":1}", "{\"a\":{\"$in\":1}}", "{\"$match\":\"(\"}", "{\"$type\":1}", "{\"$not\":1,\"a\":1}")
        assert_int_equal(pattern_check(parse(text), &arena).code, STATUS_INVALID_ARGUMENT);
}

TEST(a_deviation_of_another_profile_leaves_this_one_alone)
{
    struct played played;
    play_to(&another, &played, "rest-id-lost", "/x", "{\"id\":1}");
    assert_body(&played, "{\"id\":1}");
    play_to(&another, &played, "http-no-date", "/x", "{}"); /* it applies to every service */
    assert_true(str_is(played.answer_headers[0].value, "yesterday"));
    assert_body(&played, "{}");
}

TEST(a_service_has_the_form_of_its_bodies)
{
    struct played played;
    play_to(&striking, &played, "rest-id-lost", "/v2", "|||");
    assert_body(&played, "");
    play_to(&striking, &played, "rest-id-lost", "/v2", "{\"id\":1}"); /* the body is a string and has no id */
    assert_body(&played, "{\"id\":1}");
    play_to(&striking, &played, "rest-id-invented-anew", "/v2", "|||"); /* the altered tree does not have the form */
    assert_body(&played, "|||");
    assert_int_equal(played.http.status, 200);
}

TEST(unknown_names_are_refused)
{
    struct played played;
    assert_int_equal(deviations_enable("rest-id-lost-not", &arena).code, STATUS_NOT_FOUND);
    play(&played, "no-such", "/v2", "{}");
    assert_int_equal(played.http.status, 400);
    assert_true(str_is(played.http.content_type, "text/sentence"));
    buf_append_byte(&played.http.answer_buf, '\0');
    assert_non_null(strstr(played.http.answer_buf.data, "OIP-Deviate (7 bytes)"));
    buf_free(&played.http.answer_buf);
}

/* Asks with `OIP-Deviate: QUESTION`. Nothing may be changed, and the answer must say what is known. */
static void assert_answers(const char *question, const char *known)
{
    struct played played;
    assert_int_equal(finished(&played, question, 200, NULL).status, 200);
    assert_int_equal(played.http.answer_header_count, 1);
    assert_true(str_is(played.answer_headers[0].name, "OIP-Deviate"));
    assert_true(str_is(played.answer_headers[0].value, known));
}

TEST(a_question_says_whether_there_is_a_deviation_and_changes_nothing)
{
    assert_answers("?rest-id-lost", "known");
    assert_answers("?rest-id-lost-not", "unknown");
    assert_answers("?", "unknown");
}

TEST(refusals_name_their_requirement_with_its_profile)
{
    static const char *const rows[][2] = {{"data-count", "v2-rest.data-count"}, {"http.host", "http.host"}};
    for (size_t i = 0; i < 2; i++) {
        struct played played;
        assert_int_equal(finished(&played, "", 400, rows[i][0]).answer_header_count, 1);
        assert_true(str_is(played.answer_headers[0].name, "OIP-Refused-By"));
        assert_true(str_is(played.answer_headers[0].value, rows[i][1]));
    }
}

TEST(a_deviation_waits_for_an_order)
{
    static const char *const none[] = {NULL};
    static const struct {
        const char *path, *ordered;
        bool fits; /* `ordered` fits what came before the path */
    } steps[] = {
        {"/ready", "", true},         {"/m/load", "?*", false},      {"/ready", "/${model}/load", true},
        {"/ready", "/n/load", false}, {"/m/unload", "*/load", true}, {"/ready", "!(*/load)", true},
    };
    EACH_ROW(row, steps, row->path) {
        struct deviation deviation = {.prefix = STR("v2-rest"),
                                      .on = parse(arena_printf(&arena, "{\"ordered\":\"%s\"}", row->ordered).data)};
        struct asked asked = {.profile = "v2-rest", .texts = none, .path = str_of(row->path), .model = STR("m")};
        assert_int_equal(deviation_fits(&deviation, &asked, &arena), row->fits);
        deviations_choose(&asked, STR(""), &arena);
    }
}

static bool says(void *is_ready)
{
    return *(bool *)is_ready;
}

TEST(a_deviation_waits_for_a_model_that_is_not_ready)
{
    static const char *const none[] = {NULL};
    const struct deviation deviation = {.prefix = STR("v2-rest"), .on = parse("{\"unready\":true}")};
    const struct asked asked = {.profile = "v2-rest", .texts = none};
    bool is_ready = true;
    deviations_ask_ready(says, &is_ready);
    assert_false(deviation_fits(&deviation, &asked, &arena));
    is_ready = false;
    assert_true(deviation_fits(&deviation, &asked, &arena));
    deviations_ask_ready(NULL, NULL);
}

static struct arena little;
static size_t budget;

/* Walks arenas of more and more memory until there is enough, or more than any answer here needs. */
#define UNTIL(is_enough)                                                                                               \
    for (budget = 0; !(is_enough) && budget < 20000 && ((little = arena_new(budget)), true);                           \
         arena_free(&little), budget += 16)

/* Lets the memory of the request end at each place in turn. The answer must stay as it is until there is enough. */
TEST(without_memory_an_answer_stays_as_it_is)
{
    bool is_changed = false;
    UNTIL(is_changed)
    {
        struct played played;
        struct http_request *http = &played.http;
        ask(&v2, &played, "rest-id-lost,all-say-299", "/v2");
        played.answer_headers[0] = (struct http_header){STR("Allow"), STR("GET")};
        http->answer_header_count = 1;
        http->content_type = STR("application/json");
        http->answer_body = STR("{\"id\":\"1\",\"n\":[2]}");
        deviations_http_begin(http);
        http->arena = &little;
        deviations_http_finish(http);
        is_changed = http->status == 299;
        if (http->answer_buf.size == 0)
            assert_true(str_is(http->answer_body, "{\"id\":\"1\",\"n\":[2]}"));
        else
            assert_true(str_is(buf_str(&http->answer_buf), "{\"n\":[2]}"));
        assert_int_equal(http->answer_header_count, 1);
        assert_true(str_equal_ignoring_case(http->answer_headers[0].name, STR("allow")));
        assert_true(str_is(http->content_type, "application/json"));
        buf_free(&http->answer_buf);
    }
    assert_true(is_changed && budget > 1000);
}

/* Does the same for the forms of all protocols: what a body is read into is whole, or there is no memory. */
TEST(without_memory_no_form_reads_half_an_answer)
{
    static const struct {
        const struct http_form *form;
        const char *type, *header, *value;
        struct str body;
    } rows[] = {
        {&rest_form, "application/json", "none", "", {"{\"outputs\":[1,\"a\"]}", 19}},
        {&rest_form, "application/octet-stream", "inference-header-content-length", "2", {"{}1234", 6}},
        {&rest_form, "text/event-stream", "none", "", {"data: {}\n\ndata: [1]\n\n", 21}},
        {&metrics_form, "text/plain", "none", "", {"a 1\nb 2.5\n", 10}},
        {&graphpipe_form, "application/json", "none", "", {"{\"name\":1}", 10}},
        {&v1_form, "application/octet-stream", "nv-status", "code: SUCCESS", {"", 0}},
        {&v1_form,
         "application/octet-stream",
         "nv-inferresponse",
         "model_name: \"m\" output { name: \"a\" raw { batch_byte_size: 4 } }",
         {"1234model_name: \"m\"\n", 20}},
    };
    EACH_ROW(row, rows, row->type) {
        struct tree *headers = tree_new(&arena, TREE_OBJECT);
        tree_add(headers, str_of(row->header), tree_string(&arena, str_of(row->value)));
        struct status status = status_no_memory();
        struct buf whole = {0};
        UNTIL(is_ok(status))
        {
            struct http_request http = {.arena = &little, .status = 200, .content_type = str_of(row->type)};
            struct tree *answer = tree_new(&arena, TREE_OBJECT);
            tree_add(answer, STR("headers"), tree_copy(&arena, headers));
            status = row->form->read(&http, row->body, answer);
            if (!is_ok(status))
                assert_int_equal(status.code, STATUS_RESOURCE_EXHAUSTED);
            else
                assert_true(is_ok(row->form->write(answer, &whole, &arena)));
        }
        assert_true(is_ok(status) && budget > 16);
        assert_int_equal(whole.size, row->body.size);
        buf_free(&whole);
    }
}

#define FLATC_METADATA_REQUEST "\x0c\0\0\0\x08\0\x0c\0\x07\0\x08\0\x08\0\0\0\0\0\0\x02\x08\0\0\0\x04\0\x04\0\x04\0\0"

/* A deviation sees what a request asks, where that is not JSON; with too little memory there is no half of it. */
TEST(forms_read_requests)
{
    static const struct {
        const struct http_form *form;
        struct str header, body;
        const char *member, *value;
    } rows[] = {
        {&v1_form, {"batch_size: 2", 13}, {"", 0}, "meta_data", "{\"batch_size\":2}"},
        {&graphpipe_form, {NULL, 0}, {FLATC_METADATA_REQUEST, 32}, "req_type", "\"MetadataRequest\""},
    };
    EACH_ROW(row, rows, row->member) {
        struct http_header header = {STR("nv-inferrequest"), row->header};
        bool is_read = false;
        UNTIL(is_read)
        {
            struct http_request http = {.arena = &little, .headers = &header, .header_count = 1, .body = row->body};
            struct tree *asked = tree_new(&arena, TREE_OBJECT);
            struct status status = row->form->read_request(&http, asked);
            is_read = is_ok(status);
            if (!is_read)
                assert_int_equal(status.code, STATUS_RESOURCE_EXHAUSTED);
            else
                assert_true(
                    pattern_is_met(parse(row->value), tree_member(tree_member(asked, "message"), row->member), &arena));
        }
        assert_true(is_read);
    }
}

static const struct rpc_service service = {.profile = "v2-grpc"};
static const struct rpc_method model_infer = {.name = "ModelInfer",
                                              .answer = &inference__model_infer_response__descriptor};

/* A call that asks for deviations of an RPC by their names. Its answer has these pieces. */
static struct rpc_call call_with(const char *names, const char *rpc, const struct rpc_method *method,
                                 struct str *pieces, size_t count)
{
    static const char *const texts[] = {"grpc", NULL};
    const struct asked asked = {.profile = service.profile, .texts = texts, .rpc = str_of(rpc)};
    return (struct rpc_call){.arena = &arena,
                             .service = &service,
                             .method = method,
                             .deviation = deviations_choose(&asked, str_of(names), &arena),
                             .pieces = pieces,
                             .piece_count = count};
}

TEST(without_memory_a_grpc_answer_stays_as_it_is)
{
    struct str pieces[] = {STR("\x0a\x01m\x1a\x01"), STR("7")};
    bool is_changed = false;
    UNTIL(is_changed)
    {
        struct rpc_call call = call_with("grpc-id-lost", "ModelInfer", &model_infer, pieces, 2);
        call.arena = &little;
        deviations_rpc_finish(&call);
        is_changed = call.pieces != pieces;
        assert_int_equal(call.status.code, STATUS_OK);
        if (is_changed)
            assert_true(call.piece_count == 1 && str_equal(call.pieces[0], STR("\x0a\x01m")));
    }
    assert_true(is_changed && budget > 1000);
}

TEST(deviations_of_one_answer_add_up)
{
    struct str message = STR("\x0a\x01m\x1a\x01"
                             "7");
    struct rpc_call call = call_with("grpc-text-no-status, grpc-text-codings-are-a-secret, grpc-id-lost", "ServerLive",
                                     &model_infer, &message, 1);
    deviations_rpc_finish(&call);
    assert_true(str_equal(call.pieces[0], STR("\x0a\x01m")));
    assert_int_equal(call.form->field_count, 2);
    assert_true(str_is(call.form->fields[0].name, "grpc-status") && !call.form->fields[0].value.data);
    assert_true(str_is(call.form->fields[1].name, "grpc-accept-encoding") && !call.form->fields[1].value.data);
}

/* This must be the last test, because what it enables stays on. In ModelInferResponse, id is field 3; in
 * ServerLiveResponse, live is field 1. */
TEST(grpc_answers_are_altered_too)
{
    static const struct rpc_method live = {.name = "ServerLive",
                                           .answer = &inference__server_live_response__descriptor};
    static const struct rpc_method ready = {.name = "ModelReady",
                                            .answer = &inference__model_ready_response__descriptor};
    struct str messages[] = {STR("\x0a\x01m\x1a\x01"
                                 "7"),
                             STR("\x08\x01")};
    struct server_call late = {0}; /* its answer gets a trailer, which only this holds */
    assert_true(is_ok(deviations_enable("grpc-id-lost,grpc-live-is-false,grpc-unready-model-is-ready", &lasting)));
    struct rpc_call call = call_with("", "ModelInfer", &model_infer, &messages[0], 1);
    assert_int_equal(((const struct chosen *)call.deviation)->count, 1);
    deviations_rpc_finish(&call);
    assert_int_equal(call.piece_count, 1);
    assert_true(str_equal(call.pieces[0], STR("\x0a\x01m")));

    call = call_with("", "ServerLive", &live, &messages[1], 1);
    deviations_rpc_finish(&call);
    assert_int_equal(call.pieces[0].size, 0);

    late.rpc = call_with("", "ModelReady", &ready, NULL, 0);
    late.rpc.status = status_error(&arena, STATUS_NOT_FOUND, "no such model");
    deviations_rpc_finish(&late.rpc);
    assert_int_equal(late.rpc.status.code, STATUS_NOT_FOUND);
    late.rpc.refused_by = "model-known";
    deviations_rpc_finish(&late.rpc);
    assert_int_equal(late.rpc.status.code, STATUS_OK);
    assert_true(str_equal(late.rpc.pieces[0], STR("\x08\x01")));
}

/* Deviations of this test, beside those of the program. */
static struct status load_own(void)
{
    static const char own[] =
        "{\"all-say-299\":{\"breaks\":\"v2-rest.x\",\"by\":{\"alter\":{\"set\":{\"/status\":299}}}},"
        "\"counts-are-not-minded\":{\"breaks\":\"v2-rest.data-count\",\"by\":{\"alter\":{\"set\":{\"/status\":200}}}},"
        "\"failures-say-500\":{\"breaks\":\"v2-rest.x\",\"by\":{\"alter\":{\"set\":{\"/status\":500}}},"
        "\"on\":{\"refused_by\":\"*\"}},"
        "\"nameless-failures-say-200\":{\"breaks\":\"v2-rest.x\",\"by\":{\"alter\":{\"set\":{\"/status\":200}}},"
        "\"on\":{\"refused_by\":\"\"}}}";
    char path[] = "/tmp/deviations-XXXXXX";
    int file = mkstemp(path);
    bool is_written = file >= 0 && write(file, own, sizeof own - 1) == (ssize_t)sizeof own - 1;
    struct status status = is_written ? deviations_load_file(path, &lasting) : status_no_memory();
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    return status;
}

static int begin(void **)
{
    lasting = arena_new(ARENA_NO_BUDGET);
    arena = arena_new(ARENA_NO_BUDGET);
    deviations_enable_by_header();
    return is_ok(deviations_load(&lasting)) && is_ok(load_own()) ? 0 : -1;
}

static int end(void **)
{
    arena_free(&arena);
    arena_free(&lasting);
    return 0;
}

const struct unit_group unit_group = {begin, end};
