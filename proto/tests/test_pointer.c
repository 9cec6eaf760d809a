/* JSON pointers (RFC 6901). */
#include "tests/scratch.h"
#include "tree/pointer.h"

/* The document of RFC 6901, section 5. */
static const char example[] = "{'foo':['bar','baz'],'':0,'a/b':1,'c%d':2,'e^f':3,'g|h':4,'i\\\\j':5,'k\\'l':6,"
                              "' ':7,'m~n':8,'01':9,'z\\u0000':10}";

ARENA_TEST(the_examples_of_rfc_6901_hold)
{
    static const struct {
        struct str pointer;
        const char *value;
    } cases[] = {
        {STR("/foo"), "[\"bar\",\"baz\"]"},
        {STR("/foo/0"), "\"bar\""},
        {STR("/foo/1"), "\"baz\""},
        {STR("/"), "0"},
        {STR("/a~1b"), "1"},
        {STR("/c%d"), "2"},
        {STR("/e^f"), "3"},
        {STR("/g|h"), "4"},
        {STR("/i\\j"), "5"},
        {STR("/k\"l"), "6"},
        {STR("/ "), "7"},
        {STR("/m~0n"), "8"},
        {STR("/01"), "9"},
        {STR("/z\0"), "10"},
    };
    struct tree *tree = parse(example);
    assert_ptr_equal(pointer_find(tree, STR("")), tree);
    EACH_ROW(row, cases, row->value) {
        const struct tree *found = pointer_find(tree, row->pointer);
        if (!found || !str_is(found->span, row->value))
            fail_msg("%s is not at %s", row->value, row->pointer.data);
    }
}

ARENA_TEST(pointers_to_nothing_find_nothing)
{
    struct tree *tree = parse(example);
    EACH(text, "foo", "/fo", "/fooo", "/foo/2", "/foo/00", "/foo/01", "/foo/-", "/foo/-1", "/foo/+1", "/foo/",
         "/foo/0/0", "/foo/99999999999999999999", "/a/b", "/m~n", "/m~2n", "/m~", "//", "/a~01b", "/z")
        assert_false(pointer_find(tree, str_of(text)));
    assert_null(pointer_find(NULL, STR("/foo")));
}
