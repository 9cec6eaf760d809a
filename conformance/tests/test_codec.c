/* The expected bytes come from Python's struct module, numpy.float16, and the .proto of the schema with protoc. */
#include "notation/codec.h"
#include "tests/scratch.h"

static void expect_bytes(const char *codec, const char *expected)
{
    struct buf bytes = {0}, hex = {0};
    const struct tree *tree = parse(codec);
    assert_ok(codec_bytes(tree, tree, "conformance/tests/lint/good", &arena, &bytes));
    for (size_t i = 0; i < bytes.size; i++)
        buf_printf(&hex, "%02x", (unsigned char)bytes.data[i]);
    assert_text(arena_take(&arena, &hex), expected);
    buf_free(&bytes);
}

static void expect_fault(const char *codec)
{
    struct buf bytes = {0};
    const struct tree *tree = parse(codec);
    struct status status = codec_bytes(tree, tree, ".", &arena, &bytes);
    if (is_ok(status))
        fail_msg("%s was taken", codec);
    assert_true(status.message.size > 0);
    buf_free(&bytes);
}

TEST(numbers_are_packed_little_endian)
{
    expect_bytes("{\"$INT32\": [1, -2]}", "01000000feffffff");
    expect_bytes("{\"$INT64\": [\"9223372036854775807\", -9223372036854775808]}", "ffffffffffffff7f0000000000000080");
    expect_bytes("{\"$UINT64\": [18446744073709551615]}", "ffffffffffffffff");
    expect_bytes("{\"$INT8\": [-128, 127]}", "807f");
    expect_bytes("{\"$UINT16\": [65535, 258]}", "ffff0201");
    expect_bytes("{\"$BOOL\": [true, false]}", "0100");
}

TEST(floats_keep_signs_of_zero_and_special_values)
{
    expect_bytes("{\"$FP32\": [1.5, \"-0.0\", \"Infinity\"]}", "0000c03f00000080"
                                                               "0000807f");
    expect_bytes("{\"$FP64\": [0.1, \"-Infinity\"]}", "9a9999999999b93f000000000000f0ff");
    expect_bytes("{\"$FP16\": [1.5, 65504, -2]}", "003eff7b00c0");
    expect_bytes("{\"$BF16\": [1, -2]}", "803f00c0");
}

TEST(bytes_elements_stand_after_their_length)
{
    expect_bytes("{\"$BYTES\": [\"ab\", {\"$hex\": \"ff00\"}, \"\"]}", "020000006162"
                                                                       "02000000ff00"
                                                                       "00000000");
}

TEST(lists_are_joined_and_repeats_repeated)
{
    expect_bytes("[\"a\", {\"$hex\": \"00 ff\"}, {\"$repeat\": [\"xy\", 3]}]", "6100ff787978797879");
    expect_bytes("{\"$join\": [\"a\", {\"$join\": []}, {\"$hex\": \"ff\"}]}", "61ff");
    expect_bytes("{\"$json\": {\"a\": [1.0, \"\\u0000\"]}}", "7b2261223a5b312e302c225c7530303030225d7d");
    expect_bytes("{\"$json\": {\"a\": {\"$hex\": \"ff\"}}}", "7b2261223a22ff227d");
}

TEST(a_message_is_framed)
{
    expect_bytes("{\"$framed\": \"\"}", "0000000000");
    expect_bytes("{\"$framed\": {\"$repeat\": [\"a\", 2]}}", "00000000026161");
    expect_bytes("{\"$framed\": {\"$gzip\": \"\"}}", "01000000141f8b080000000000020303000000000000000000");
    expect_bytes("[{\"$framed\": {\"$proto:inference.ModelReadyRequest\": {\"name\": \"m\"}}}, \"b\"]",
                 "00000000030a016d62");
}

TEST(a_frame_of_http2_is_written)
{
    expect_bytes("{\"$frame\": [\"DATA\", 1, 3, \"abc\"]}", "000003"
                                                            "00"
                                                            "01"
                                                            "00000003"
                                                            "616263");
    expect_bytes("{\"$frame\": [\"CONTINUATION\", 0, 4294967295, \"\"]}", "0000000900ffffffff");
    expect_bytes("{\"$frame\": [99, 255, 0, {\"$hex\": \"00\"}]}", "00000163ff0000000000");
    expect_bytes("{\"$fields\": [[\"a\", \"bc\"], [\"\", {\"$hex\": \"ff\"}]]}", "0001610262630000"
                                                                                 "01ff");
    char expected[12 + 2 * 427 + 1] = "0001617fac02"; /* RFC 7541, 5.1: 427 is 127, and 44 + 2 * 128 */
    for (size_t i = 12; i < sizeof expected - 1; i++)
        expected[i] = i % 2 ? '2' : '6';
    expect_bytes("{\"$fields\": [[\"a\", {\"$repeat\": [\"b\", 427]}]]}", expected);
}

