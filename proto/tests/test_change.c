/* Changes of trees by pointers. */
#include "tests/scratch.h"
#include "tree/change.h"

#define REQUEST "{\"id\":\"1\",\"inputs\":[{\"name\":\"A\",\"data\":[1,2,3]},{\"name\":\"B\"}]}"

static void assert_changes(const char *before, const char *change, const char *after)
{
    struct tree *root = parse(before);
    struct status status = change_apply(&root, parse(change), &arena);
    if (!is_ok(status))
        fail_msg("%s: %.*s", change, STR_ARG(status.message));
    assert_string_equal(text_of(root), after);
}

static void assert_refused(const char *change, const char *message)
{
    struct tree *root = parse(REQUEST);
    struct status status = change_apply(&root, parse(change), &arena);
    assert_int_equal(status.code, STATUS_INVALID_ARGUMENT);
    assert_string_equal(status.message.data, message);
}

ARENA_TEST(set_replaces_what_is_there)
{
    assert_changes(REQUEST, "{\"set\":{\"/id\":7,\"/inputs/0/data/2\":[],\"/inputs/1\":null}}",
                   "{\"id\":7,\"inputs\":[{\"name\":\"A\",\"data\":[1,2,[]]},null]}");
    assert_changes(REQUEST, "{\"set\":{\"\":[1]}}", "[1]");
    assert_refused("{\"set\":{\"/ID\":7}}", "set '/ID': nothing is there");
    assert_refused("{\"set\":{\"/id\":\"1\"}}", "set '/id': that is already its value, so nothing would change");
    assert_refused("{\"set\":{\"/inputs/0/data/0\":1.0}}",
                   "set '/inputs/0/data/0': that is already its value, so nothing would change");
    assert_refused("{\"set\":\"/id\"}", "set '': it takes an object whose member names are pointers");
}

ARENA_TEST(add_adds_what_is_not_there)
{
    assert_changes("{\"a\":[1,2]}", "{\"add\":{\"/b~1c\":{},\"/a/0\":0,\"/a/-\":9,\"/a/4\":10}}",
                   "{\"a\":[0,1,2,9,10],\"b/c\":{}}");
    assert_refused("{\"add\":{\"/id\":7}}", "add '/id': it is already there");
    assert_refused("{\"add\":{\"/inputs/3\":7}}", "add '/inputs/3': the array has no such place");
    assert_refused("{\"add\":{\"/inputs/x\":7}}", "add '/inputs/x': the array has no such place");
    assert_refused("{\"add\":{\"/id/x\":7}}", "add '/id/x': no object or array is there to add to");
    assert_refused("{\"add\":{\"/none/x\":7}}", "add '/none/x': no object or array is there to add to");
    assert_refused("{\"add\":{\"\":7}}", "add '': the pointer names no place in an object or array");
    assert_refused("{\"add\":{\"/x~2\":7}}", "add '/x~2': the pointer is malformed");
}

ARENA_TEST(remove_takes_one_pointer_or_a_list)
{
    assert_changes(REQUEST, "{\"remove\":\"/inputs/0\"}", "{\"id\":\"1\",\"inputs\":[{\"name\":\"B\"}]}");
    assert_changes(REQUEST, "{\"remove\":[\"/id\",\"/inputs/1\",\"/inputs/0/data/1\"]}",
                   "{\"inputs\":[{\"name\":\"A\",\"data\":[1,3]}]}");
    assert_refused("{\"remove\":\"/nope\"}", "remove '/nope': nothing is there");
    assert_refused("{\"remove\":[\"/id\",\"/id\"]}", "remove '/id': nothing is there");
    assert_refused("{\"remove\":\"\"}", "remove '': the pointer names no place in an object or array");
    assert_refused("{\"remove\":{\"/id\":1}}", "remove '': it takes a pointer or a list of pointers");
    assert_refused("{\"remove\":[7]}", "remove '': it takes a pointer or a list of pointers");
}

ARENA_TEST(copy_sets_or_adds)
{
    assert_changes(REQUEST, "{\"copy\":{\"/id\":\"/inputs/0/name\",\"/inputs/-\":\"/inputs/1\"}}",
                   "{\"id\":\"A\",\"inputs\":[{\"name\":\"A\",\"data\":[1,2,3]},{\"name\":\"B\"},{\"name\":\"B\"}]}");
    assert_changes("{\"a\":[1]}", "{\"copy\":{\"/a/0\":\"/a\"}}", "{\"a\":[[1]]}");
    assert_refused("{\"copy\":{\"/x\":\"/nope\"}}", "copy '/nope': nothing is there to copy");
    assert_refused("{\"copy\":{\"/x\":7}}", "copy '/x': it takes the pointer of what is copied");
    assert_refused("{\"copy\":{\"/x/y\":\"/id\"}}", "copy '/x/y': no object or array is there to add to");
}

ARENA_TEST(rename_keeps_the_place)
{
    assert_changes(REQUEST, "{\"rename\":{\"/inputs\":\"Inputs\"}}",
                   "{\"id\":\"1\",\"Inputs\":[{\"name\":\"A\",\"data\":[1,2,3]},{\"name\":\"B\"}]}");
    assert_refused("{\"rename\":{\"/inputs/0\":\"x\"}}", "rename '/inputs/0': elements of an array have no name");
    assert_refused("{\"rename\":{\"/nope\":\"x\"}}", "rename '/nope': no member is there");
    assert_refused("{\"rename\":{\"\":\"x\"}}", "rename '': no member is there");
    assert_refused("{\"rename\":{\"/id\":\"id\"}}", "rename '/id': that is already its name, so nothing would change");
    assert_refused("{\"rename\":{\"/id\":1}}", "rename '/id': it takes the new name of the member");
}

ARENA_TEST(verbs_apply_in_their_order_and_other_members_are_ignored)
{
    assert_changes(
        "{\"a\":1}",
        "{\"rename\":{\"/c\":\"d\"},\"name\":\"x\",\"copy\":{\"/c\":\"/b\"},\"remove\":\"/a\",\"add\":{\"/b\":3},"
        "\"set\":{\"/a\":2}}",
        "{\"b\":3,\"d\":3}");
    assert_changes("{\"a\":1}", "{\"why\":\"nothing\"}", "{\"a\":1}");
}

ARENA_TEST(values_are_copied_so_that_one_change_serves_twice)
{
    struct tree *change = parse("{\"add\":{\"/list\":[],\"/list/-\":1}}");
    for (int i = 0; i < 2; i++) {
        struct tree *root = parse("{}");
        assert_ok(change_apply(&root, change, &arena));
        assert_true(tree_equal(root, parse("{\"list\":[1]}")));
    }
}
