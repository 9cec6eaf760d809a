/* Patterns: what each matcher accepts and refuses. */
#include "base/search.h"
#include "pattern/match.h"
#include "pattern/matchers.h"
#include "tests/scratch.h"

struct example {
    const char *pattern;
    const char *value; /* NULL: absent */
    const char *why;   /* the sentence about the difference; NULL: it matches */
};

static void check(const struct example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct str why = {0}, name = {0};
        const struct tree *pattern = parse(examples[i].pattern);
        const struct tree *value = examples[i].value ? parse(examples[i].value) : NULL;
        bool matches = match(pattern, value, &arena, &why, &name);
        if (matches != (examples[i].why == NULL))
            fail_msg("%s against %s: %.*s", examples[i].pattern, examples[i].value, STR_ARG(why));
        if (examples[i].why)
            assert_text(why, examples[i].why);
        assert_true(match(pattern, value, &arena, NULL, NULL) == matches);
    }
}

#define CHECK(...)                                                                                                     \
    const struct example examples[] = {__VA_ARGS__};                                                                   \
    check(examples, COUNT_OF(examples))

TEST(values_are_equal_exactly)
{
    CHECK({"1", "1.0", NULL}, {"100", "1e2", NULL}, {"0.1", "1.0000000000000000E-01", NULL},
          {"0.1", "0.1000000000000000055511151231257827021181583404541015625", NULL},
          {"0.1", "0.10000000000000002", "answer: expected 0.1, got 0.10000000000000002"},
          {"-0.0", "0.0", "answer: expected -0.0, got 0.0"},
          {"18446744073709551615", "18446744073709551616",
           "answer: expected 18446744073709551615, got 18446744073709551616"},
          {"9007199254740993", "9007199254740992", "answer: expected 9007199254740993, got 9007199254740992"},
          {"'a'", "'a'", NULL}, {"'a'", "'a\\u0000b'", "answer: expected \"a\", got \"a\\u0000b\""},
          {"true", "true", NULL}, {"true", "false", "answer: expected true, got false"}, {"null", "null", NULL},
          {"null", NULL, "answer: expected null, got nothing"}, {"1", "'1'", "answer: expected 1, got \"1\""},
          {"0", "-0", "answer: expected 0, got -0"});
}

TEST(objects_are_open_and_lists_exact)
{
    CHECK({"{'a':1}", "{'b':2,'a':1}", NULL}, {"{'a':1}", "{'b':2}", "/a: expected 1, got nothing"},
          {"{'a':{'b~/':1}}", "{'a':{'b~/':2}}", "/a/b~0~1: expected 1, got 2"}, {"[1,2]", "[1,2]", NULL},
          {"[1,2]", "[1,2,3]", "answer: expected a list of 2, got 3: [1,2,3]"},
          {"[1,2]", "[2,1]", "/0: expected 1, got 2"}, {"{}", "{'a':1}", NULL},
          {"{}", "[]", "answer: expected {}, got []"}, {"[]", "[]", NULL});
}

#define TEXT "{'$textproto:nvidia.inferenceserver.RequestStatus':"
#define WIRE "{'$proto:nvidia.inferenceserver.RequestStatus':"

TEST(messages_are_compared_by_value)
{
    CHECK({TEXT "{'code':1,'msg':''}}", "'code: SUCCESS'", NULL},
          {TEXT "{'code':1}}", "\"msg: \\u0027a\\u0027 # b\\n code:0x1\"", NULL},
          {TEXT "{'request_id':{'$range':[2,null]}}}", "'request_id: 1'",
           "/request_id: expected a number of at least 2, got 1"},
          {TEXT "{}}", "'code: SUCCESS no_such_field: 1'",
           "answer: expected $textproto:nvidia.inferenceserver.RequestStatus: line 1, column 28: Message type "
           "\"nvidia.inferenceserver.RequestStatus\" has no field named \"no_such_field\"."},
          {TEXT "{}}", "1", "answer: expected a RequestStatus as text: an object, got 1"},
          {WIRE "{'code':5,'msg':'a'}}", "'\\b\\u0005\\u0012\\u0001a'", NULL},
          {WIRE "{'code':5}}", "'\\b\\u0001'", "/code: expected 5, got 1"},
          {"['ab'," TEXT "{'code':1}}]", "'abcode: 1'", NULL},
          {"['ab'," TEXT "{'code':1}}]", "'a'", "answer: expected at least 2 bytes, got 1"});
}

TEST(events_are_a_list)
{
    CHECK({"{'$sse':[{'data':'a'},{'json':{'b':1}}]}", "\"data: a\\n\\ndata: {\\\"b\\\": 1}\\n\\n\"", NULL},
          {"{'$sse':[{'json':{'b':1}}]}", "\"data: {\\\"b\\\": 2}\\n\\n\"", "/0/json/b: expected 1, got 2"},
          {"{'$sse':{'$each':{'event':'message'}}}", "'data: a\\n\\n'", NULL}, {"{'$sse':[]}", "''", NULL},
          {"{'$sse':[]}", "'data: a\\n\\n'",
           "answer: expected a list of 0, got 1: [{\"event\":\"message\",\"data\":\"a\"}]"},
          {"{'$sse':[]}", NULL, "answer: expected a string with events, got nothing"});
}

