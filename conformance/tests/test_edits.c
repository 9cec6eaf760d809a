#include "judge/edits.h"
#include "tests/scratch.h"

static void assert_edited(const char *act, struct edit edit, const char *expected)
{
    const struct tree *before = parse(act);
    struct tree *after = edit_apply(before, &edit, &arena);
    assert_tree(after, expected);
    assert_tree(before, act);
}

/* Whether there is an edit of that kind at the place. */
static bool has(struct list edits, enum edit_kind kind, const char *at)
{
    for (size_t i = 0; i < edits.count; i++) {
        const struct edit *edit = edits.items[i];
        if (edit->kind == kind && str_is(edit->at, at))
            return true;
    }
    return false;
}

#define TENSORS "{'inputs':[{'name':'A','datatype':'INT32','shape':[3,2],'data':[1,2,3,4,5,6]}]}"

TEST(rows_leave_shape_and_data_together)
{
    const struct edit edit = {.kind = EDIT_ROWS, .at = STR("/inputs"), .count = 2};
    assert_edited(TENSORS, edit, "{'inputs':[{'name':'A','datatype':'INT32','shape':[1,2],'data':[1,2]}]}");
    assert_edited("{'inputs':[{'shape':[3,1],'data':[[1],[2],[3]]},{'shape':[2],'data':[7,8]}]}", edit,
                  "{'inputs':[{'shape':[1,1],'data':[[1]]},{'shape':[2],'data':[7,8]}]}");
    assert_edited("{'inputs':[{'shape':[2],'data':[7,8]}]}", edit, "{'inputs':[{'shape':[2],'data':[7,8]}]}");
}

TEST(what_is_missing_is_no_error)
{
    assert_edited("{'a':1}", (struct edit){.kind = EDIT_DROP, .at = STR("/b"), .count = 1}, "{'a':1}");
    assert_edited("{'a':1}", (struct edit){.kind = EDIT_DROP, .at = STR("/a"), .count = 1}, "{'a':1}");
    assert_edited("{'a':[1]}", (struct edit){.kind = EDIT_DROP, .at = STR("/a"), .from = 5, .count = 1}, "{'a':[1]}");
}

TEST(texts_and_numbers_come_nearer_to_nothing)
{
    assert_edited("{'a':'xyz'}", (struct edit){.kind = EDIT_CUT, .at = STR("/a"), .count = 2}, "{'a':'x'}");
    assert_edited("{'a':'x\xc3\xa9'}", (struct edit){.kind = EDIT_CUT, .at = STR("/a"), .count = 1}, "{'a':'x'}");
    assert_edited("{'a':-7}", (struct edit){.kind = EDIT_CUT, .at = STR("/a"), .count = 3}, "{'a':-4}");
    assert_edited("{'a':[1.5,true,'x']}", (struct edit){.kind = EDIT_ZERO, .at = STR("/a"), .from = 1, .count = 2},
                  "{'a':[1.5,false,'']}");
}

TEST(what_is_expected_is_left_as_it_is)
{
    const struct tree *act = parse("{'infer':'m','id':'seven','parameters':{'a/b':'eight'},'inputs':[]}");
    const struct edit_rules rules = {.expected = parse("{'json':{'id':'seven'}}"), .keeps_values = true};
    struct list edits = edits_of(act, &rules, &arena);
    assert_false(has(edits, EDIT_CUT, "/id"));
    assert_true(has(edits, EDIT_CUT, "/parameters/a~1b"));
    for (size_t i = 0; i < edits.count; i++) {
        struct tree *edited = edit_apply(act, edits.items[i], &arena);
        assert_text(tree_text(edited, "infer"), "m");
        assert_text(tree_text(edited, "id"), "seven");
        assert_non_null(tree_member(edited, "inputs"));
    }
}

TEST(the_heaviest_edits_come_first)
{
    const struct edit_rules rules = {0};
    struct list edits = edits_of(parse(TENSORS), &rules, &arena);
    assert_true(edits.count > 10);
    for (size_t i = 1; i < edits.count; i++)
        assert_true(((const struct edit *)edits.items[i - 1])->weight >= ((const struct edit *)edits.items[i])->weight);
    assert_false(has(edits, EDIT_DROP, "/inputs/0") || has(edits, EDIT_DROP, "/inputs"));
    assert_true(has(edits, EDIT_ROWS, "/inputs") && has(edits, EDIT_ZERO, "/inputs/0/data"));
}
