/* The meaning of an inference is written in each encoding. */
#include "inference.pb-c.h"
#include "plan/request.h"
#include "tests/registry.h"
#include "tests/scratch.h"
#include "wire/message.h"

/* Makes the request of a play of that model, with what the play has beside its group. */
static struct status encode_play(const char *encoding, const char *kit_model, struct play play,
                                 const struct plan_target *target, struct request *request)
{
    const struct encoding *in = encoding_named(encoding);
    struct group group = {.encoding = in, .profile = profile_of(in), .kit_model = str_of(kit_model), .model = STR("m")};
    play.group = &group;
    return play_request(&play, target, &arena, request);
}

static const struct plan_target anything;

static struct status encode(const char *encoding, const char *act, const char *base, struct request *request)
{
    const struct play play = {.act = parse(act), .base_act = base ? parse(base) : NULL};
    return encode_play(encoding, "simple", play, &anything, request);
}

static void check_body(const char *encoding, const char *act, const char *base, const char *body)
{
    struct request request;
    assert_ok(encode(encoding, act, base, &request));
    assert_text(request.body, json(body).data);
}

/* Decodes the message again and compares it as JSON. */
static void check_message(const char *encoding, const char *act, const char *base, const char *expected)
{
    struct request request;
    struct tree *message;
    assert_ok(encode(encoding, act, base, &request));
    assert_ok(wire_to_tree(&inference__model_infer_request__descriptor, request.message, &arena, &message));
    assert_tree(message, expected);
}

#define TENSOR(datatype, shape, data)                                                                                  \
    "{'infer':'m','inputs':[{'name':'A','datatype':'" datatype "','shape':" shape ",'data':" data "}]}"
#define BODY(datatype, shape, data)                                                                                    \
    "{'inputs':[{'name':'A','datatype':'" datatype "','shape':" shape ",'data':" data "}]}"

TEST(rest_members_go_out_in_the_documents_order)
{
    struct request request;
    check_body("rest-flat", "{'infer':'m','outputs':[{'name':'B'}],'inputs':[],'parameters':{'p':1.50},'id':'4'}", NULL,
               "{'id':'4','parameters':{'p':1.50},'inputs':[],'outputs':[{'name':'B'}]}");
    assert_ok(encode("rest-flat", "{'infer':'a b/c','version':'1%','inputs':[]}", NULL, &request));
    assert_text(request.path, "/v2/models/a%20b%2Fc/versions/1%25/infer");
    assert_text(request.method, "POST");
    assert_int_equal(request.headers.count, 1);
    assert_text(request.headers.entries[0].name, "Content-Type");
    assert_text(request.headers.entries[0].value, "application/json");
}

TEST(numbers_keep_their_spelling)
{
    check_body("rest-flat", TENSOR("INT64", "[3]", "[9007199254740993,'-9223372036854775808',1.0]"), NULL,
               BODY("INT64", "[3]", "[9007199254740993,-9223372036854775808,1.0]"));
    check_body("rest-flat", TENSOR("FP32", "[2]", "['-0.0',1e2]"), NULL, BODY("FP32", "[2]", "[-0.0,1e2]"));
    check_body("rest-flat", TENSOR("INT32", "[1]", "['5']"), NULL, BODY("INT32", "[1]", "['5']"));
}

TEST(nested_data_is_split_from_the_front_by_the_bases_shape)
{
    const char *base = TENSOR("INT32", "[2,3]", "[1,2,3,4,5,6]");
    check_body("rest-nested", base, NULL, BODY("INT32", "[2,3]", "[[1,2,3],[4,5,6]]"));
    check_body("rest-nested", TENSOR("INT32", "[2,3]", "[1,2,3,4,5]"), base, BODY("INT32", "[2,3]", "[[1,2,3],[4,5]]"));
    check_body("rest-nested", TENSOR("INT32", "[2,3]", "[1,2,3,4,5,6,7]"), base,
               BODY("INT32", "[2,3]", "[[1,2,3],[4,5,6,7]]"));
    check_body("rest-nested", TENSOR("INT32", "[2,3]", "[1,2]"), base, BODY("INT32", "[2,3]", "[[1,2]]"));
    check_body("rest-nested", TENSOR("INT32", "[3,2]", "[1,2,3,4,5,6]"), base,
               BODY("INT32", "[3,2]", "[[1,2,3],[4,5,6]]"));
    check_body("rest-nested", TENSOR("INT32", "'no'", "[1,2,3,4,5,6]"), base,
               BODY("INT32", "'no'", "[[1,2,3],[4,5,6]]"));
    check_body("rest-nested", TENSOR("INT32", "[2,2,2]", "[1,2,3,4,5,6,7,8,9]"), NULL,
               BODY("INT32", "[2,2,2]", "[[[1,2],[3,4]],[[5,6],[7,8,9]]]"));
}