TEST(messages_are_written_by_the_schema)
{
    expect_bytes("{\"$proto:inference.ModelInferRequest\": {\"model_name\": \"m\", \"id\": {\"$hex\": \"fffe\"}}}",
                 "0a016d1a02fffe");
    expect_fault("{\"$proto:inference.NoSuchMessage\": {}}");
    expect_bytes(
        "{\"$textproto:nvidia.inferenceserver.InferRequestHeader\": {\"batch_size\": 1, \"input\": [{\"name\": "
        "\"a\\\"b\", \"dims\": [2, -1]}]}}",
        "62617463685f73697a653a203120696e707574207b206e616d653a2022615c2262222064696d733a20322064696d733a202d31207d");
    expect_bytes("{\"$textproto:nvidia.inferenceserver.RequestStatus\": {}}", "");
    expect_fault("{\"$textproto:nvidia.inferenceserver.NoSuchMessage\": {}}");
    expect_fault("{\"$textproto:nvidia.inferenceserver.RequestStatus\": {\"no_such_field\": 1}}");
    expect_fault("{\"$textproto:inference.ModelReadyRequest\": {}}");
}

TEST(a_size_is_that_of_the_bytes_it_points_at)
{
    struct tree *act = parse("{'headers': {'L': {'$size': '/body/1'}}, 'body': ['x', {'$INT32': [1, 2, 3]}]}");
    assert_ok(codec_resolve(act, act, ".", &arena));
    const struct tree *length = tree_member(tree_member(act, "headers"), "L");
    assert_int_equal(length->type, TREE_NUMBER);
    assert_text(length->text, "12");
    assert_int_equal(tree_member(act, "body")->last->text.size, 12);
    expect_fault("{\"$size\": \"/$size\", \"x\": 1}");
    expect_fault("[{\"$size\": \"\"}]");
}

TEST(a_copy_is_the_bytes_that_it_points_at)
{
    struct tree *act =
        parse("{'json': {'a': [1.50, {'$hex': '61'}]}, 'body': ['x', {'$hex': '79'}], 'z': {'object': {'$copy': "
              "'/json'}, 'list': {'$copy': '/body'},'within': {'$join': ['[', {'$copy': '/json'}, ']']}}}");
    assert_ok(codec_resolve(act, act, ".", &arena));
    assert_text(tree_text(tree_member(act, "z"), "object"), "{\"a\":[1.50,\"a\"]}");
    assert_text(tree_text(tree_member(act, "z"), "list"), "xy");
    assert_text(tree_text(tree_member(act, "z"), "within"), "[{\"a\":[1.50,\"a\"]}]");
    expect_fault("{\"$copy\": \"/none\"}");
    expect_fault("{\"$copy\": \"\"}");
    expect_fault("{\"$join\": [{\"$copy\": \"\"}, {\"$copy\": \"\"}]}");
}

TEST(data_of_an_infer_act_keeps_its_codecs)
{
    struct tree *act = parse("{'infer': 'm', 'id': {'$hex': '61'}, 'inputs': [{'data': [{'$hex': 'ff'}]}]}");
    assert_ok(codec_resolve(act, act, ".", &arena));
    assert_text(tree_member(act, "id")->text, "a");
    assert_true(codec_is(tree_member(tree_member(act, "inputs")->first, "data")->first));
}

TEST(what_does_not_fit_is_refused_with_a_sentence)
{
    EACH(text, "{\"$INT8\": [128]}", "{\"$UINT8\": [-1]}", "{\"$INT32\": [1.5]}", "{\"$INT32\": [true]}",
         "{\"$BOOL\": [1]}", "{\"$FP32\": [\"many\"]}", "{\"$FP32\": 1}", "{\"$hex\": \"abc\"}", "{\"$hex\": \"zz\"}",
         "{\"$hex\": 5}", "{\"$file\": \"../secret\"}", "{\"$file\": \"/etc/passwd\"}", "{\"$file\": \"no-such\"}",
         "{\"$join\": \"a\"}", "{\"$repeat\": [\"a\"]}", "{\"$repeat\": [\"a\", -1]}", "{\"$unknown\": \"a\"}",
         "{\"$frame\": [\"DATA\", 1, 3]}", "{\"$frame\": [\"LATER\", 1, 3, \"\"]}",
         "{\"$frame\": [\"DATA\", 256, 3, \"\"]}", "{\"$frame\": [\"DATA\", 0, 4294967296, \"\"]}",
         "{\"$fields\": [[\"a\"]]}", "{\"$fields\": \"a\"}", "7",
         "{\"$repeat\": [\"aaaaaaaaaaaaaaaa\", 4611686018427387904]}", "{\"$FP32\": [1], \"b\": 1}")
        expect_fault(text);
}

TEST(codecs_within_codecs_end)
{
    struct str text = STR("'a'");
    for (int i = 0; i < 30; i++)
        text = arena_printf(&arena, "[%.*s]", STR_ARG(text));
    expect_fault(text.data);
}
