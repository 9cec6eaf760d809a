/* Answers of each protocol become trees that patterns can be held against. */
#include <stdlib.h>

#include "base/search.h"
#include "inference.pb-c.h"
#include "protocols/answer.h"
#include "tests/registry.h"
#include "tests/scratch.h"
#include "wire/message.h"

#define MODEL_INFER "/inference.GRPCInferenceService/ModelInfer"

static struct str trouble;

static struct tree *tree_of(const char *encoding, struct str rpc, const struct answer *answer, struct arena *memory,
                            struct str *fault)
{
    const struct encoding *in = encoding_named(encoding);
    const struct request request = {.endpoint = profile_of(in)->endpoint, .rpc = rpc};
    return answer_tree(in, profile_of(in), &request, answer, memory, fault);
}

static struct tree *decode_body(const char *encoding, int status, struct str body)
{
    struct answer answer = {.status = status, .body = body};
    return tree_of(encoding, STR(""), &answer, &arena, &trouble);
}

/* Returns the tree of an answer with this ModelInferResponse. */
static struct tree *decode_message(const char *encoding, const struct tree *message)
{
    struct buf bytes = {0};
    assert_ok(wire_from_tree(&inference__model_infer_response__descriptor, message, &bytes, &arena));
    struct answer answer = {.has_message = true, .message = arena_take(&arena, &bytes)};
    return tree_of(encoding, STR(MODEL_INFER), &answer, &arena, &trouble);
}

static struct tree *raw_response(const char *datatype, const char *shape, struct str bytes)
{
    struct str json =
        arena_printf(&arena,
                     "{\"model_name\":\"m\",\"outputs\":[{\"name\":\"O\",\"datatype\":\"%s\",\"shape\":%s}],"
                     "\"raw_output_contents\":[]}",
                     datatype, shape);
    struct tree *message = parse(json.data);
    tree_append(tree_member(message, "raw_output_contents"), tree_string(&arena, bytes));
    return message;
}

TEST(http_answers_have_status_headers_body_and_json)
{
    struct header headers[] = {
        {STR("Content-Type"), STR("a")}, {STR("X"), STR("1")},       {STR("x"), STR("2")}, {STR("X"), STR("")},
        {STR("Allow"), STR("GET")},      {STR("allow"), STR("POST")}};
    struct answer answer = {.status = 404, .headers = {headers, 6}, .body = STR("{\"error\":\"no\"}")};
    struct tree *tree = tree_of("http", STR(""), &answer, &arena, &trouble);
    assert_tree(tree, "{'status':404,'headers':{'content-type':'a','x':['1','2',''],'allow':'GET, "
                      "POST'},'json':{'error':'no'},'body':'{\\\"error\\\":\\\"no\\\"}'}");
    assert_int_equal(trouble.size, 0);
}

TEST(a_body_that_is_no_json_is_only_a_body)
{
    EACH(text, "", "no", "{} x", "{\"a\":NaN}", "\xff") {
        struct tree *tree = decode_body("http", 200, str_of(text));
        assert_null(tree_member(tree, "json"));
        assert_text(tree_text(tree, "body"), text);
        assert_int_equal(trouble.size, 0);
        decode_body("rest-flat", 200, str_of(text));
        assert_true(trouble.size > 0);
        decode_body("rest-flat", 400, str_of(text));
        assert_int_equal(trouble.size, 0);
    }
    struct header says_json = {STR("Content-Type"), STR("Application/JSON; charset=utf-8")};
    struct answer answer = {.status = 200, .headers = {&says_json, 1}, .body = STR("[\"\\ud83d\"]")};
    tree_of("http", STR(""), &answer, &arena, &trouble);
    assert_text(trouble, "the body is not JSON: byte 2: half of a surrogate pair, which is not a character");
}

TEST(rest_inferences_come_flat_with_their_spelling)
{
    struct str body =
        STR("{\"model_name\":\"m\",\"id\":\"1\",\"more\":0,\"outputs\":[{\"name\":\"O\",\"datatype\":\"INT64\","
            "\"shape\":[2,2],\"data\":[[9007199254740993,1.0],[[3]],[]]},{\"name\":\"P\"}]}");
    struct tree *tree = decode_body("rest-nested", 200, body);
    assert_tree(tree_member(tree, "outputs"), "[{\"name\":\"O\",\"datatype\":\"INT64\",\"shape\":[2,2],"
                                              "\"data\":[9007199254740993,1.0,3]},{\"name\":\"P\"}]");
    assert_tree(tree_member(tree, "id"), "\"1\"");
    assert_tree(tree_member(tree, "model_name"), "\"m\"");
    assert_null(tree_member(tree, "model_version"));
    assert_null(tree_member(tree, "more"));
    assert_tree(tree_member(tree_member(tree, "json"), "more"), "0");
}

