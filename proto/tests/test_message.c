/* protoc encoded the hexadecimal messages from its text form. The texts beside them say the same and were written by
 * hand. */
#include "inference.pb-c.h"
#include "tests/scratch.h"
#include "wire/message.h"
#include <stdlib.h>

#define REQUEST  &inference__model_infer_request__descriptor
#define METADATA &inference__model_metadata_response__descriptor

static const char request_hex[] = "0a0673696d706c651201321a046100c3a922070a01621202080022100a0169120b108080808080808080"
                                  "800122070a017312021a00220e0a0164"
                                  "1209219a9999999999b93f22100a0175120b28ffffffffffffffffff012a270a06494e50555430120549"
                                  "4e5433321a0201032a121210ffffffff"
                                  "ffffffffff0100ffffffff072a700a01661204465033321a0affffffffffffffffff0122080a016b1203"
                                  "1a01762a4f0a0201001a088180808080"
                                  "8080102205ffffffff0f2a0affffffffffffffffff01320c0000c03f00000080ffff7f7f3a189a999999"
                                  "9999b93f000000000000f87f00000000"
                                  "0000f07f42004202ff0032090a074f5554505554303a003a020100";

/* JSON cannot hold BYTES "\xff\0", so the second element of bytes_contents is put into the tree in C. */
static const char request_text[] =
    "{'model_name':'simple','model_version':'2','id':'a\\u0000\u00e9','parameters':{'b':{'bool_param':false},'i':{'"
    "int64_param':-9223372036854775808},'s':{'string_param':''},'d':{'double_param':0.1},'u':{'uint64_param':"
    "18446744073709551615}},'inputs':[{'name':'INPUT0','datatype':'INT32','shape':[1,3],'parameters':{},'contents':{'"
    "bool_contents':[],'int_contents':[-1,0,2147483647],'int64_contents':[],'uint_contents':[],'uint64_contents':[],'"
    "fp32_contents':[],'fp64_contents':[],'bytes_contents':[]}},{'name':'f','datatype':'FP32','shape':[-1],'parameters'"
    ":{'k':{'string_param':'v'}},'contents':{'bool_contents':[true,false],'int_contents':[],'int64_contents':["
    "9007199254740993],'uint_contents':[4294967295],'uint64_contents':[18446744073709551615],'fp32_contents':[1.5,-0,3."
    "4028235e+38],'fp64_contents':[0.1,'NaN','Infinity'],'bytes_contents':['','?']}}],'outputs':[{'name':'OUTPUT0','"
    "parameters':{}}],'raw_input_contents':['','\\u0001\\u0000']}";

static struct tree *request_tree(void)
{
    struct tree *tree = parse(request_text);
    struct tree *contents = tree_member(tree_at(tree_member(tree, "inputs"), 1), "contents");
    tree_at(tree_member(contents, "bytes_contents"), 1)->text = STR("\xff\0");
    return tree;
}

static struct tree *read_ok(const ProtobufCMessageDescriptor *type, struct str message)
{
    struct tree *tree = NULL;
    assert_ok(wire_to_tree(type, message, &arena, &tree));
    return tree;
}

static void assert_reads(const ProtobufCMessageDescriptor *type, const char *hex, const char *text)
{
    assert_same_tree(read_ok(type, bytes_of(hex)), parse(text));
}

static void assert_writes(const ProtobufCMessageDescriptor *type, const struct tree *tree, const char *hex)
{
    struct buf out = {0}, got = {0};
    assert_ok(wire_from_tree(type, tree, &out, &arena));
    for (size_t i = 0; i < out.size; i++)
        buf_printf(&got, "%02x", (unsigned char)out.data[i]);
    if (!str_is(buf_str(&got), hex))
        fail_msg("%.*s is not %s", STR_ARG(buf_str(&got)), hex);
    buf_free(&out);
    buf_free(&got);
}

static void assert_check_refuses(const ProtobufCMessageDescriptor *type, const char *hex, const char *words)
{
    struct tree *tree = NULL;
    assert_fails(wire_check(type, bytes_of(hex), &arena), STATUS_INVALID_ARGUMENT, words);
    assert_fails(wire_to_tree(type, bytes_of(hex), &arena, &tree), STATUS_INVALID_ARGUMENT, words);
    assert_null(tree);
}