TEST(absence_is_said)
{
    CHECK({"{'a':{'$absent':true}}", "{}", NULL},
          {"{'a':{'$absent':true}}", "{'a':null}", "/a: expected nothing here, got null"},
          {"{'a':{'$optional':1}}", "{}", NULL}, {"{'a':{'$optional':1}}", "{'a':1}", NULL},
          {"{'a':{'$optional':1}}", "{'a':2}", "/a: expected 1, got 2"}, {"{'a':{'$not':1}}", "{}", NULL},
          {"{'a':{'$not':1}}", "{'a':2}", NULL},
          {"{'a':{'$not':1}}", "{'a':1.0}", "/a: expected anything but 1, got 1.0"},
          {"{'a':{'$not':{'$absent':true}}}", "{}", "/a: expected something here, got nothing"});
}

TEST(types_are_told_apart)
{
    CHECK({"{'$type':'integer'}", "1.0", NULL}, {"{'$type':'integer'}", "18446744073709551615", NULL},
          {"{'$type':'integer'}", "1.5", "answer: expected an integer, got 1.5"}, {"{'$type':'number'}", "1.5", NULL},
          {"{'$type':'string'}", "''", NULL}, {"{'$type':'string'}", NULL, "answer: expected a string, got nothing"},
          {"{'$type':'boolean'}", "false", NULL}, {"{'$type':'array'}", "[]", NULL}, {"{'$type':'object'}", "{}", NULL},
          {"{'$type':'null'}", "null", NULL}, {"{'$type':'null'}", "0", "answer: expected null, got 0"},
          {"{'$type':'float'}", "1",
           "suite: answer: $type must be string, integer, number, boolean, array, object or null, not \"float\""});
}

TEST(sums_are_of_integers)
{
    CHECK({"{'$sum':[9007199254740992,1]}", "9007199254740993", NULL}, {"{'$sum':[3,-4]}", "-1", NULL},
          {"{'$sum':[1,2]}", "4", "answer: expected the sum of [1,2], got 4"},
          {"{'$sum':[1,2]}", "'3'", "answer: expected the sum of [1,2], got \"3\""},
          {"{'$sum':['1',2]}", "3", "answer: expected the sum of [\"1\",2], got 3"},
          {"{'$sum':[18446744073709551615,2]}", "3", /* a server sent the first */
           "answer: expected the sum of [18446744073709551615,2], got 3"},
          {"{'$sum':[1,2]}", NULL, "answer: expected the sum of [1,2], got nothing"},
          {"{'$sum':[9223372036854775807,1]}", "9223372036854775808",
           "answer: expected the sum of [9223372036854775807,1], got 9223372036854775808"},
          {"{'$sum':3}", "3", "suite: answer: $sum must be a list of integers, not 3"}, {"{'$least':[1,2]}", "3", NULL},
          {"{'$least':[1,2]}", "4", NULL},
          {"{'$least':[1,2]}", "2", "answer: expected at least the sum of [1,2], got 2"},
          {"{'$least':[1,2]}", "3.5", "answer: expected at least the sum of [1,2], got 3.5"},
          {"{'$least':3}", "3", "suite: answer: $least must be a list of integers, not 3"});
}

TEST(ranges_are_inclusive_and_exact)
{
    CHECK({"{'$range':[400,499]}", "400", NULL}, {"{'$range':[400,499]}", "499", NULL},
          {"{'$range':[400,499]}", "500", "answer: expected a number from 400 to 499, got 500"},
          {"{'$range':[400,499]}", "'400'", "answer: expected a number from 400 to 499, got \"400\""},
          {"{'$range':[9007199254740993,null]}", "9007199254740992",
           "answer: expected a number of at least 9007199254740993, got 9007199254740992"},
          {"{'$range':[null,18446744073709551615]}", "18446744073709551615", NULL},
          {"{'$range':[0.5,1.5]}", "1e400", "answer: expected a number from 0.5 to 1.5, got 1e400"},
          {"{'$range':[0.5,1.5]}", "-1e400", "answer: expected a number from 0.5 to 1.5, got -1e400"},
          {"{'$range':['1',null]}", "1", "answer: expected a number of at least 1, got 1"}, /* a server sent the '1' */
          {"{'$range':[1]}", "1", "suite: answer: $range must be [from, to], each a number or null, not [1]"});
}

TEST(expressions_are_unanchored_and_see_past_nul)
{
    CHECK({"{'$match':'GET'}", "'HEAD, GET'", NULL},
          {"{'$match':'^GET$'}", "'HEAD, GET'", "answer: expected a string that matches \"^GET$\", got \"HEAD, GET\""},
          {"{'$match':'^a$'}", "'a\\u0000b'", "answer: expected a string that matches \"^a$\", got \"a\\u0000b\""},
          {"{'$match':'^$'}", "''", NULL}, {"{'$match':'(?i)^get$'}", "'gEt'", NULL},
          {"{'$match':'(?i)^get$'}", "'got'", "answer: expected a string that matches \"(?i)^get$\", got \"got\""},
          {"{'$match':'^get$'}", "'GET'", "answer: expected a string that matches \"^get$\", got \"GET\""},
          {"{'$match':'a'}", "1", "answer: expected a string that matches \"a\", got 1"},
          {"{'$match':'('}", "'a'", "suite: answer: $match must be an extended regular expression, not \"(\""});
}