TEST(a_refused_inference_has_no_members_of_a_success)
{
    struct tree *tree = decode_body("rest-flat", 400, STR("{\"error\":\"no\",\"model_name\":\"m\",\"outputs\":[]}"));
    assert_null(tree_member(tree, "model_name"));
    assert_null(tree_member(tree, "outputs"));
}

TEST(outputs_that_are_no_tensors_stay_as_they_are)
{
    static const char *const outputs[] = {"7", "[7,null]", "{\"a\":1}", "[{\"data\":7}]", "[{\"data\":{\"x\":[[1]]}}]"};
    for (size_t i = 0; i < COUNT_OF(outputs); i++) {
        struct str body = arena_printf(&arena, "{\"outputs\":%s}", outputs[i]);
        assert_tree(tree_member(decode_body("rest-flat", 200, body), "outputs"), outputs[i]);
        assert_tree(tree_member(decode_body("http", 200, body), "outputs"), outputs[i]);
    }
    assert_null(tree_member(decode_body("rest-flat", 200, STR("[1]")), "outputs"));
}

/* The bytes were packed by Python's struct (numpy for FP16; for BF16 by hand: the upper half of the FP32). */
TEST(raw_contents_of_every_datatype_decode)
{
    static const struct {
        const char *datatype;
        struct str bytes;
        const char *data;
    } rows[] = {
        {"BOOL", STR("\x00\x01"), "[false,true]"},
        {"UINT8", STR("\x00\xff"), "[0,255]"},
        {"UINT16", STR("\x01\x00\xff\xff"), "[1,65535]"},
        {"UINT32", STR("\xff\xff\xff\xff"), "[4294967295]"},
        {"UINT64", STR("\xff\xff\xff\xff\xff\xff\xff\xff"), "[18446744073709551615]"},
        {"INT8", STR("\x80\x7f"), "[-128,127]"},
        {"INT16", STR("\x00\x80"), "[-32768]"},
        {"INT32", STR("\x00\x00\x00\x80\xfe\xff\xff\xff"), "[-2147483648,-2]"},
        {"INT64", STR("\x01\x00\x00\x00\x00\x00\x20\x00"), "[9007199254740993]"},
        {"FP16", STR("\x00\x3c\x66\x2e\x00\x7c\x00\x80"), "[1,0.099975586,\"Infinity\",-0]"},
        {"FP32", STR("\xcd\xcc\xcc\x3d\x00\x00\xc0\x7f\x00\x00\x80\xff"), "[0.1,\"NaN\",\"-Infinity\"]"},
        {"FP64", STR("\x9a\x99\x99\x99\x99\x99\xb9\x3f"), "[0.1]"},
        {"BF16", STR("\x80\x3f\xcd\x3d"), "[1,0.100097656]"},
        {"BYTES", STR("\x02\x00\x00\x00xy\x00\x00\x00\x00"), "[\"xy\",\"\"]"},
    };
    EACH_ROW(row, rows, row->datatype) {
        struct tree *tree = decode_message("grpc-raw", raw_response(row->datatype, "[2]", row->bytes));
        assert_tree(tree_member(tree_at(tree_member(tree, "outputs"), 0), "data"), row->data);
        assert_int_equal(trouble.size, 0);
    }
}

TEST(typed_contents_decode_by_datatype)
{
    struct tree *tree = decode_message(
        "grpc-raw", parse("{'model_name':'m','id':'4','parameters':{'p':{'int64_param':3},'e':{}},'outputs':[{'name':'"
                          "A','datatype':'INT8','shape':[2],'contents':{'int_contents':[-1,300]}},{'name':'B','"
                          "datatype':'BYTES','shape':[1],'parameters':{'q':{'bool_param':false}},'contents':{'bytes_"
                          "contents':['x']}},{'name':'C','datatype':'FP32','shape':[0]}]}"));
    assert_tree(tree_member(tree, "outputs"),
                "[{\"name\":\"A\",\"datatype\":\"INT8\",\"shape\":[2],\"data\":[-1,300]},"
                "{\"name\":\"B\",\"datatype\":\"BYTES\",\"shape\":[1],\"parameters\":{\"q\":false},\"data\":[\"x\"]},"
                "{\"name\":\"C\",\"datatype\":\"FP32\",\"shape\":[0],\"data\":[]}]");
    assert_tree(tree_member(tree, "parameters"), "{\"p\":3,\"e\":null}");
    assert_tree(tree_member(tree, "code"), "\"OK\"");
    assert_null(tree_member(tree, "model_version"));
    assert_int_equal(trouble.size, 0);
}