const struct unit_group unit_group = {make_arena, drop_arena};

TEST(a_request_with_everything_reads_as_its_text)
{
    assert_same_tree(read_ok(REQUEST, bytes_of(request_hex)), request_tree());
}

TEST(a_request_with_everything_is_written_as_protoc_writes_it)
{
    assert_writes(REQUEST, request_tree(), request_hex);
}

TEST(other_messages_read_and_write_as_protoc_does)
{
    static const char metadata_hex[] =
        "0a016d1201311201321a046f6e6e7822160a01781204465033321a0bffffffffffffffffff01042a0a0a017912054259544553";
    static const char metadata_text[] =
        "{'name':'m','versions':['1','2'],'platform':'onnx','inputs':[{'name':'x','datatype':'FP32','shape':[-1,4],'"
        "parameters':{}}],'outputs':[{'name':'y','datatype':'BYTES','shape':[],'parameters':{}}],'parameters':{}}";
    assert_reads(METADATA, metadata_hex, metadata_text);
    assert_writes(METADATA, parse(metadata_text), metadata_hex);
    assert_reads(&inference__server_ready_response__descriptor, "0801", "{'ready':true}");
    assert_reads(&inference__server_ready_response__descriptor, "", "{'ready':false}");
    assert_writes(&inference__server_ready_response__descriptor, parse("{'ready':false}"), "");

    struct tree *load = parse("{'model_name':'m','parameters':{'config':{'bytes_param':'?'}}}");
    tree_member(tree_member(tree_member(load, "parameters"), "config"), "bytes_param")->text = STR("\xff");
    assert_writes(&inference__repository_model_load_request__descriptor, load, "12016d1a0d0a06636f6e66696712032201ff");
}

TEST(an_absent_contents_is_not_an_empty_one)
{
    struct tree *absent = tree_at(tree_member(read_ok(REQUEST, bytes_of("2a00")), "inputs"), 0);
    struct tree *empty = tree_at(tree_member(read_ok(REQUEST, bytes_of("2a022a00")), "inputs"), 0);
    assert_null(tree_member(absent, "contents"));
    assert_non_null(tree_member(empty, "contents"));
    assert_writes(REQUEST, parse("{'inputs':[{}]}"), "2a00");
    assert_writes(REQUEST, parse("{'inputs':[{'contents':{}}]}"), "2a022a00");
}

TEST(packed_unpacked_and_mixed_lists_are_one_list)
{
    static const char text[] = "{'name':'','datatype':'','shape':[1,300,-1],'parameters':{}}";
    const ProtobufCMessageDescriptor *type = &inference__model_infer_request__infer_input_tensor__descriptor;
    assert_reads(type, "1a0d01ac02ffffffffffffffffff01", text);
    assert_reads(type, "180118ac0218ffffffffffffffffff01", text);
    assert_reads(type, "18011a0cac02ffffffffffffffffff01", text);
    assert_reads(type, "1a0301ac0218ffffffffffffffffff01", text);
    assert_reads(&inference__infer_tensor_contents__descriptor, "350000c03f320400000040",
                 "{'bool_contents':[],'int_contents':[],'int64_contents':[],'uint_contents':[],'uint64_contents':[],'"
                 "fp32_contents':[1.5,2],'fp64_contents':[],'bytes_contents':[]}");
}

TEST(the_last_scalar_and_the_last_oneof_member_win)
{
    assert_reads(&inference__model_ready_request__descriptor, "0a01610a0162", "{'name':'b','version':''}");
    assert_reads(&inference__infer_parameter__descriptor, "080110051a0178", "{'string_param':'x'}");
    assert_reads(&inference__infer_parameter__descriptor, "1a01780800", "{'bool_param':false}");
    assert_reads(&inference__infer_parameter__descriptor, "10051007", "{'int64_param':7}");
    assert_reads(&inference__infer_parameter__descriptor, "", "{}");
}