TEST(lists_by_each_all_only_unordered)
{
    CHECK({"{'$each':{'$type':'string'}}", "['a','b']", NULL}, {"{'$each':1}", "[]", NULL},
          {"{'$each':{'$type':'string'}}", "['a',1]", "/1: expected a string, got 1"},
          {"{'$each':1}", "1", "answer: expected a list, got 1"},
          {"{'$all':[{'$type':'integer'},{'$range':[1,2]}]}", "2", NULL},
          {"{'$all':[{'$type':'integer'},{'$range':[1,2]}]}", "3", "answer: expected a number from 1 to 2, got 3"},
          {"{'$only':{'a':1}}", "{'a':1}", "suite: answer: $only must be a list of patterns, not {\"a\":1}"},
          {"{'$unordered':[1,2,2]}", "[2,1,2]", NULL},
          {"{'$unordered':[1,2,2]}", "[2,1,1]", "answer: expected 2 somewhere in the list, got [2,1,1]"},
          {"{'$unordered':[{'$type':'number'},1]}", "[1,2]", NULL},
          {"{'$unordered':[1]}", "[1,1]", "answer: expected a list of 1, got 2: [1,1]"});
}

TEST(each_member_of_an_object)
{
    CHECK({"{'$members':{'$type':'string'}}", "{'a':'b','':''}", NULL}, {"{'$members':1}", "{}", NULL},
          {"{'$members':{'$type':'string'}}", "{'a':'b','c':null}", "/c: expected a string, got null"},
          {"{'$members':1}", "[]", "answer: expected an object, got []"},
          {"{'$members':1}", NULL, "answer: expected an object, got nothing"});
}

TEST(a_tensor_is_filled)
{
    CHECK(
        {"{'$tensor':'filled'}", "{'shape':[2,2],'data':[1,2,3,4]}", NULL},
        {"{'$tensor':'filled'}", "{'shape':[2,2],'data':[[1,2],[3,4]]}", NULL},
        {"{'$tensor':'filled'}", "{'shape':[],'data':[1]}", NULL},
        {"{'$tensor':'filled'}", "{'shape':[3,0],'data':[[],[],[]]}", NULL},
        {"{'$tensor':'filled'}", "{'shape':[2,2],'data':[1,2,3]}",
         "answer: the shape [2,2] has 4 elements, the data 3"},
        {"{'$tensor':'filled'}", "{'shape':[4294967296,4294967296],'data':[]}",
         "answer: expected a shape and a list of data, got {\"shape\":[4294967296,4294967296],\"data\":[]}"},
        {"{'$tensor':'filled'}", "{'shape':[-1],'data':[1]}",
         "answer: expected a shape and a list of data, got {\"shape\":[-1],\"data\":[1]}"},
        {"{'$tensor':'filled'}", "{'shape':[1]}", "answer: expected a shape and a list of data, got {\"shape\":[1]}"},
        {"{'$tensor':'whole'}", "{}", "suite: answer: $tensor must be filled, flat-or-nested or held, not \"whole\""});
}

TEST(a_tensor_is_flat_or_nested)
{
    CHECK({"{'$tensor':'flat-or-nested'}", "{'shape':[2,2],'data':[1,2,3,4]}", NULL},
          {"{'$tensor':'flat-or-nested'}", "{'shape':[2,2],'data':[[1,2],[3,4]]}", NULL},
          {"{'$tensor':'flat-or-nested'}", "{'shape':[2,0],'data':[[],[]]}", NULL},
          {"{'$tensor':'flat-or-nested'}", "{'shape':[2,1],'data':[[1],2]}",
           "answer: the data is neither one flat list nor nested as the shape [2,1] says: [[1],2]"},
          {"{'$tensor':'flat-or-nested'}", "{'shape':[2,1],'data':[[1,2]]}",
           "answer: the data is neither one flat list nor nested as the shape [2,1] says: [[1,2]]"},
          {"{'$tensor':'flat-or-nested'}", "{'shape':[2],'data':[[1],[2]]}",
           "answer: the data is neither one flat list nor nested as the shape [2] says: [[1],[2]]"},
          {"{'$tensor':'flat-or-nested'}", "{'shape':[],'data':[[1]]}",
           "answer: the data is neither one flat list nor nested as the shape [] says: [[1]]"});
}