TEST(an_empty_tensor_in_place_of_a_full_one_is_nested_by_its_own_shape)
{
    const char *base = TENSOR("INT32", "[2,3]", "[1,2,3,4,5,6]");
    check_body("rest-nested", TENSOR("INT32", "[0,3]", "[]"), base, BODY("INT32", "[0,3]", "[]"));
    check_body("rest-nested", TENSOR("INT32", "[2,0]", "[]"), base, BODY("INT32", "[2,0]", "[[],[]]"));
    check_body("rest-nested", TENSOR("INT32", "[]", "[7]"), NULL, BODY("INT32", "[]", "[7]"));
}

TEST(codecs_stand_for_elements_and_for_all_data)
{
    check_body("rest-flat", TENSOR("BYTES", "[2]", "['a',{'$hex':'62000a'}]"), NULL,
               BODY("BYTES", "[2]", "['a','b\\u0000\\u000a']"));
    check_body("rest-flat", TENSOR("INT16", "[2]", "{'$hex':'0100feff'}"), NULL, BODY("INT16", "[2]", "[1,-2]"));
    check_body("rest-flat", TENSOR("FP32", "[2]", "{'$FP32':[0.1,-2]}"), NULL, BODY("FP32", "[2]", "[0.1,-2]"));
    check_message("grpc-raw", TENSOR("INT32", "[2]", "{'$hex':'4142434445464748'}"), NULL,
                  "{'model_name':'m','model_version':'','id':'','parameters':{},'inputs':[{'name':'A','datatype':'"
                  "INT32','shape':[2],'parameters':{}}],'outputs':[],'raw_input_contents':['ABCDEFGH']}");
}

TEST(bytes_that_are_no_utf8_reach_the_wire_outside_of_tensors)
{
    struct request request;
    struct tree *act = parse("{'infer':'m','id':'','inputs':[]}");
    tree_set(act, STR("id"), tree_string(&arena, STR("\xff\"\\\x01")));
    assert_ok(encode_play("rest-flat", "", (struct play){.act = act}, &anything, &request));
    assert_true(str_equal(request.body, json("{\"id\":\"\xff\\\"\\\\\\u0001\",\"inputs\":[]}")));
}

TEST(a_changed_name_datatype_or_shape_alters_only_what_is_declared)
{
    const char *base = "{'infer':'m','inputs':[{'name':'A','datatype':'INT16','shape':[2],'data':[1,2]},{'name':'B','"
                       "datatype':'INT8','shape':[1],'data':[65]}]}";
    const char *act =
        "{'infer':'m','inputs':[{'name':'a','datatype':'nonsense','shape':[-1],'data':[25185,25699]},{'name':'B','"
        "datatype':'FP16','shape':[1],'data':[65]},{'name':'C','datatype':'UINT8','shape':[1],'data':[66]}]}";
#define TENSORS(first, second, third)                                                                                  \
    "{'model_name':'m','model_version':'','id':'','parameters':{},'inputs':["                                          \
    "{'name':'a','datatype':'nonsense','shape':[-1],'parameters':{}" first "},"                                        \
    "{'name':'B','datatype':'FP16','shape':[1],'parameters':{}" second "},"                                            \
    "{'name':'C','datatype':'UINT8','shape':[1],'parameters':{}" third "}],'outputs':[],"
    check_message("grpc-raw", act, base, TENSORS("", "", "") "'raw_input_contents':['abcd','A','B']}");
#define CONTENTS(int_contents, uint_contents)                                                                          \
    ",'contents':{'bool_contents':[],'int_contents':[" int_contents                                                    \
    "],'int64_contents':[],'uint_contents':[" uint_contents                                                            \
    "],'uint64_contents':[],'fp32_contents':[],'fp64_contents':[],'bytes_contents':[]}"
    check_message(
        "grpc-typed", act, base,
        TENSORS(CONTENTS("25185,25699", ""), CONTENTS("65", ""), CONTENTS("", "66")) "'raw_input_contents':[]}");
}

TEST(an_input_keeps_its_own_packing_when_it_moved)
{
    const char *base = "{'infer':'m','inputs':[{'name':'A','datatype':'INT16','shape':[1],'data':[1]},{'name':'B','"
                       "datatype':'INT8','shape':[1],'data':[65]}]}";
    check_message("grpc-raw", "{'infer':'m','inputs':[{'name':'B','datatype':'INT8','shape':[1],'data':[65]}]}", base,
                  "{'model_name':'m','model_version':'','id':'','parameters':{},'inputs':[{'name':'B','datatype':'INT8'"
                  ",'shape':[1],'parameters':{}}],'outputs':[],'raw_input_contents':['A']}");
}