TEST(occurrences_of_one_sub_message_merge)
{
    struct tree *merged = read_ok(&inference__model_infer_request__infer_input_tensor__descriptor,
                                  bytes_of("2a0210012a000a01782a0712050200ffff0f"));
    assert_same_tree(tree_member(tree_member(merged, "contents"), "int_contents"), parse("[1,2,0,262143]"));
}

TEST(map_entries_may_lack_key_or_value_and_may_repeat)
{
    struct tree *tree = read_ok(REQUEST, bytes_of("22030a0161220022070a01611202100122040a001200"));
    assert_same_tree(tree_member(tree, "parameters"), parse("{'a':{},'':{},'a':{'int64_param':1},'':{}}"));
}

TEST(unknown_fields_are_left_out)
{
    assert_reads(&inference__server_live_response__descriptor, "7a0361626308018001ff019501ffffffffa101ffffffffffffffff",
                 "{'live':true}");
}

TEST(wider_varints_are_cut_to_the_type)
{
    struct tree *contents =
        read_ok(&inference__infer_tensor_contents__descriptor, bytes_of("080210808080801010ffffffff0f208180808010"));
    assert_same_tree(tree_member(contents, "bool_contents"), parse("[2]")); /* true, in a form that no encoder writes */
    assert_same_tree(tree_member(contents, "int_contents"), parse("[0,-1]"));
    assert_same_tree(tree_member(contents, "uint_contents"), parse("[1]"));
}

TEST(nul_is_kept_and_invalid_utf8_is_refused_by_its_path)
{
    struct tree *tree = read_ok(REQUEST, bytes_of("1a03610062"));
    assert_true(str_equal(tree_text(tree, "id"), STR("a\0b")));
    assert_check_refuses(REQUEST, "0a02fffe", "model_name is not valid UTF-8");
    assert_check_refuses(REQUEST, "2a000a01612a040a02c080", "inputs[1].name is not valid UTF-8");
    assert_check_refuses(REQUEST, "2a0a22080a016112031a01ff", "inputs[0].parameters[0].value.string_param is not");
    assert_check_refuses(REQUEST, "22050a03eda080", "parameters[0].key is not valid UTF-8");
    assert_check_refuses(METADATA, "1201611201ff", "versions[1] is not valid UTF-8");
    assert_int_equal(wire_check(REQUEST, bytes_of("3a02fffe"), &arena).code, STATUS_OK); /* bytes */
}

TEST(another_wire_type_of_a_known_field_is_refused)
{
    assert_check_refuses(REQUEST, "0801", "model_name has the wire type of another kind");
    assert_check_refuses(REQUEST, "0d00000000", "model_name has the wire type");
    assert_check_refuses(REQUEST, "2801", "inputs[0] has the wire type");
    assert_check_refuses(REQUEST, "390100000000000000", "raw_input_contents[0] has the wire type");
    assert_check_refuses(&inference__server_live_response__descriptor, "0a0101", "live has the wire type");
    assert_check_refuses(&inference__infer_parameter__descriptor, "0d00000000", "bool_param has the wire type");
    assert_check_refuses(&inference__infer_tensor_contents__descriptor, "3001", "fp32_contents[0] has the wire type");
    assert_check_refuses(&inference__infer_tensor_contents__descriptor, "1500000000", "int_contents[0] has the wire");
}

TEST(malformed_packed_lists_are_refused)
{
    const ProtobufCMessageDescriptor *type = &inference__infer_tensor_contents__descriptor;
    assert_check_refuses(type, "120180", "int_contents[0] holds a malformed packed list");
    assert_check_refuses(type, "3203000000", "fp32_contents[0] holds a malformed");
    assert_check_refuses(type, "3a0700000000000000", "fp64_contents[0] holds a malformed");
    assert_check_refuses(type, "0a0b8080808080808080808001", "bool_contents[0] holds a malformed");
    assert_int_equal(wire_check(type, bytes_of("12003200"), &arena).code, STATUS_OK);
}