TEST(numbers_of_a_tensor_are_held_by_its_datatype)
{
    const char *held = "{'$tensor':'held'}";
    CHECK({held, "{'datatype':'INT8','shape':[2,1],'data':[[-128],[127.0]]}", NULL},
          {held, "{'datatype':'INT8','shape':[1],'data':[128]}", "answer: 128 in the data is no value of INT8"},
          {held, "{'datatype':'UINT64','shape':[2],'data':[18446744073709551615,-1]}",
           "answer: -1 in the data is no value of UINT64"},
          {held, "{'datatype':'INT32','shape':[1],'data':[0.5]}", "answer: 0.5 in the data is no value of INT32"},
          {held, "{'datatype':'FP32','shape':[2],'data':[0.1,1e-60]}", NULL},
          {held, "{'datatype':'FP32','shape':[1],'data':[6e38]}", "answer: 6e38 in the data is no value of FP32"},
          {held, "{'datatype':'FP32','shape':[3],'data':[null,'NaN',true]}", NULL},
          {held, "{'datatype':'no_such','shape':[1],'data':[1]}", NULL},
          {held, "{'datatype':'INT8','shape':[1]}", NULL});
}

TEST(a_list_contains_an_element_and_a_text_a_text)
{
    CHECK({"{'$contains':'1'}", "['2','1']", NULL},
          {"{'$contains':'1'}", "['21']", "answer: expected a list that has \"1\", got [\"21\"]"},
          {"{'$contains':{'a':1}}", "[{'b':1},{'a':1,'b':2}]", NULL},
          {"{'$contains':{'$type':'null'}}", "[1]", "answer: expected a list that has null, got [1]"},
          {"{'$contains':1}", "[]", "answer: expected a list that has 1, got []"},
          {"{'$contains':1}", NULL, "answer: expected a list that has 1, got nothing"},
          {"{'$contains':'bc'}", "'abcd'", NULL}, {"{'$contains':{'$hex':'00'}}", "'a\\u0000b'", NULL},
          {"{'$contains':'bd'}", "'abcd'", "answer: expected a string that has \"bd\", got \"abcd\""},
          {"{'$contains':'a'}", "''", "answer: expected a string that has \"a\", got \"\""},
          {"{'$contains':{'$type':'string'}}", "'a'", "answer: expected a string that has a string, got \"a\""},
          {"{'$contains':'a'}", "{'a':1}", "answer: expected a list that has \"a\", got {\"a\":1}"},
          {"{'datatype':'FP32','data':{'$contains':'-0.0'}}", "{'datatype':'FP32','data':[1,-0.0]}", NULL});
}

TEST(a_value_is_in_a_list_of_patterns)
{
    CHECK({"{'$in':['a',{'$type':'null'}]}", "'a'", NULL}, {"{'$in':['a',{'$type':'null'}]}", "null", NULL},
          {"{'$in':['a','b']}", "'c'", "answer: expected one of [\"a\",\"b\"], got \"c\""},
          {"{'$in':['a']}", NULL, "answer: expected one of [\"a\"], got nothing"},
          {"{'$in':'a'}", "'a'", "suite: answer: $in must be a list of patterns, not \"a\""});
}

TEST(the_name_that_was_seen_is_told)
{
    struct str why, name;
    const struct tree *pattern =
        parse("{'a':{'$any':{'one':1,'two':2}},'b':{'$any':{'text':{'$type':'string'},'none':null}}}");
    assert_true(match(pattern, parse("{'a':2,'b':'x'}"), &arena, &why, &name));
    assert_text(name, "two, text");
    assert_false(match(pattern, parse("{'a':3,'b':'x'}"), &arena, &why, &name));
    assert_text(why, "/a: 3 is none of the named observations");
    assert_int_equal(name.size, 0);
}

TEST(of_two_names_that_both_match_the_first_counts)
{
    struct str why, name;
    const struct tree *pattern = parse("{'$any':{'x':1,'y':{'$type':'number'}}}");
    assert_true(match(pattern, parse("1"), &arena, &why, &name));
    assert_text(name, "x");
    assert_true(match(pattern, parse("2"), &arena, &why, &name));
    assert_text(name, "y");
}

TEST(an_unknown_matcher_is_a_fault_of_the_suite)
{
    CHECK({"{'$nearly':1}", "1",
           "suite: answer: {\"$nearly\":1} is no matcher: an object with a $ key has only that key"},
          {"{'$type':'string','a':1}", "{}",
           "suite: answer: {\"$type\":\"string\",\"a\":1} is no matcher: an object with a $ key has only that key"});
}

TEST(tensors_match_by_name_and_there_may_be_more)
{
    const char *value = "{'outputs':[{'name':'A','data':[1]},{'name':'B','data':[2]}]}";
    CHECK({"{'outputs':[{'name':'B','data':[2]}]}", value, NULL},
          {"{'outputs':[{'name':'B','data':[3]}]}", value, "/outputs/1/data/0 (B): expected 3, got 2"},
          {"{'outputs':[{'name':'C'}]}", value, "/outputs/0/name: expected an output 'C', got 'A', 'B'"},
          {"{'outputs':[{'name':'A'},{'name':'C'},{'name':'B'}]}", value,
           "/outputs: expected an output 'C', got 'A', 'B'"},
          {"{'outputs':{'$only':[{'name':'B'},{'name':'A'}]}}", value, NULL},
          {"{'outputs':{'$only':[{'name':'B'}]}}", value, "/outputs: expected only 'B', got 'A', 'B'"});
}

