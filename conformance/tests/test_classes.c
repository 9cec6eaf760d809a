/* Probes of classification: which classes an answer must name. */
#include "probe/classes.h"
#include "probe/configured.h"
#include "tests/scratch.h"

static void check(const char *output, const char *expected)
{
    assert_tree(classes_of(output ? parse(output) : NULL, &arena), expected);
}

TEST(the_largest_comes_first_and_equals_share_their_places)
{
    check("{'datatype': 'INT64', 'shape': [1, 4], 'data': [-300, 9007199254740993, -300, 9007199254740992]}",
          "{'count': 4, 'top': {'$match': '^(9007199254740993([.]0*)?|9[.]0071992547409930*[eE][+]?0*15):(1)(:|$)'},"
          " 'all': [{'$match': '^(9007199254740993([.]0*)?|9[.]0071992547409930*[eE][+]?0*15):(1)(:|$)'},"
          " {'$match': '^(9007199254740992([.]0*)?|9[.]0071992547409920*[eE][+]?0*15):(3)(:|$)'},"
          " {'$match': '^-(300([.]0*)?|3[.]?0*[eE][+]?0*2):(0|2)(:|$)'},"
          " {'$match': '^-(300([.]0*)?|3[.]?0*[eE][+]?0*2):(0|2)(:|$)'}]}");
    check("{'datatype': 'FP32', 'shape': [1, 1, 3], 'data': [-1.5, 0, 1e30]}",
          "{'count': 3, 'top': {'$match': '^[^:]+:(2)(:|$)'}, 'all': [{'$match': '^[^:]+:(2)(:|$)'},"
          " {'$match': '^[^:]+:(1)(:|$)'}, {'$match': '^[^:]+:(0)(:|$)'}]}");
}

TEST(classes_that_are_not_certain_are_not_told)
{
    static const char none[] = "{'count': 0, 'top': null, 'all': []}";
    check(NULL, none);
    EACH(output, "{}", "{'datatype': 'FP32', 'shape': [2, 1], 'data': [1, 2]}",
         "{'datatype': 'FP32', 'shape': [2], 'data': [1, 2]}",
         "{'datatype': 'FP32', 'shape': [1, 2], 'data': [1, 'NaN']}",
         "{'datatype': 'FP32', 'shape': [1, 2], 'data': 1}", "{'datatype': 'FP16', 'shape': [1, 2], 'data': [1, 2]}",
         "{'datatype': 'BOOL', 'shape': [1, 2], 'data': [true, false]}",
         "{'datatype': 'BYTES', 'shape': [1, 2], 'data': ['1', '2']}")
        check(output, none);
}

TEST(a_configuration_names_datatypes_in_its_way)
{
    assert_tree(configured_tensors(parse("{'inputs': [{'name': 'a', 'datatype': 'BYTES', 'shape': [-1, 4]}],"
                                         " 'outputs': []}"),
                                   &arena),
                "{'known': true, 'outputs': {'whole': [], 'batched': []}, 'inputs': {"
                "'whole': [{'name': 'a', 'data_type': {'$in': ['TYPE_STRING', 13]},"
                " 'dims': [{'$in': [-1, '-1']}, {'$in': [4, '4']}]}],"
                "'batched': [{'name': 'a', 'data_type': {'$in': ['TYPE_STRING', 13]}, 'dims': [{'$in': [4, '4']}]}]}}");
    EACH(text, "{}", "{'inputs': 1, 'outputs': []}",
         "{'inputs': [{'name': 'a', 'datatype': 'INT31', 'shape': [1]}], 'outputs': []}",
         "{'inputs': [{'name': 'a', 'datatype': 'INT32', 'shape': ['1']}], 'outputs': []}")
        assert_false(tree_is_true(configured_tensors(parse(text), &arena), "known"));
    assert_false(tree_is_true(configured_tensors(NULL, &arena), "known"));
}