TEST(malformed_framing_is_refused_at_every_depth)
{
    assert_check_refuses(REQUEST, "2a020a05", "in inputs[0]: length runs over the end at byte 3");
    assert_check_refuses(REQUEST, "0b", "malformed protobuf message: group at byte 0");
    assert_check_refuses(REQUEST, "0a036162630000", "field number 0 at byte 5");
    assert_check_refuses(REQUEST, "2affffffffffffffffff01", "tag or length longer than 5 bytes");
    assert_check_refuses(REQUEST, "3affffffff7f", "length runs over the end");
    assert_check_refuses(REQUEST, "10ffffffffffffffffffff01", "varint longer than 10 bytes");
}

TEST(every_truncation_is_refused_or_whole)
{
    struct str message = bytes_of(request_hex);
    size_t whole = 0;
    for (size_t size = 0; size <= message.size; size++) {
        char *cut = malloc(size ? size : 1); /* of exact size, so that the sanitizer sees a read beyond the end */
        assert_non_null(cut);
        memcpy(cut, message.data, size);
        struct tree *tree = NULL;
        struct status status = wire_to_tree(REQUEST, (struct str){cut, size}, &arena, &tree);
        assert_true(is_ok(status) == (tree != NULL));
        whole += is_ok(status);
        free(cut);
    }
    assert_int_equal(whole, 14); /* none, 3 strings, 5 parameters, 2 inputs, 1 output, 2 raw */
}

/* A schema with one message, which contains itself. */
extern const ProtobufCMessageDescriptor nested_type;
static const ProtobufCFieldDescriptor nested_field = {.name = "inner",
                                                      .id = 1,
                                                      .label = PROTOBUF_C_LABEL_NONE,
                                                      .type = PROTOBUF_C_TYPE_MESSAGE,
                                                      .descriptor = &nested_type};
static const ProtobufCIntRange nested_range[] = {{1, 0}, {0, 1}};
static const unsigned nested_by_name[] = {0};
const ProtobufCMessageDescriptor nested_type = {.magic = PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC,
                                                .name = "test.Nested",
                                                .short_name = "Nested",
                                                .n_fields = 1,
                                                .fields = &nested_field,
                                                .fields_sorted_by_name = nested_by_name,
                                                .n_field_ranges = 1,
                                                .field_ranges = nested_range};

static struct str nested_message(size_t depth)
{
    struct str message = {"", 0};
    for (size_t i = 0; i < depth; i++) {
        struct buf out = {0};
        wire_write_bytes(&out, 1, message);
        message = arena_take(&arena, &out);
    }
    return message;
}

TEST(depth_ends_at_the_limit)
{
    struct tree *tree = NULL;
    assert_int_equal(wire_to_tree(&nested_type, nested_message(WIRE_DEPTH - 1), &arena, &tree).code, STATUS_OK);
    assert_fails(wire_check(&nested_type, nested_message(WIRE_DEPTH), &arena), STATUS_INVALID_ARGUMENT,
                 "is nested too deep");
    assert_fails(wire_to_tree(&nested_type, nested_message(1000), &arena, &tree), STATUS_INVALID_ARGUMENT,
                 "is nested too deep");

    struct tree *deep = tree_new(&arena, TREE_OBJECT);
    for (size_t i = 0; i < 1000; i++) {
        struct tree *outer = tree_new(&arena, TREE_OBJECT);
        tree_add(outer, STR("inner"), deep);
        deep = outer;
    }
    struct buf out = {0};
    assert_fails(wire_from_tree(&nested_type, deep, &out, &arena), STATUS_INVALID_ARGUMENT, "nests deeper than 32");
    buf_free(&out);
}

TEST(many_occurrences_of_a_sub_message_cost_one_copy)
{
    size_t count = 1 << 20;
    struct buf message = {0};
    for (size_t i = 0; i < count; i++)
        buf_append_literal(&message, "\x0a\x02\x0a\x00");
    struct arena bounded = arena_new(4 * count);
    struct tree *tree = NULL;
    assert_int_equal(wire_to_tree(&nested_type, buf_str(&message), &bounded, &tree).code, STATUS_OK);
    arena_free(&bounded);
    buf_free(&message);
}