TEST(grpc_parameters_take_the_field_of_their_kind)
{
    check_message("grpc-raw",
                  "{'infer':'m','id':'7','version':'2','parameters':{'b':true,'i':-5,'s':'x'},'outputs':[{'name':'O','"
                  "parameters':{'n':1}}]}",
                  NULL,
                  "{'model_name':'m','model_version':'2','id':'7','parameters':{'b':{'bool_param':true},'i':{'int64_"
                  "param':-5},'s':{'string_param':'x'}},'inputs':[],'outputs':[{'name':'O','parameters':{'n':{'int64_"
                  "param':1}}}],'raw_input_contents':[]}");
}

TEST(bytes_are_packed_with_their_length)
{
    struct request request;
    assert_ok(encode("grpc-raw", TENSOR("BYTES", "[2]", "['xy',{'$hex':'ff'}]"), NULL, &request));
    assert_non_null(memmem(request.message.data, request.message.size, "\x3a\x0b\x02\0\0\0xy\x01\0\0\0\xff", 13));
}

TEST(what_an_encoding_cannot_say_is_not_carried)
{
    static const struct {
        const char *encoding;
        const char *act;
    } rows[] = {
        {"rest-flat", TENSOR("FP32", "[1]", "['NaN']")},
        {"rest-nested", TENSOR("FP64", "[1]", "['-Infinity']")},
        {"rest-flat", TENSOR("FP16", "[1]", "[1]")},
        {"rest-flat", TENSOR("BYTES", "[1]", "[{'$hex':'ff'}]")},
        {"rest-flat", TENSOR("INT32", "[1]", "{'$hex':'010203'}")},
        {"grpc-typed", TENSOR("BF16", "[1]", "[1]")},
        {"grpc-typed", TENSOR("FP16", "[1]", "[1]")},
        {"grpc-typed", TENSOR("INT32", "[1]", "[1.5]")},
        {"grpc-raw", TENSOR("INT8", "[1]", "[300]")},
        {"grpc-raw", TENSOR("INT32", "[1]", "['x']")},
        {"grpc-raw", TENSOR("INT32", "[1.5]", "[1]")},
        {"grpc-raw", TENSOR("INT32", "[1]", "null")},
        {"grpc-raw", "{'infer':'m','id':7}"},
        {"grpc-raw", "{'infer':'m','inputs':{}}"},
        {"grpc-raw", "{'infer':'m','inputs':[7]}"},
        {"grpc-raw", "{'infer':'m','inputs':[{'name':'A','extra':1}]}"},
        {"grpc-raw", "{'infer':'m','parameters':{'p':null}}"},
        {"grpc-raw", "{'infer':'m','parameters':{'p':1.5}}"},
        {"grpc-raw", "{'infer':'m','parameters':[]}"},
    };
    EACH_ROW(row, rows, row->act) {
        struct request request;
        struct status status = encode(row->encoding, row->act, NULL, &request);
        assert_int_equal(status.code, STATUS_UNIMPLEMENTED);
        assert_true(status.message.size > 0);
    }
}

TEST(a_faulty_case_is_not_what_an_encoding_cannot_say)
{
    static const struct {
        const char *encoding, *act;
    } rows[] = {
        {"rest-flat", TENSOR("INT32", "[1]", "[{'$hex':'0'}]")}, {"grpc-raw", TENSOR("INT32", "[1]", "{'$hex':'0'}")},
        {"grpc", "{'grpc':'Nothing','message':{'name':'x'}}"},   {"grpc", "{'grpc':'ModelReady','message':{'no':1}}"},
        {"grpc", "{'grpc':'ModelReady','deadline':'soon'}"},     {"http", "{'http':'GET'}"},
    };
    EACH_ROW(row, rows, row->act) {
        struct request request;
        assert_int_equal(encode(row->encoding, row->act, NULL, &request).code, STATUS_INVALID_ARGUMENT);
    }
}

TEST(typed_contents_carry_numbers_beyond_a_narrow_datatype)
{
    struct request request;
    assert_ok(encode("grpc-typed", TENSOR("INT8", "[1]", "[300]"), NULL, &request));
    assert_ok(encode("grpc-typed", TENSOR("FP32", "[1]", "['NaN']"), NULL, &request));
}

TEST(a_missing_input_tensor_member_is_left_out)
{
    check_body("rest-flat", "{'infer':'m','inputs':[{'name':'A'},7,null]}", NULL, "{'inputs':[{'name':'A'},7,null]}");
    check_message("grpc-raw", "{'infer':'m','inputs':[{'name':'A','shape':[1]}]}", NULL,
                  "{'model_name':'m','model_version':'','id':'','parameters':{},'inputs':[{'name':'A','datatype':'','"
                  "shape':[1],'parameters':{}}],'outputs':[],'raw_input_contents':[]}");
}