TEST(acts_judge_the_order_of_outputs)
{
    struct str why;
    const struct tree *value = parse("{'outputs':[{'name':'A'},{'name':'B'}]}");
    assert_true(match_in_order(parse("{'outputs':[{'name':'A'},{'name':'B'}]}"), value, &arena, &why, NULL));
    assert_false(match_in_order(parse("{'outputs':[{'name':'B'},{'name':'A'}]}"), value, &arena, &why, NULL));
    assert_false(match_in_order(parse("{'outputs':[{'name':'A'}]}"), value, &arena, &why, NULL));
}

#define TENSOR(datatype, data) "{'datatype':'" datatype "','data':" data "}"

TEST(data_is_compared_in_its_datatype)
{
    CHECK({TENSOR("FP32", "[0.1]"), TENSOR("FP32", "[0.10000000149011612]"), NULL},
          {TENSOR("FP64", "[0.1]"), TENSOR("FP64", "[0.10000000149011612]"),
           "/data/0: expected 0.1, got 0.10000000149011612"},
          {TENSOR("FP16", "[0.1]"), TENSOR("FP16", "[0.0999755859375]"), NULL},
          {TENSOR("FP32", "[0.1]"), TENSOR("FP32", "'0.1'"), "/data: expected [0.1], got \"0.1\""},
          {TENSOR("FP32", "{'$FP32':[1,2]}"), TENSOR("FP32", "'x'"), "/data: expected FP32 [1,2], got \"x\""},
          {TENSOR("BYTES", "['a','b']"), TENSOR("BYTES", "'ab'"), "/data: expected [\"a\",\"b\"], got \"ab\""},
          {"{'shape':[2,2]}", "{'shape':'2,2'}", "/shape: expected [2,2], got \"2,2\""},
          {TENSOR("BF16", "[1.01]"), TENSOR("BF16", "[1.0078125]"), NULL},
          {TENSOR("FP32", "['-0.0']"), TENSOR("FP32", "[-0.0]"), NULL},
          {TENSOR("FP32", "[0]"), TENSOR("FP32", "[-0.0]"), "/data/0: expected 0, got -0.0"},
          {TENSOR("FP32", "['NaN','-Infinity']"), TENSOR("FP32", "['NaN','-Infinity']"), NULL},
          {TENSOR("FP32", "[1.5]"), TENSOR("FP32", "['1.5']"), "/data/0: expected 1.5 as FP32, got \"1.5\""},
          {TENSOR("INT64", "['9223372036854775807']"), TENSOR("INT64", "[9223372036854775807]"), NULL},
          {TENSOR("INT64", "['9223372036854775807']"), TENSOR("INT64", "[9223372036854775806]"),
           "/data/0: expected 9223372036854775807, got 9223372036854775806"},
          {TENSOR("UINT64", "['18446744073709551615']"), TENSOR("UINT64", "[18446744073709551615]"), NULL},
          {TENSOR("INT8", "[-128,127]"), TENSOR("INT8", "[-128.0,127]"), NULL},
          {TENSOR("INT8", "[44]"), TENSOR("INT8", "[300]"), "/data/0: expected 44 as INT8, got 300"},
          {TENSOR("INT8", "[300]"), TENSOR("INT8", "[44]"), "suite: /data/0: 300 is no INT8"},
          {TENSOR("BOOL", "[true,false]"), TENSOR("BOOL", "[1,0]"), NULL},
          {TENSOR("BOOL", "[true]"), TENSOR("BOOL", "[2]"), "/data/0: expected true as BOOL, got 2"},
          {TENSOR("BYTES", "['a']"), TENSOR("BYTES", "['b']"), "/data/0: expected \"a\", got \"b\""},
          {TENSOR("BYTES", "[{'$hex':'ff'}]"), TENSOR("BYTES", "['b']"), "/data/0: expected \"\\xff\", got \"b\""},
          {TENSOR("INT32", "[1,2]"), TENSOR("INT32", "[1]"), "/data: expected 2 elements, got 1"},
          {TENSOR("INT32", "[[1],[2]]"), TENSOR("INT32", "[1,2]"), NULL},
          {TENSOR("INT32", "[1]"), "{'datatype':'INT32'}", "/data: expected [1], got nothing"});
}

TEST(the_answers_datatype_serves_where_the_pattern_names_none)
{
    CHECK({"{'data':[0.1]}", TENSOR("FP32", "[0.10000000149011612]"), NULL},
          {"{'data':[0.1]}", "{'data':[0.10000000149011612]}", "/data/0: expected 0.1, got 0.10000000149011612"});
}

TEST(packed_bytes_stand_for_data)
{
    CHECK({TENSOR("INT16", "{'$hex':'01000200'}"), TENSOR("INT16", "[1,2]"), NULL},
          {TENSOR("INT16", "{'$hex':'01000200'}"), TENSOR("INT16", "[1,3]"), "/data/1: expected 2, got 3"},
          {TENSOR("INT16", "{'$hex':'01000200'}"), TENSOR("INT16", "[1]"), "/data: expected 2 elements, got 1"},
          {TENSOR("INT16", "{'$hex':'0100'}"), TENSOR("INT16", "[1,2]"), "/data: expected 1 elements, got 2"},
          {TENSOR("INT16", "{'$hex':'01'}"), TENSOR("INT16", "[1]"),
           "suite: /data: its bytes are no whole elements of INT16"},
          {TENSOR("BYTES", "{'$hex':'0100000061'}"), TENSOR("BYTES", "['a']"), NULL});
}