TEST(a_message_that_grows_as_a_tree_ends_at_the_budget)
{
    struct buf message = {0};
    for (size_t i = 0; i < 1 << 21; i++)
        buf_append_literal(&message, "\x2a\x00");
    struct arena bounded = arena_new(16 << 20);
    struct tree *tree = NULL;
    assert_int_equal(wire_check(REQUEST, buf_str(&message), &bounded).code, STATUS_OK);
    assert_int_equal(bounded.left, 16 << 20);
    assert_int_equal(wire_to_tree(REQUEST, buf_str(&message), &bounded, &tree).code, STATUS_RESOURCE_EXHAUSTED);
    arena_free(&bounded);
    buf_free(&message);
}

TEST(trees_that_are_no_message_are_refused_by_member)
{
    static const struct {
        const char *text, *words;
    } table[] = {
        {"[]", "inference.ModelInferRequest must be an object, not array"},
        {"{'model':'m'}", "inference.ModelInferRequest has no member 'model'"},
        {"{'id':1}", "member 'id' of inference.ModelInferRequest is not a string"},
        {"{'id':null}", "member 'id'"},
        {"{'inputs':{}}", "member 'inputs' of inference.ModelInferRequest is not a list"},
        {"{'inputs':[1]}", "member 'inputs' of inference.ModelInferRequest is not an object"},
        {"{'parameters':7}", "member 'parameters' of inference.ModelInferRequest is not an object"},
        {"{'raw_input_contents':[1]}", "member 'raw_input_contents'"},
        {"{'inputs':[{'shape':[1.5]}]}", "member 'shape'"},
        {"{'inputs':[{'shape':[9223372036854775808]}]}", "member 'shape'"},
        {"{'inputs':[{'shape':['x']}]}", "member 'shape'"},
        {"{'inputs':[{'shape':[true]}]}", "member 'shape'"},
        {"{'inputs':[{'contents':{'int_contents':[2147483648]}}]}", "member 'int_contents'"},
        {"{'inputs':[{'contents':{'uint_contents':[-1]}}]}", "member 'uint_contents'"},
        {"{'inputs':[{'contents':{'uint_contents':[4294967296]}}]}", "member 'uint_contents'"},
        {"{'inputs':[{'contents':{'bool_contents':[1]}}]}", "member 'bool_contents'"},
        {"{'inputs':[{'contents':{'fp32_contents':[1e39]}}]}", "member 'fp32_contents'"},
        {"{'inputs':[{'contents':{'fp64_contents':['nan']}}]}", "member 'fp64_contents'"},
        {"{'inputs':[{'contents':{'bytes_contents':[1]}}]}", "member 'bytes_contents'"},
        {"{'parameters':{'a':{'int_param':1}}}", "inference.InferParameter has no member 'int_param'"},
    };
    EACH_ROW(row, table, row->text) {
        struct buf out = {0};
        assert_fails(wire_from_tree(REQUEST, parse(row->text), &out, &arena), STATUS_INVALID_ARGUMENT, row->words);
        buf_free(&out);
    }
}

TEST(a_tree_can_say_what_a_bad_client_would_send)
{
    struct tree *invalid = parse("{'id':'?'}");
    tree_member(invalid, "id")->text = STR("\xff\xfe");
    assert_writes(REQUEST, invalid, "1a02fffe");
    assert_writes(REQUEST, parse("{'id':'a','id':'b'}"), "1a01611a0162");
    assert_writes(REQUEST, parse("{'parameters':{'a':{'bool_param':true,'int64_param':0}}}"), "22090a0161120408011000");
    assert_writes(REQUEST, parse("{'parameters':[{'key':'a'},{}]}"), "22030a01612200");
    assert_writes(REQUEST, parse("{'parameters':{'a':{'bool_param':18}}}"), "22070a016112020812");
    assert_writes(REQUEST, parse("{'parameters':{'a':{},'a':{}}}"), "22050a0161120022050a01611200");
}

TEST(numbers_may_be_spelled_in_strings)
{
    assert_writes(REQUEST,
                  parse("{'inputs':[{'shape':['1','-1'],'contents':{'uint64_contents':['18446744073709551615'],'fp32_"
                        "contents':['-Infinity','-0.0']}}]}"),
                  "2a251a0b01ffffffffffffffffff012a162a0affffffffffffffffff013208000080ff00000080");
}
