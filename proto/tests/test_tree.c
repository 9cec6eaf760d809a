/* Trees: reading, writing and comparing JSON. */
#include "base/search.h"
#include "tests/scratch.h"
#include "tree/tree.h"

static void assert_writes(const struct tree *tree, const char *expected)
{
    assert_string_equal(text_of(tree), expected);
}

ARENA_TEST(a_tree_loses_nothing)
{
    struct tree *tree =
        parse("{\"b\": 1.50e+3, \"a\": [null, true, false, \"x\\u0000y\", -0, {}, []],\"b\":18446744073709551616}");
    assert_writes(tree, "{\"b\":1.50e+3,\"a\":[null,true,false,\"x\\u0000y\",-0,{},[]],\"b\":18446744073709551616}");
    assert_int_equal(tree->count, 3);
    struct tree *list = tree_member(tree, "a");
    assert_int_equal(list->count, 7);
    assert_true(str_equal(tree_at(list, 3)->text, STR("x\0y")));
    assert_true(str_is(tree_member(tree, "b")->text, "1.50e+3"));
    assert_null(tree_at(list, 7));
    assert_null(tree_at(tree, 0));
    assert_null(tree_member(list, "a"));
    assert_null(tree_member(NULL, "a"));
    assert_null(tree_member(tree, "c"));
}

ARENA_TEST(spans_are_the_source_of_each_value)
{
    struct tree *tree = parse("  { \"a\" : [ 1 , {\"b\" : \"c\" } ] , \"d\":2.0 }  ");
    assert_true(str_is(tree->span, "{ \"a\" : [ 1 , {\"b\" : \"c\" } ] , \"d\":2.0 }"));
    assert_true(str_is(tree_member(tree, "a")->span, "[ 1 , {\"b\" : \"c\" } ]"));
    assert_true(str_is(tree_at(tree_member(tree, "a"), 0)->span, "1"));
    assert_true(str_is(tree_at(tree_member(tree, "a"), 1)->span, "{\"b\" : \"c\" }"));
    assert_true(str_is(tree_member(tree, "d")->span, "2.0"));
}

ARENA_TEST(a_child_for_which_there_was_no_memory_is_not_added)
{
    struct tree *object = parse("{\"a\":1}"), *array = parse("[1]");
    assert_false(tree_add(object, STR("b"), NULL));
    assert_false(tree_set(object, STR("a"), NULL));
    assert_false(tree_set(object, STR("b"), NULL));
    assert_false(tree_append(array, NULL));
    assert_writes(object, "{\"a\":1}");
    assert_writes(array, "[1]");
    assert_true(tree_set(object, STR("a"), array) && tree_add(object, STR("b"), tree_bool(&arena, true)));
    assert_writes(object, "{\"a\":[1],\"b\":true}");
}

ARENA_TEST(only_true_is_true)
{
    struct tree *object = parse("{\"a\":true,\"b\":false,\"c\":1,\"d\":\"true\"}");
    assert_true(tree_is_true(object, "a"));
    assert_false(tree_is_true(object, "b") || tree_is_true(object, "c") || tree_is_true(object, "d"));
    assert_false(tree_is_true(object, "e") || tree_is_true(NULL, "a") || tree_is_true(parse("[true]"), "a"));
}

ARENA_TEST(scalars_are_trees)
{
    assert_int_equal(parse("null")->type, TREE_NULL);
    assert_int_equal(parse(" 7 ")->type, TREE_NUMBER);
    assert_true(parse("true")->boolean);
    assert_true(str_is(parse("\"\\n\"")->text, "\n"));
    assert_true(parse("\"\"")->text.size == 0);
}

ARENA_TEST(the_text_is_copied)
{
    char text[] = "[\"name\",12]";
    struct tree *tree = parse(text);
    memset(text, 'x', sizeof(text) - 1);
    assert_writes(tree, "[\"name\",12]");
}

ARENA_TEST(the_beginning_of_a_tree_is_written)
{
    struct tree *tree;
    struct str text = STR("{\"a\":[1,22,\"\u00e4\u20ac\",{\"b\":null}],\"c\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}");
    assert_ok(tree_parse(text, &arena, &tree));
    for (size_t most = 0; most < text.size + 2; most++) {
        struct buf out = {0};
        buf_append_literal(&out, "before ");
        tree_write_start(tree, &out, most);
        size_t written = out.size - 7, compared = most < text.size ? most : text.size;
        assert_memory_equal(out.data + 7, text.data, compared);
        assert_true(written > most || written == text.size);
        buf_free(&out);
    }
    const struct tree *c = tree_member(tree, "c");
    struct buf out = {0};
    tree_write_start(c, &out, 3);
    assert_true(out.size < 12);
    buf_free(&out);
}

ARENA_TEST(an_arena_that_runs_out_is_said)
{
    const struct str text = STR("{\"a\":[1,2,3,\"\\n\"],\"\\u0041\":{}}");
    bool parsed = false;
    for (size_t budget = 0; !parsed && budget < 10000; budget++) {
        struct arena small = arena_new(budget);
        struct tree *tree;
        struct status status = tree_parse(text, &small, &tree);
        parsed = is_ok(status);
        if (!parsed) {
            assert_int_equal(status.code, STATUS_RESOURCE_EXHAUSTED);
            assert_null(tree);
        }
        arena_free(&small);
    }
    assert_true(parsed);
}

static size_t nodes_of(const struct tree *tree)
{
    size_t nodes = 1;
    for (const struct tree *child = tree->first; child; child = child->next)
        nodes += nodes_of(child);
    return nodes;
}