TEST(units_in_the_last_place)
{
    CHECK({TENSOR("FP32", "[{'$ulps':[1,1.0]}]"), TENSOR("FP32", "[1.00000012]"), NULL},
          {TENSOR("FP32", "[{'$ulps':[1,1.0]}]"), TENSOR("FP32", "[1.00000024]"),
           "/data/0: expected 1.0 within 1 units in the last place, got 1.00000024"},
          {TENSOR("FP32", "{'$ulps':[1,[1.0,2.0]]}"), TENSOR("FP32", "[1,2.0000002]"), NULL},
          {TENSOR("FP16", "[{'$ulps':[1,1.0]}]"), TENSOR("FP16", "[1.0009765625]"), NULL},
          {TENSOR("FP32", "[{'$ulps':[2,0]}]"), TENSOR("FP32", "[-1e-45]"), NULL},
          {"{'$close':" TENSOR("FP32", "[1000,0]") "}", TENSOR("FP32", "[1000.9,0.000009]"), NULL},
          {"{'$close':" TENSOR("FP32", "[1000,0]") "}", TENSOR("FP32", "[1002,0]"), "/data/0: expected 1000, got 1002"},
          {"{'$close':" TENSOR("INT32", "[1000]") "}", TENSOR("INT32", "[1001]"), "/data/0: expected 1000, got 1001"},
          {TENSOR("FP32", "[{'$ulps':[5,'NaN']}]"), TENSOR("FP32", "[1]"),
           "/data/0: expected \"NaN\" within 5 units in the last place, got 1"},
          {"{'$ulps':[1]}", "1", "suite: answer: $ulps must be [distance, value], not [1]"});
}

TEST(bytes_are_compared_with_codecs)
{
    CHECK({"{'$hex':'6162'}", "'ab'", NULL},
          {"{'$hex':'6162'}", "'ac'", "answer: byte 1 of 2 (2 expected): expected 62, got 63"},
          {"{'$hex':'6162'}", "'abc'", "answer: byte 2 of 3 (2 expected): expected the end, got 63"},
          {"{'$INT16':[24930]}", "'ba'", NULL}, {"['a',{'$hex':'62'}]", "'ab'", NULL},
          {"['a',{'$hex':'62'}]", "'abc'", "answer: byte 2 of 3 (2 expected): expected the end, got 63"},
          {"[{'$json':{'x':1}},{'$hex':'62'}]", "\"{\\\"x\\\":1.0}b\"", NULL},
          {"[{'$json':{'x':1}},{'$hex':'62'}]", "\"{\\\"x\\\":2}b\"", "/x: expected 1, got 2"},
          {"{'$hex':'61'}", "1", "answer: expected the bytes 61, got 1"});
}

TEST(same_covers_class_model_and_tensors_only)
{
    struct str why;
    const struct tree *base = parse("{'status':200,'headers':{'date':'1'},'model_name':'m','id':'1','outputs':[{'name':"
                                    "'A','datatype':'FP32','shape':[1],'data':[0.1]}]}");
    assert_true(match_same(base, base, LIKENESS_EXACT, &arena, &why));
    assert_true(match_same(base,
                           parse("{'status':201,'headers':{},'model_name':'m','outputs':[{'name':'A','datatype':'FP32',"
                                 "'shape':[1],'data':[0.10000000149]}]}"),
                           LIKENESS_EXACT, &arena, &why));
    static const char *const others[][2] = {
        {"{'status':400}", "answer: expected the base's answer again (200), got 400"},
        {"{'status':200,'model_name':'n'}", "/model_name: expected \"m\", got \"n\""},
        {"{'status':200,'model_name':'m','outputs':[{'name':'A','datatype':'FP64','shape':[1],'data':[0.1]}]}",
         "/outputs/0/datatype (A): expected \"FP32\", got \"FP64\""},
        {"{'status':200,'model_name':'m','outputs':[{'name':'A','datatype':'FP32','shape':[1],'data':[0.2]}]}",
         "/outputs/0/data/0 (A): expected 0.1, got 0.2"},
        {"{'status':200,'model_name':'m','outputs':[{'name':'B'}]}",
         "/outputs: expected an output 'A' as in the base's answer, got 'B'"},
    };
    EACH_ROW(other, others, (*other)[0]) {
        assert_false(match_same(base, parse((*other)[0]), LIKENESS_EXACT, &arena, &why));
        assert_text(why, (*other)[1]);
    }
    assert_true(match_same(parse("{'code':'NOT_FOUND'}"), parse("{'code':'NOT_FOUND'}"), LIKENESS_EXACT, &arena, &why));
    assert_false(match_same(parse("{'code':'OK'}"), parse("{'code':'NOT_FOUND'}"), LIKENESS_EXACT, &arena, &why));
    assert_false(match_same(parse("{}"), parse("{}"), LIKENESS_EXACT, &arena, &why));
}