TEST(contents_in_the_wrong_field_are_trouble)
{
    decode_message("grpc-typed",
                   parse("{'outputs':[{'name':'A','datatype':'INT8','shape':[1],'contents':{'fp32_contents':[1]}}]}"));
    assert_has(trouble, "fp32_contents");
    decode_message("grpc-typed",
                   parse("{'outputs':[{'name':'A','datatype':'int8','shape':[1],'contents':{'int_contents':[1]}}]}"));
    assert_true(trouble.size > 0);
}

TEST(raw_contents_that_do_not_fit_are_trouble)
{
    static const struct {
        const char *datatype;
        struct str bytes;
    } rows[] = {
        {"INT32", STR("abc")},     {"BYTES", STR("\xff\xff\xff\x7f")}, {"BYTES", STR("ab")},
        {"nonsense", STR("abcd")}, {"BYTES", STR("\x01\x00\x00\x00")},
    };
    EACH_ROW(row, rows, row->datatype) {
        struct tree *tree = decode_message("grpc-raw", raw_response(row->datatype, "[1]", row->bytes));
        assert_null(tree_member(tree_at(tree_member(tree, "outputs"), 0), "data"));
        assert_true(trouble.size > 0);
    }
    decode_message("grpc-raw", parse("{'outputs':[],'raw_output_contents':['a']}"));
    assert_true(trouble.size > 0);
    struct tree *tree =
        decode_message("grpc-raw", parse("{'outputs':[{'name':'A','datatype':'UINT8','shape':[1]},{'name':'B','"
                                         "datatype':'UINT8','shape':[1]}],'raw_output_contents':['a']}"));
    assert_true(trouble.size > 0);
    assert_tree(tree_member(tree_at(tree_member(tree, "outputs"), 0), "data"), "[97]");
    assert_null(tree_member(tree_at(tree_member(tree, "outputs"), 1), "data"));
}

TEST(messages_that_are_no_protobuf_are_trouble)
{
    struct answer answer = {.has_message = true, .message = STR("\x0a\xff")};
    struct tree *tree = tree_of("grpc", STR(MODEL_INFER), &answer, &arena, &trouble);
    assert_null(tree_member(tree, "message"));
    assert_true(trouble.size > 0);
    answer = (struct answer){0};
    tree_of("grpc", STR(MODEL_INFER), &answer, &arena, &trouble);
    assert_has(trouble, "without a message");
}

/* Returns the tree of a stream with these messages, each a ModelStreamInferResponse. */
static struct tree *decode_stream(const char *encoding, const char *const *messages, size_t count, bool open)
{
    struct str bytes[4];
    struct answer answer = {.streams = true, .open = open, .messages = bytes, .message_count = count};
    for (size_t i = 0; i < count; i++) {
        struct buf buf = {0};
        assert_ok(
            wire_from_tree(&inference__model_stream_infer_response__descriptor, parse(messages[i]), &buf, &arena));
        bytes[i] = arena_take(&arena, &buf);
    }
    return tree_of(encoding, STR("/inference.GRPCInferenceService/ModelStreamInfer"), &answer, &arena, &trouble);
}

#define RESPONSE                                                                                                       \
    "{\"infer_response\":{\"id\":\"7\",\"parameters\":{\"triton_final_response\":{\"bool_param\":true}},"              \
    "\"outputs\":[{\"name\":\"A\",\"datatype\":\"UINT8\",\"shape\":[1]}],\"raw_output_contents\":[\"a\"]}}"
#define OUTPUTS "[{\"name\":\"A\",\"datatype\":\"UINT8\",\"shape\":[1],\"data\":[97]}]"

TEST(messages_of_a_stream_have_outputs)
{
    static const char *const messages[] = {RESPONSE, "{\"error_message\":\"no\"}"};
    struct tree *tree = decode_stream("grpc", messages, 2, false);
    const struct tree *list = tree_member(tree, "messages");
    assert_int_equal(trouble.size, 0);
    assert_int_equal(list->count, 2);
    assert_tree(tree_member(list->first, "outputs"), OUTPUTS);
    assert_tree(tree_at(list, 1), "{'error_message':'no'}");
    assert_tree(tree_member(tree, "code"), "\"OK\"");
    assert_null(tree_member(tree, "message"));
    tree = decode_stream("grpc", messages, 1, true);
    assert_null(tree_member(tree, "code"));
    assert_null(tree_member(tree, "trailers"));
}

