/* Requests that the judge writes over GraphPipe, and answers that it reads: those of the original servers (recorded in
 * conformance/tests/graphpipe, each with its meaning as flatc prints it), and what else may come. */
#include "notation/data.h"
#include "protocols/answer.h"
#include "protocols/graphpipe/graphpipe.h"
#include "protocols/request.h"
#include "tests/registry.h"
#include "tests/scratch.h"

#include "flat/message.h"

static struct status make(const char *act, const char *outputs, struct request *request)
{
    const struct encoding *encoding = encoding_named("graphpipe");
    const struct sending sending = {.encoding = encoding,
                                    .profile = encoding->profile,
                                    .act = parse(act),
                                    .outputs = outputs ? parse(outputs) : NULL};
    return request_make(&sending, &arena, request);
}

static struct request metadata_request(void)
{
    struct buf bytes = {0};
    struct request request = {.endpoint = encoding_named("graphpipe")->profile->endpoint, .method = STR("POST")};
    assert_ok(flat_from_tree(&graphpipe_request, parse("{'req_type': 'MetadataRequest', 'req': {}}"), &bytes, &arena));
    request.body = arena_take(&arena, &bytes);
    return request;
}

static struct tree *read_answer(const struct request *request, int status, struct str body, struct str *trouble)
{
    const struct encoding *encoding = encoding_named("graphpipe");
    const struct answer answer = {.status = status, .body = body};
    return answer_tree(encoding, encoding->profile, request, &answer, &arena, trouble);
}

static struct str recorded(const char *name, const char *ending)
{
    struct str bytes;
    const char *path = arena_printf(&arena, "conformance/tests/graphpipe/%s.%s", name, ending).data;
    assert_ok(disk_read(path, FILE_SIZE_MAX, &arena, &bytes));
    return bytes;
}

#define SIMPLE                                                                                                         \
    "{'infer': 'a model', 'id': '7', 'inputs': [{'name': 'A', 'datatype': 'INT32', 'shape': [2], 'data': [1, 2]}, "    \
    "{'name': 'B', 'datatype': 'BYTES', 'shape': [1], 'data': ['x']}]"

/* --- Requests --- */

TEST(an_inference_becomes_a_request)
{
    struct request request;
    struct tree *message = NULL;
    assert_ok(make(SIMPLE "}", "[{'name': 'O', 'datatype': 'FP32'}]", &request));
    assert_true(str_is(request.method, "POST") && str_is(request.path, "/a%20model"));
    assert_ok(flat_to_tree(&graphpipe_request, request.body, &arena, &message, NULL));
    assert_tree(message, "{'req_type': 'InferRequest', 'req': {'input_names': ['A', 'B'], 'input_tensors': [{'type': "
                         "'Int32', 'shape': [2], 'data': '\\u0001\\u0000\\u0000\\u0000\\u0002\\u0000\\u0000\\u0000'}, "
                         "{'type': 'String', 'shape': [1], 'string_val': ['x']}], 'output_names': ['O']}}");
}

TEST(what_graphpipe_lacks_is_not_sent)
{
    static const struct {
        const char *act, *outputs;
    } rows[] = {
        {SIMPLE ", 'parameters': {}}", NULL},
        {SIMPLE ", 'version': '1'}", NULL},
        {SIMPLE "}", "[{'name': 'O', 'datatype': 'BOOL'}]"},
        {SIMPLE ", 'outputs': [{'name': 'O'}]}", "[{'name': 'O', 'datatype': 'BF16'}]"},
        {"{'infer': 'm', 'inputs': [{'name': 'A', 'datatype': 'BOOL', 'shape': [1], 'data': [true]}]}", NULL},
        {"{'infer': 'm', 'inputs': [{'name': 'A', 'datatype': 'INT31', 'shape': [1], 'data': [1]}]}", NULL},
        {"{'infer': 'm', 'inputs': [{'name': 1, 'datatype': 'INT32', 'shape': [1], 'data': [1]}]}", NULL},
        {"{'infer': 'm', 'inputs': {}}", NULL},
    };
    struct request request;
    EACH_ROW(row, rows, row->act)
        assert_int_equal(make(row->act, row->outputs, &request).code, STATUS_UNIMPLEMENTED);
    assert_ok(make(SIMPLE ", 'outputs': [{'name': 'P'}]}", "[{'name': 'O', 'datatype': 'BOOL'}]", &request));
}

/* --- Answers --- */