static struct tree *answer_of(size_t count, bool backwards, size_t wrong)
{
    struct buf text = {0};
    buf_append_literal(&text, "{'code':'OK','outputs':[");
    for (size_t i = 0; i < count; i++) {
        size_t number = backwards ? count - 1 - i : i;
        buf_printf(&text, "%s{\"name\":\"OUT%zu\",\"datatype\":\"INT32\",\"shape\":[1],\"data\":[%zu]}", i ? "," : "",
                   number, number == wrong ? 0 : number);
    }
    buf_append_literal(&text, "]}");
    return parse(arena_take(&arena, &text).data);
}

/* Were each output looked for from the beginning of the list, this test would go on for minutes. */
TEST(a_hundred_thousand_outputs_are_found_by_name)
{
    struct str why;
    enum { COUNT = 100000 };
    const struct tree *base = answer_of(COUNT, false, COUNT);
    assert_true(match_same(base, answer_of(COUNT, true, COUNT), LIKENESS_EXACT, &arena, &why));
    assert_true(match_alike(base, answer_of(COUNT, true, COUNT), LIKENESS_EXACT, &arena, &why));
    assert_false(match_same(base, answer_of(COUNT, true, 1), LIKENESS_EXACT, &arena, &why));
    assert_true(str_starts(why, STR("/outputs/99998/data")));
    struct tree *twice = answer_of(20, false, 20), *sixth = tree_at(tree_member(twice, "outputs"), 5);
    tree_set(sixth, STR("name"), tree_string(&arena, STR("OUT4")));
    assert_false(match_same(answer_of(20, false, 20), twice, LIKENESS_EXACT, &arena, &why));
    assert_true(str_starts(why, STR("/outputs: expected an output 'OUT5' as in the base's answer, got 'OUT0'")));
    assert_true(match_same(twice, twice, LIKENESS_EXACT, &arena, &why) ==
                false); /* of two of a name the first counts */
}

/* A sentence names the first hundred outputs. */
TEST(not_all_names_are_told)
{
    struct str why;
    const struct tree *pattern = parse("{'outputs':[{'name':'NONE'}]}");
    assert_false(match(pattern, answer_of(102, false, 0), &arena, &why, NULL));
    assert_true(str_starts(why, STR("/outputs/0/name: expected an output 'NONE', got 'OUT0', 'OUT1'")));
    assert_has(why, "'OUT99' and 2 more");
}

/* Of a list without end the names of its first elements are told. */
TEST(not_all_observations_are_told)
{
    struct str why, name;
    const struct tree *pattern = parse("{'outputs':{'$each':{'$any':{'named':{'name':{'$match':'O'}},'none':null}}}}");
    assert_true(match(pattern, answer_of(3, false, 0), &arena, &why, &name));
    assert_text(name, "named, named, named");
    assert_true(match(pattern, answer_of(10000, false, 0), &arena, &why, &name));
    assert_true(name.size < 300 && str_equal(str_from(name, name.size - 10), STR("named, ...")));
}

TEST(answers_of_any_model_may_be_a_little_apart)
{
    static const struct {
        const char *datatype, *first, *second;
        bool close;
    } pairs[] = {
        {"FP32", "[1.0, 0.33333334]", "[1.0, 0.333333]", true},
        {"FP32", "[1.0, 2.0]", "[2.0, 1.0]", false},
        {"FP32", "[1.0]", "[1.0, 1.0]", false},
        {"FP64", "[1e-9]", "[0]", true},
        {"FP64", "[-0.0]", "[0.0]", true},
        {"BF16", "[100]", "[101]", true},
        {"FP32", "[100]", "[101]", false},
        {"INT32", "[100000]", "[100001]", false},
        {"BYTES", "['a']", "['b']", false},
        {"FP32", "[null, null]", "['NaN', '-Infinity']", true},
        {"FP64", "['NaN']", "[null]", true},
        {"FP32", "[null]", "[1.5]", false},
        {"BYTES", "[null]", "['NaN']", false},
        {"INT32", "[null]", "['NaN']", false},
    };
    const char *form = "{'code':'OK','outputs':[{'name':'A','datatype':'%s','data':%s}]}";
    struct str why;
    EACH_ROW(row, pairs, row->second) {
        const struct tree *first = parse(arena_printf(&arena, form, row->datatype, row->first).data);
        const struct tree *second = parse(arena_printf(&arena, form, row->datatype, row->second).data);
        assert_int_equal(match_alike(first, second, LIKENESS_CLOSE, &arena, &why), row->close);
        assert_true(match_alike(first, second, LIKENESS_FORM, &arena, &why));
        assert_false(match_alike(first, second, LIKENESS_EXACT, &arena, &why));
    }
    const char *other = "{'code':'OK','outputs':[{'name':'A','datatype':'FP16','data':[1]}]}";
    assert_false(
        match_alike(parse("{'outputs':[{'name':'A','datatype':'FP32'}]}"), parse(other), LIKENESS_FORM, &arena, &why));
    assert_false(match_alike(parse("{'outputs':[{'name':'B'}]}"), parse(other), LIKENESS_FORM, &arena, &why));
}