TEST(an_inference_is_the_only_message_of_its_stream)
{
    static const char *const messages[] = {RESPONSE, RESPONSE};
    struct tree *tree = decode_stream("grpc-stream", messages, 1, false);
    assert_int_equal(trouble.size, 0);
    assert_tree(tree_member(tree, "outputs"), OUTPUTS);
    assert_tree(tree_member(tree, "id"), "\"7\"");
    assert_null(tree_member(tree, "parameters")); /* that the answer is the last is no word about the inference */
    tree = decode_stream("grpc-stream", messages, 2, false);
    assert_text(trouble, "2 messages answer one request");
    assert_null(tree_member(tree, "outputs"));
    decode_stream("grpc-stream", messages, 0, false);
    assert_text(trouble, "0 messages answer one request");
}

TEST(an_empty_message_that_ends_the_answers_is_none_of_them)
{
    static const char *const messages[] = {
        RESPONSE, "{\"infer_response\":{\"parameters\":{\"triton_final_response\":{\"bool_param\":true}}}}",
        "{\"error_message\":\"no\","
        "\"infer_response\":{\"parameters\":{\"triton_final_response\":{\"bool_param\":true}}}}",
        "{\"infer_response\":{\"parameters\":{\"triton_final_response\":{\"bool_param\":false}}}}"};
    struct tree *tree = decode_stream("grpc", messages, 4, false);
    const struct tree *answers = tree_member(tree, "answers");
    assert_int_equal(tree_member(tree, "messages")->count, 4);
    assert_int_equal(answers->count, 3);
    assert_tree(tree_member(answers->first, "outputs"), OUTPUTS);
    assert_tree(tree_member(tree_at(answers, 1), "error_message"), "\"no\"");
    tree = decode_stream("grpc-stream", messages, 2, false);
    assert_int_equal(trouble.size, 0);
    assert_tree(tree_member(tree, "outputs"), OUTPUTS);
}

TEST(a_message_that_does_not_decode_is_null)
{
    struct str bytes[] = {STR(""), STR("\xff")};
    struct answer answer = {.streams = true, .messages = bytes, .message_count = 2};
    struct tree *tree =
        tree_of("grpc", STR("/inference.GRPCInferenceService/ModelStreamInfer"), &answer, &arena, &trouble);
    assert_tree(tree_member(tree, "messages"), "[{\"error_message\":\"\"},null]");
    assert_true(str_starts(trouble, STR("the message is no ModelStreamInferResponse: ")));
    tree = tree_of("grpc", STR("/a/b"), &answer, &arena, &trouble); /* of an unknown rpc they are bytes */
    assert_int_equal(trouble.size, 0);
    assert_text(tree_at(tree_member(tree, "messages"), 1)->text, "\xff");
}

TEST(grpc_failures_carry_code_details_and_trailers)
{
    struct header trailers[] = {{STR("oip-refused-by"), STR("data-count")}};
    struct answer answer = {.code = 3, .details = STR("no"), .trailers = {trailers, 1}};
    assert_tree(tree_of("grpc-raw", STR(MODEL_INFER), &answer, &arena, &trouble),
                "{\"code\":\"INVALID_ARGUMENT\",\"details\":\"no\",\"trailers\":{\"oip-refused-by\":\"data-count\"}}");
    assert_int_equal(trouble.size, 0);
    answer.code = 77;
    assert_tree(tree_member(tree_of("grpc", STR("/a/b"), &answer, &arena, &trouble), "code"), "\"CODE_77\"");
}

TEST(the_message_of_another_rpc_decodes_by_its_type)
{
    struct answer answer = {.has_message = true, .message = STR("\x08\x01")};
    const struct str rpc = STR("/inference.GRPCInferenceService/ServerReady");
    assert_tree(tree_member(tree_of("grpc", rpc, &answer, &arena, &trouble), "message"), "{'ready':true}");
}

static struct tree *decode_metadata(struct str message)
{
    struct answer answer = {.has_message = true, .message = message};
    trouble = (struct str){0};
    return tree_of("grpc", STR("/inference.GRPCInferenceService/ModelMetadata"), &answer, &arena, &trouble);
}