ARENA_TEST(no_text_has_more_nodes_than_were_foreseen)
{
    EACH(text, "1", "[]", "{}", "[1,2,3]", "{\"a\":[{},[]],\"b\":{\"c\":null}}", "[[[[]]]]")
        assert_true(tree_most_nodes(str_of(text)) >= nodes_of(parse(text)));
    assert_int_equal(tree_most_nodes(STR("[1,2,3]")), 4);
    assert_int_equal(tree_most_nodes(STR("")), 1);
}

ARENA_TEST(values_compare_by_meaning)
{
    static const char *const same[][2] = {
        {"{\"a\":1,\"b\":2}", "{\"b\":2.0,\"a\":1e0}"},
        {"[1,[2,\"\\u0041\"]]", " [ 1 , [ 2 , \"A\" ] ] "},
        {"{\"a\":1,\"a\":2}", "{\"a\":2,\"a\":1}"},
        {"{\"x\":0,\"a\":1,\"a\":2,\"a\":1}", "{\"a\":1,\"a\":1,\"a\":2,\"x\":0}"},
        {"{\"a\":{\"b\":1,\"c\":[{}]},\"d\":null}", "{\"d\":null,\"a\":{\"c\":[{}],\"b\":1}}"},
        {"1e400", "10e399"},
    };
    static const char *const different[][2] = {
        {"{\"a\":1}", "{\"a\":2}"},
        {"{\"a\":1}", "{\"b\":1}"},
        {"{\"a\":1}", "{\"a\":1,\"b\":1}"},
        {"{\"a\":1,\"a\":1,\"a\":2}", "{\"a\":1,\"a\":2,\"a\":2}"},
        {"[1,2]", "[2,1]"},
        {"[1]", "[1,1]"},
        {"[]", "{}"},
        {"null", "false"},
        {"true", "false"},
        {"1", "\"1\""},
        {"0", "-0"},
        {"9007199254740993", "9007199254740992"},
        {"\"a\"", "\"a\\u0000\""},
    };
    for (size_t i = 0; i < COUNT_OF(same); i++) {
        assert_true(tree_equal(parse(same[i][0]), parse(same[i][1])));
        assert_true(tree_equal(parse(same[i][1]), parse(same[i][0])));
    }
    for (size_t i = 0; i < COUNT_OF(different); i++) {
        assert_false(tree_equal(parse(different[i][0]), parse(different[i][1])));
        assert_false(tree_equal(parse(different[i][1]), parse(different[i][0])));
    }
}

ARENA_TEST(trees_are_built_and_edited)
{
    struct tree *object = tree_new(&arena, TREE_OBJECT);
    struct tree *list = tree_new(&arena, TREE_ARRAY);
    tree_append(list, tree_int(&arena, INT64_MIN));
    tree_append(list, tree_uint(&arena, UINT64_MAX));
    tree_append(list, tree_number(&arena, STR("1.0")));
    tree_append(list, tree_bool(&arena, true));
    tree_add(object, STR("list"), list);
    tree_add(object, STR("name"), tree_string(&arena, STR("a\"b")));
    tree_set(object, STR("list2"), tree_new(&arena, TREE_NULL));
    assert_writes(object,
                  "{\"list\":[-9223372036854775808,18446744073709551615,1.0,true],\"name\":\"a\\\"b\",\"list2\":null}");
    assert_true(str_is(tree_text(object, "name"), "a\"b"));
    assert_int_equal(tree_text(object, "list").size, 0);

    struct tree *before = tree_copy(&arena, object);
    tree_set(object, STR("name"), tree_int(&arena, 1));
    assert_true(tree_remove(object, list));
    assert_false(tree_remove(object, list));
    assert_writes(object, "{\"name\":1,\"list2\":null}");
    assert_true(tree_remove(object, object->last));
    tree_add(object, STR("z"), tree_int(&arena, 2));
    assert_writes(object, "{\"name\":1,\"z\":2}");
    assert_writes(before,
                  "{\"list\":[-9223372036854775808,18446744073709551615,1.0,true],\"name\":\"a\\\"b\",\"list2\":null}");

    tree_insert(list, 0, tree_int(&arena, 0));
    tree_insert(list, 2, tree_int(&arena, 2));
    tree_insert(list, 99, tree_int(&arena, 99));
    assert_true(tree_remove(list, tree_at(list, 1)));
    assert_writes(list, "[0,2,18446744073709551615,1.0,true,99]");
    assert_true(tree_replace(list, list->last, tree_int(&arena, 7)));
    tree_append(list, tree_int(&arena, 8));
    assert_writes(list, "[0,2,18446744073709551615,1.0,true,7,8]");
    assert_int_equal(list->count, 7);
}

ARENA_TEST(integers_are_read_by_exact_value)
{
    int64_t value;
    assert_true(tree_to_int64(parse("1.0"), &value));
    assert_int_equal(value, 1);
    assert_true(tree_to_int64(parse("-9223372036854775808"), &value));
    assert_int_equal(value, INT64_MIN);
    assert_false(tree_to_int64(parse("1.5"), &value));
    assert_false(tree_to_int64(parse("\"1\""), &value));
    assert_false(tree_to_int64(NULL, &value));
}

ARENA_TEST(types_have_names)
{
    assert_string_equal(tree_type_name(TREE_OBJECT), "object");
    assert_string_equal(tree_type_name(TREE_NULL), "null");
    assert_string_equal(tree_type_name(TREE_STRING), "string");
}
