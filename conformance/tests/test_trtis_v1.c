/* Requests that the judge writes for TensorRT Inference Server v1, and answers that it reads: those that release 1.4.0
 * gave (recorded, each beside its case), and what else may come. */
#include "client/http1.h"
#include "judge/verdict.h"
#include "protocols/answer.h"
#include "protocols/request.h"
#include "tests/registry.h"
#include "tests/scratch.h"

#include "notation/data.h"
#include "notation/text_message.h"
#include "trtis_v1.pb-c.h"
#include "wire/message.h"

#define HEADER         "NV-InferRequest"
#define RECORDED_LEAST 65
#define BATCHES        "{'max_batch_size': 4, 'inputs': [], 'outputs': [{'name': 'O', 'datatype': 'INT32', 'shape': [-1, 2]}]}"
#define SIMPLE                                                                                                         \
    "{'infer': 'a-m\u00f6del', 'id': '7', 'inputs': [{'name': 'A', 'datatype': 'INT32', 'shape': [2, 1], 'data': [1, " \
    "2]}, {'name': 'B', 'datatype': 'BYTES', 'shape': [2], 'data': ['x', '']}]"

static struct status make(const char *encoding, const char *act, const char *details, struct request *request)
{
    const struct encoding *in = encoding_named(encoding);
    const struct sending sending = {
        .encoding = in, .profile = in->profile, .act = parse(act), .details = details ? parse(details) : NULL};
    return request_make(&sending, &arena, request);
}

static struct str header_of(const struct request *request, const char *name)
{
    for (size_t i = 0; i < request->headers.count; i++)
        if (str_is(request->headers.entries[i].name, name))
            return request->headers.entries[i].value;
    return (struct str){0};
}

/* --- Requests --- */

TEST(a_batch_is_left_out_of_the_dims)
{
    struct request request;
    assert_ok(make("trtis-v1-http", SIMPLE ", 'version': '3'}", BATCHES, &request));
    assert_true(str_is(request.method, "POST") && str_is(request.path, "/api/infer/a-m\u00f6del/3"));
    assert_true(str_is(header_of(&request, HEADER),
                       "batch_size: 2 input { name: \"A\" dims: 1 } input { name: \"B\" batch_byte_size: 9 } "
                       "output { name: \"O\" } id: 7"));
    assert_true(str_equal(request.body, (struct str){"\1\0\0\0\2\0\0\0\1\0\0\0x\0\0\0\0", 17}));
}

TEST(without_batches_the_dims_are_the_shape)
{
    struct request request;
    struct tree *message = NULL;
    assert_ok(make("trtis-v1-grpc", SIMPLE ", 'outputs': [{'name': 'P'}]}", NULL, &request));
    assert_text(request.rpc, "/nvidia.inferenceserver.GRPCService/Infer");
    assert_ok(wire_to_tree(&nvidia__inferenceserver__infer_request__descriptor, request.message, &arena, &message));
    assert_tree(tree_member(message, "model_version"), "-1");
    assert_tree(
        tree_member(message, "meta_data"),
        "{'batch_size': 1, 'input': [{'name': 'A', 'dims': [2, 1], 'batch_byte_size': 0}, {'name': 'B', 'dims': [2], "
        "'batch_byte_size': 9}], 'output': [{'name': 'P'}], 'correlation_id': 0, 'id': 7, 'flags': 0}");
    assert_int_equal(tree_member(message, "raw_input")->count, 2);
}