/* JSON cannot carry bytes that are no text: they agree with U+FFFD, and with no other text. */
TEST(bytes_agree_with_the_text_that_stands_for_them)
{
    const char *form = "{'code':'OK','outputs':[{'name':'A','datatype':'BYTES','data':['%s']}]}";
    struct tree *bytes = parse(arena_printf(&arena, form, "a").data);
    tree_member(bytes, "outputs")->first->last->first->text = STR("a\xff");
    static const struct {
        const char *text;
        bool agrees;
    } rows[] = {{"a\xef\xbf\xbd", true}, {"\\ufffd", true}, {"a\xc3\xbf", false}, {"a", false}};
    EACH_ROW(row, rows, row->text) {
        struct tree *text = parse(arena_printf(&arena, form, row->text).data);
        struct str why;
        assert_int_equal(match_alike(text, bytes, LIKENESS_CLOSE, &arena, &why), row->agrees);
        assert_int_equal(match_alike(bytes, text, LIKENESS_CLOSE, &arena, &why), row->agrees);
        assert_false(match_alike(text, bytes, LIKENESS_EXACT, &arena, &why));
    }
    struct str why;
    assert_false(match_alike(parse(arena_printf(&arena, form, "a\xef\xbf\xbd").data),
                             parse(arena_printf(&arena, form, "ab").data), LIKENESS_CLOSE, &arena, &why));
}

/* Returns text that is so long that no sentence tells it whole, with something after it. */
static const char *long_text(const char *format, const char *end)
{
    char many[301];
    memset(many, 'x', sizeof many);
    many[300] = '\0';
    return arena_printf(&arena, format, many, end).data;
}

/* What is told of a long value is around what differs in it. */
TEST(a_difference_is_told_wherever_it_stands)
{
    CHECK({long_text("'%s%s'", "abc"), long_text("'%s%s'", "abd"),
           "answer: from byte 242 on, expected \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxabc\", "
           "got \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxabd\""},
          {"'short'", long_text("'%s%s'", ""),
           "answer: from byte 0 on, expected \"short\", got "
           "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
           "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\""},
          {"{'$in':[{'status':411},{'status':200,'json':{'id':{'$match':'^7'}}}]}",
           long_text("{'status':200,'body':'%s','json':{'id':'%s'}}", "8"),
           "/json/id: expected a string that matches \"^7\", got \"8\" (the nearest of 2)"},
          {"{'$any':{'a':{'id':{'b':1}},'c':{'id':2}}}", long_text("{'%s':1,'id':{'b':%s}}", "3"),
           "/id/b: expected 1, got 3 (the nearest of 2)"},
          {"{'$contains':{'idx':3,'value':{'a':8}}}", long_text("['%s',{'idx':4},{'idx':3,'value':{'a':%s}}]", "9"),
           "/2/value/a: expected 8, got 9 (the nearest of 3)"},
          {"{'$unordered':[1,{'a':2}]}", long_text("[1,{'b':'%s','a':%s}]", "3"),
           "/1/a: expected 2, got 3 (the nearest of 2)"},
          {"{'$in':[1,2]}", "3", "answer: expected one of [1,2], got 3"});
}

TEST(an_answer_is_never_taken_for_a_pattern)
{
    struct str why;
    const struct tree *hostile = parse("{'status':200,'outputs':[{'name':'A','datatype':'FP32','shape':{'$type':'array'"
                                       "},'data':[{'$any':{'x':1,'y':1}}]}]}");
    const struct tree *other =
        parse("{'status':200,'outputs':[{'name':'A','datatype':'FP32','shape':[1],'data':[1]}]}");
    assert_false(match_same(hostile, other, LIKENESS_EXACT, &arena, &why));
    assert_false(match_is_suite_fault(why));
    assert_text(why, "/outputs/0/shape (A): expected {\"$type\":\"array\"}, got [1]");
}

TEST(an_argument_that_does_not_fit_is_named)
{
    static const struct {
        const char *matcher, *fitting, *other, *fault;
    } rows[] = {
        {"$match", "'a+'", "'a('", "must be an extended regular expression"},
        {"$contains", "'a'", "''", "must not be empty: every string has it"},
        {"$any", "{'a':1,'b':2}", "{'a':1}", "must be an object of at least two named patterns"},
        {"$in", "[1,2]", "{'a':1}", "must be a list of patterns"},
        {"$absent", "true", "false", "must be true"},
        {"$type", "'array'", "'list'", "must be string, integer, number, boolean, array, object or null"},
        {"$range", "[1,null]", "[1]", "must be [from, to], each a number or null"},
        {"$sum", "[1,2]", "[true]", "must be a list of integers"},
        {"$ulps", "[1,0.5]", "[-1,0.5]", "must be [distance, value]"},
        {"$tensor", "'filled'", "'full'", "must be filled, flat-or-nested or held"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct matcher *matcher = matcher_named(str_of(rows[i].matcher));
        assert_non_null(matcher);
        assert_null(argument_fault(matcher->argument, parse(rows[i].fitting)));
        const char *fault = argument_fault(matcher->argument, parse(rows[i].other));
        assert_non_null(fault);
        assert_string_equal(fault, rows[i].fault);
    }
}