/* --- The acts http and grpc --- */

TEST(an_http_act_goes_out_as_it_is_spelled)
{
    struct request request;
    const char *act = "{'http':'PATCH /v2/a b?q "
                      "HTTP/1.0','headers':{'X-A':['1','2'],'Host':null,'N':3},'body':['ab',{'$hex':'00ff'}]}";
    assert_ok(encode("http", act, NULL, &request));
    assert_true(request_is_http(&request));
    assert_text(request.method, "PATCH");
    assert_text(request.path, "/v2/a b?q");
    assert_text(request.http_version, "HTTP/1.0");
    assert_int_equal(request.headers.count, 4);
    assert_text(request.headers.entries[1].value, "2");
    assert_null(request.headers.entries[2].value.data);
    assert_text(request.headers.entries[3].value, "3");
    assert_true(str_equal(request.body, STR("ab\0\xff")));
}

TEST(json_of_an_http_act_brings_its_content_type)
{
    struct request request;
    assert_ok(encode("http", "{'http':'POST /','json':{'a':[1.0,null,'A']}}", NULL, &request));
    assert_true(str_equal(request.body, json("{'a':[1.0,null,'A']}")));
    assert_text(request.headers.entries[0].value, "application/json");
    const char *other = "{'http':'POST /','headers':{'content-type':'text/plain'},'json':1}";
    assert_ok(encode("http", other, NULL, &request));
    assert_int_equal(request.headers.count, 1);
    assert_ok(encode("http", "{'http':'GET /v2'}", NULL, &request));
    assert_int_equal(request.headers.count, 0);
    assert_false(request.has_body);
}

TEST(a_grpc_act_names_its_rpc_and_message)
{
    struct request request;
    const char *act = "{'grpc':'ModelReady','message':{'name':'simple'},'metadata':{'k':'v'},'deadline':2.5}";
    assert_ok(encode("grpc", act, NULL, &request));
    assert_false(request_is_http(&request));
    assert_text(request.rpc, "/inference.GRPCInferenceService/ModelReady");
    assert_text(request.message, "\x0a\x06simple");
    assert_text(request.metadata.entries[0].value, "v");
    assert_true(request.deadline == 2.5);
    assert_ok(encode("grpc", "{'grpc':'a.B/C','body':{'$hex':'ff'}}", NULL, &request));
    assert_text(request.rpc, "/a.B/C");
    assert_text(request.message, "\xff");
}

TEST(put_replaces_the_body)
{
    EACH(encoding, "rest-flat", "grpc-raw") {
        struct request request;
        const struct play play = {.act = parse(TENSOR("INT32", "[1]", "[1]")),
                                  .bytes_edit = parse("{'put':{'$hex':'0041'}}")};
        assert_ok(encode_play(encoding, "", play, &anything, &request));
        assert_true(str_equal(request_is_http(&request) ? request.body : request.message, STR("\0A")));
    }
}

TEST(a_target_that_refuses_versionless_requests_gets_a_version)
{
    static const struct {
        const char *encoding;
        const char *act, *path;
    } rows[] = {
        {"rest-flat", "{'infer':'m'}", "/v2/models/m/versions/3/infer"},
        {"rest-flat", "{'infer':'m','version':'1'}", "/v2/models/m/versions/1/infer"},
        {"http", "{'http':'GET /v2/models/m'}", "/v2/models/m/versions/3"},
        {"http", "{'http':'POST /v2/models/m/infer'}", "/v2/models/m/versions/3/infer"},
        {"http", "{'http':'GET /v2/models/m/versions/1/ready'}", "/v2/models/m/versions/1/ready"},
        {"http", "{'http':'GET /v2/models/mother'}", "/v2/models/mother"},
        {"http", "{'http':'GET /v2'}", "/v2"},
    };
    struct plan_target target = {.discovery.versionless_refused = true,
                                 .discovery.models = parse("{'kit':{'versions':['1','3']}}")};
    EACH_ROW(row, rows, row->act) {
        struct request request;
        assert_ok(encode_play(row->encoding, "kit", (struct play){.act = parse(row->act)}, &target, &request));
        assert_text(request.path, row->path);
    }
}

TEST(a_version_of_the_target_is_one_segment_of_a_path)
{
    struct request request;
    struct plan_target target = {.discovery.versionless_refused = true,
                                 .discovery.models = parse("{'kit':{'versions':['1 HTTP/1.0\\r\\nA: /b']}}")};
    const struct play play = {.act = parse("{'http':'GET /v2/models/m/ready'}")};
    assert_ok(encode_play("http", "kit", play, &target, &request));
    assert_text(request.path, "/v2/models/m/versions/1%20HTTP%2F1.0%0D%0AA%3A%20%2Fb/ready");
}