TEST(what_v1_lacks_is_not_sent)
{
    struct request request;
    EACH(text, SIMPLE ", 'parameters': {}}", "{'infer': 'a model', 'inputs': []}", "{'infer': 'a/b', 'inputs': []}",
         SIMPLE ", 'version': 'newest'}", SIMPLE ", 'version': '-1'}",
         SIMPLE ", 'outputs': [{'name': 'O', 'parameters': {}}]}", SIMPLE ", 'outputs': {}}",
         "{'infer': 'm', 'id': 'a', 'inputs': []}", "{'infer': 'm', 'id': '007', 'inputs': []}",
         "{'infer': 'm', 'id': '0', 'inputs': []}", "{'infer': 'm', 'inputs': {}}",
         "{'infer': 'm', 'inputs': [{'name': 'A', 'datatype': 'BF16', 'shape': [1, 1], 'data': [1]}]}",
         "{'infer': 'm', 'inputs': [{'name': 'A', 'datatype': 'INT32', 'shape': [], 'data': [1]}]}",
         "{'infer': 'm', 'inputs': [{'name': 'A', 'datatype': 'INT32', 'shape': [-1, 1], 'data': [1]}]}",
         "{'infer': 'm', 'inputs': [{'name': 'A', 'datatype': 'INT32', 'shape': [1.5], 'data': [1]}]}",
         "{'infer': 'm', 'inputs': [{'name': 'A', 'datatype': 'INT32', 'shape': [1, 1], 'data': [1]}, {'name': 'B', "
         "'datatype': 'INT32', 'shape': [2, 1], 'data': [1, 2]}]}",
         "{'infer': 'm', 'inputs': [{'name': 'A', 'datatype': 'INT32', 'shape': [0, 1], 'data': []}, {'name': 'B', "
         "'datatype': 'INT32', 'shape': [1, 1], 'data': [1]}]}",
         "{'infer': 'm', 'inputs': [{'name': 1, 'datatype': 'INT32', 'shape': [1, 1], 'data': [1]}]}",
         "{'infer': 'm', 'inputs': [{'name': 'A', 'datatype': 'INT32', 'shape': [1, 1]}]}")
        assert_false(make("trtis-v1-http", text, BATCHES, &request).code != STATUS_UNIMPLEMENTED);
}

/* --- Answers --- */

static struct tree *read_http(int status, struct str nv_status, struct str nv_response, struct str body,
                              struct str *trouble)
{
    const struct encoding *encoding = encoding_named("trtis-v1-http");
    struct header headers[] = {{STR("NV-Status"), nv_status}, {STR("nv-inferresponse"), nv_response}};
    size_t count = !nv_status.data ? 0 : nv_response.data ? 2 : 1;
    const struct answer answer = {.status = status, .headers = {headers, count}, .body = body};
    const struct request request = {.endpoint = OVER_HTTP, .details = parse(BATCHES)};
    return answer_tree(encoding, encoding->profile, &request, &answer, &arena, trouble);
}

TEST(an_answer_is_read)
{
    struct str trouble;
    struct str response = STR("model_name: \"m\" model_version: 3 batch_size: 1 output { name: \"O\" raw { dims: 2 "
                              "batch_byte_size: 8 } } output { name: \"C\" } id: 9");
    struct str body = STR("\1\0\0\0\2\0\0\0model_name: \"m\"\noutput { name: \"O\" } output { name: \"C\" "
                          "batch_classes { cls { idx: 4 value: 0.5 label: \"cat\" } } }\n");
    struct tree *tree = read_http(200, STR("code: SUCCESS server_id: \"s\" request_id: 8"), response, body, &trouble);
    assert_int_equal(trouble.size, 0);
    assert_tree(tree_member(tree, "outputs"),
                "[{'name': 'O', 'shape': [1, 2], 'datatype': 'INT32', 'data': [1, 2]}, {'name': 'C', 'classes': "
                "[{'cls': [{'idx': 4, 'value': 0.5, 'label': 'cat'}]}]}]");
    assert_true(str_is(tree_text(tree, "id"), "9") && str_is(tree_text(tree, "model_version"), "3"));
    const struct tree *message = tree_member(tree, "message");
    assert_tree(tree_member(message, "request_status"), "{'code': 1, 'msg': '', 'server_id': 's', 'request_id': 8}");
    assert_text(tree_text(tree, "format"), "text");
    assert_text(tree_text(tree_member(message, "trailer"), "model_name"), "m");
}

TEST(other_answers)
{
    static const char good[] = "code: SUCCESS", raw[] = "output { name: \"O\" raw { dims: 2 batch_byte_size: 8 } }";
    static const struct {
        int status;
        const char *nv_status, *nv_response, *body;
        bool troubles;
    } rows[] = {
        {400, "code: INVALID_ARG msg: \"no\"", "", "", false},
        {400, "code: INVALID_ARG msg: \"no\"", "id: 7", "", false},
        {400, "code: INVALID_ARG msg: \"no\"", NULL, "", false},
        {200, good, NULL, "", false},
        {200, good, "", "", false},
        {200, "{'code': 1}", "", "", true},
        {200, "code: SUCCESS no_such_field: 1", "", "", true},
        {200, good, "no_such_field: 1", "", true},
        {200, good, raw, "1234567", true},
        {200, good, raw, "12345678no message", true},
        {200, good, "output { name: \"O\" raw { dims: 2 batch_byte_size: 7 } }", "1234567", true},
        {200, good, "output { raw { batch_byte_size: 18446744073709551615 } }", "1234567", true},
        {200, good, NULL, "id: \"s\" ready_state: SERVER_READY", false},
        {200, good, NULL, "\x0a\1s\x38\2", false},
        {200, good, NULL, "<html>", true},
    };
    EACH_ROW(row, rows, row->body) {
        struct str trouble, response = row->nv_response ? str_of(row->nv_response) : (struct str){0};
        read_http(row->status, str_of(row->nv_status), response, str_of(row->body), &trouble);
        assert_int_equal(trouble.size > 0, row->troubles);
    }
}