/* Field 6 holds {"a": "xyz"} as a map of texts; the model's name stands before it or after it. */
TEST(properties_where_metadata_has_parameters_are_passed_over)
{
    const struct str answers[] = {STR("\x32\x08\x0a\x01\x61\x12\x03xyz\x0a\x01m"),
                                  STR("\x0a\x01m\x32\x08\x0a\x01\x61\x12\x03xyz")};
    for (size_t i = 0; i < 2; i++) {
        struct tree *tree = decode_metadata(answers[i]);
        assert_int_equal(trouble.size, 0);
        assert_tree(tree_member(tree, "message"), "{\"name\":\"m\",\"versions\":[],\"platform\":\"\",\"inputs\":[],"
                                                  "\"outputs\":[],\"parameters\":{}}");
    }
}

TEST(parameters_of_metadata_keep_their_kinds)
{
    struct tree *tree = decode_metadata(STR("\x32\x07\x0a\x01\x61\x12\x02\x10\x03"));
    assert_int_equal(trouble.size, 0);
    assert_tree(tree_member(tree_member(tree, "message"), "parameters"), "{\"a\":{\"int64_param\":3}}");
}

TEST(metadata_that_is_malformed_elsewhere_is_no_message)
{
    const struct str answers[] = {STR("\x32\x08\x0a\x01\x61\x12\x03xyz\x0a\x05m"), STR("\x32\x08\x0a\x01\x61"),
                                  STR("\x32\x08\x0a\x01\x61\x12\x03xyz\x0a\x01\xff")};
    for (size_t i = 0; i < 3; i++) {
        assert_null(tree_member(decode_metadata(answers[i]), "message"));
        assert_int_not_equal(trouble.size, 0);
    }
}

TEST(one_giant_string_is_one_element)
{
    size_t size = (size_t)16 << 20;
    char *bytes = calloc(1, size + 4);
    bytes[3] = 1; /* 1 << 24 */
    struct tree *tree = decode_message("grpc-raw", raw_response("BYTES", "[1]", (struct str){bytes, size + 4}));
    const struct tree *data = tree_member(tree_at(tree_member(tree, "outputs"), 0), "data");
    assert_non_null(data);
    assert_int_equal(data->count, 1);
    assert_int_equal(data->first->text.size, size);
    free(bytes);
}

/* The outputs have 2^15 empty strings each; together these are more than the judge decodes. */
TEST(elements_are_bounded_over_all_outputs)
{
    char *zeros = calloc(1, (size_t)4 << 15);
    struct str empty = {zeros, (size_t)4 << 15};
    struct tree *message = raw_response("BYTES", "[32768]", empty);
    struct tree *output = tree_at(tree_member(message, "outputs"), 0);
    for (int i = 0; i < 3; i++) {
        tree_append(tree_member(message, "outputs"), tree_copy(&arena, output));
        tree_append(tree_member(message, "raw_output_contents"), tree_string(&arena, empty));
    }
    struct tree *outputs = tree_member(decode_message("grpc-raw", message), "outputs");
    assert_non_null(tree_member(tree_at(outputs, 1), "data"));
    assert_null(tree_member(tree_at(outputs, 2), "data"));
    assert_true(trouble.size > 0);
    free(zeros);
}

/* As a tree, the text would need more memory than there is. */
TEST(giant_answers_are_not_decoded)
{
    size_t size = (size_t)16 << 20;
    char *text = malloc(size);
    memset(text, ',', size);
    text[0] = '[';
    struct arena small = arena_new((size_t)1 << 30);
    struct answer answer = {.status = 200, .body = {text, size}};
    tree_of("rest-flat", STR(""), &answer, &small, &trouble);
    assert_has(trouble, "more values than are decoded");
    assert_true(small.budget - small.left < 1 << 20);

    memset(text, 0, size);
    struct tree *message = raw_response("UINT8", "[16777216]", (struct str){text, size});
    struct tree *tree = decode_message("grpc-raw", message);
    assert_null(tree_member(tree_at(tree_member(tree, "outputs"), 0), "data"));
    assert_true(trouble.size > 0);

    memset(text, 0x2a, size);
    struct answer typed = {.has_message = true, .message = {text, size}};
    static const char outputs[] = {0x2a, (char)0xfb, (char)0xff, (char)0xff, 0x07}; /* one field of 16 MiB */
    memcpy(text, outputs, sizeof outputs);
    struct str whole = {text, size};
    typed.message = whole;
    tree_of("grpc-raw", STR(MODEL_INFER), &typed, &small, &trouble);
    assert_true(trouble.size > 0);
    assert_true(small.budget - small.left < (size_t)1 << 29);
    arena_free(&small);
    free(text);
}