TEST(the_originals_are_read)
{
    EACH(text, "go_server_f32_1x2", "py_server_f32_1x2", "flatc_resp_f32_1x2", "flatc_resp_error", "go_server_metadata",
         "py_server_metadata") {
        struct request inference, metadata = metadata_request();
        struct str trouble;
        struct buf bytes = {0};
        struct tree *meant = NULL;
        bool is_metadata = strstr(text, "metadata") != NULL;
        const struct flat_table *type = is_metadata ? &graphpipe_metadata_response : &graphpipe_infer_response;
        assert_ok(make(SIMPLE "}", NULL, &inference));
        struct tree *tree = read_answer(is_metadata ? &metadata : &inference, 200, recorded(text, "bin"), &trouble);
        assert_int_equal(trouble.size, 0);
        assert_text(tree_text(tree, "table"), type->name);
        assert_ok(tree_parse(recorded(text, "json"), &arena, &meant));
        assert_ok(flat_from_tree(type, meant, &bytes, &arena));
        assert_ok(flat_to_tree(type, buf_str(&bytes), &arena, &meant, NULL));
        assert_true(tree_equal(tree_member(tree, "message"), meant));
        buf_free(&bytes);
    }
}

static void expect_name(const char *act, const char *name)
{
    struct request request;
    struct str trouble;
    assert_ok(make(act, NULL, &request));
    struct tree *tree = read_answer(&request, 200, recorded("go_server_f32_1x2", "bin"), &trouble);
    const char *form = "[{'datatype': 'FP32', 'shape': [1, 2], 'data': [1, 2], 'name': '%s'}]";
    assert_tree(tree_member(tree, "outputs"), arena_printf(&arena, form, name).data);
}

TEST(an_output_has_the_name_that_was_asked_for_or_its_number)
{
    expect_name(SIMPLE ", 'outputs': [{'name': 'O'}]}", "O");
    expect_name(SIMPLE "}", "output_tensors[0]");
}

/* A vendor whose message is sound, but the other one, must not look for a fault in what writes flatbuffers. */
TEST(the_other_message_is_called_by_its_name)
{
    struct request infer;
    struct str trouble;
    struct buf metadata = {0};
    assert_ok(make(SIMPLE "}", NULL, &infer));
    assert_ok(flat_from_tree(&graphpipe_metadata_response, parse("{'name': 'x', 'version': '1'}"), &metadata, &arena));
    read_answer(&infer, 200, buf_str(&metadata), &trouble);
    assert_text(trouble, "the body is a sound MetadataResponse, where an InferResponse was due");
    read_answer(&infer, 200, STR("no flatbuffer"), &trouble);
    assert_true(str_starts(trouble, STR("the body is no InferResponse: ")));
    buf_free(&metadata);
}

TEST(an_error_is_no_success)
{
    struct request request;
    struct str trouble;
    assert_ok(make(SIMPLE "}", NULL, &request));
    struct tree *tree = read_answer(&request, 200, recorded("flatc_resp_error", "bin"), &trouble);
    assert_null(tree_member(tree, "outputs"));
    assert_tree(tree_member(tree, "message"), "{'output_tensors': [], 'errors': [{'code': 42, 'message': 'boom'}]}");
    assert_int_equal(trouble.size, 0);
}

TEST(other_bodies)
{
    static const struct {
        int status;
        const char *body;
        bool troubles;
    } rows[] = {{400, "Invalid type: 0\n", false},
                {501, "<html>", false},
                {200, "Invalid type: 0\n", true},
                {200, "", true},
                {200, "{}", true}};
    struct request request;
    struct str trouble;
    assert_ok(make(SIMPLE "}", NULL, &request));
    EACH_ROW(row, rows, row->body) {
        struct tree *tree = read_answer(&request, row->status, str_of(row->body), &trouble);
        assert_null(tree_member(tree, "message"));
        assert_int_equal(trouble.size > 0, row->troubles);
    }
}

/* Such an answer is bounded by what it would take in memory, and "out of memory" would be another thing. */
TEST(an_answer_with_very_many_values_says_so)
{
    struct buf bytes = {0};
    struct str trouble;
    struct tree *outputs = tree_new(&arena, TREE_ARRAY), *message = tree_new(&arena, TREE_OBJECT);
    const struct request request = metadata_request();
    for (size_t i = 0; i < 2 * ELEMENTS_SMALL; i++)
        tree_append(outputs, parse("{'name': 'x'}"));
    tree_add(message, STR("outputs"), outputs);
    assert_ok(flat_from_tree(&graphpipe_metadata_response, message, &bytes, &arena));
    read_answer(&request, 200, buf_str(&bytes), &trouble);
    assert_text(trouble, "the body has more values than are read");
    buf_free(&bytes);
}