/* The header that is missing is one finding, and the message that came is none. */
TEST(a_status_without_its_header_is_read)
{
    struct str trouble, none = {0};
    const struct tree *tree = read_http(200, none, none, STR("id: \"s\" ready_state: SERVER_READY"), &trouble);
    const struct tree *message = tree_member(tree, "message");
    assert_true(str_is(tree_text(tree_member(message, "server_status"), "id"), "s") && !trouble.size);
    assert_true(str_is(tree_text(tree, "format"), "text") && !tree_member(message, "request_status"));
    assert_null(tree_member(read_http(200, none, none, STR("<html>"), &trouble), "message"));
    assert_null(tree_member(read_http(404, none, none, STR("id: \"s\""), &trouble), "message"));
}

/* Such an answer is bounded by what it would take in memory, and "out of memory" would be another thing. */
TEST(an_answer_with_very_many_values_says_so)
{
    struct buf text = {0};
    struct str trouble;
    for (size_t i = 0; i < 4 * ELEMENTS_SMALL; i++)
        buf_append_literal(&text, "output<>");
    read_http(200, STR("code: SUCCESS"), STR("model_name: \"m\""), buf_str(&text), &trouble);
    assert_text(trouble, "the body has more values than are read");
    read_http(200, STR("code: SUCCESS"), buf_str(&text), STR(""), &trouble);
    assert_text(trouble, "the header nv-inferresponse has more values than are read");
    buf_free(&text);
}

/* --- What was recorded --- */

static struct answer http_answer(struct str bytes)
{
    struct http1 message = {.arena = &arena, .limit = FILE_SIZE_MAX};
    http1_begin(&message, HTTP_RESPONSE);
    http1_read(&message, bytes);
    http1_read(&message, STR(""));
    struct answer answer = {.status = (int)message.parser.status_code,
                            .headers = message.headers,
                            .body = arena_copy(&arena, buf_str(&message.body))};
    http1_free(&message);
    return answer;
}

static void judge_recorded(const struct play *play)
{
    const struct group *group = play->group;
    const char *path = arena_printf(&arena, "fixtures/%.*s.answer", STR_ARG(group->family->path)).data;
    struct str bytes, rpc = tree_text(play->act, "grpc");
    assert_ok(disk_read(path, FILE_SIZE_MAX, &arena, &bytes));
    bool http = group->encoding->transport == TRANSPORT_HTTP;
    struct answer answer = http         ? http_answer(bytes)
                           : bytes.size ? (struct answer){.message = bytes, .has_message = true}
                                        : (struct answer){.code = STATUS_INTERNAL};
    struct request request = {.endpoint = group->profile->endpoint};
    if (!http)
        request.rpc = request_rpc(rpc, group->profile, &arena);
    struct observed observed = {.answer = &answer, .profile = group->profile};
    observed.tree = answer_tree(group->encoding, group->profile, &request, &answer, &arena, &observed.trouble);
    for (size_t i = 0; i < play->assertion_count; i++) {
        struct result result;
        judge_assertion(&play->assertions[i], &observed, &arena, &result);
        if (!verdict_passes(result.verdict) && !play->assertions[i].of_refusal)
            fail_msg("%.*s: %.*s", STR_ARG(play->assertions[i].id), STR_ARG(result.why));
    }
}

/* The original's answers are what the cases expect. */
TEST(the_original_is_judged_right)
{
    struct suite suite = {0};
    struct plan plan;
    size_t count = 0;
    assert_ok(suite_load("fixtures", &suite));
    struct plan_target target = plan_nominal(&suite, &arena);
    target.discovery.no_model = STR("nope");
    assert_ok(plan_make(&suite, &target, &plan));
    for (size_t i = 0; i < plan.play_count; i++) {
        struct str path = plan.plays[i].group->family->path;
        if (!str_starts(path, STR("trtis-v1-http/recorded/")) && !str_starts(path, STR("trtis-v1-grpc/recorded/")))
            continue;
        judge_recorded(&plan.plays[i]);
        count++;
    }
    assert_true(count >= RECORDED_LEAST);
    plan_free(&plan);
    suite_free(&suite);
}
