/* Variables in cases, and the values that they take. */
#include "notation/axes.h"
#include "tests/scratch.h"

/* Resolves a tree, given as text, with the values of one choice; NULL if that fails. */
static bool lenient;

static const struct tree *resolve(const char *clause, size_t choice, const char *text)
{
    struct axes axes;
    struct variable values[8];
    struct tree *resolved;
    assert_ok(axes_read(parse(clause), parse("{'table': {'a': {'n': 1, 't': 'x'}}}"), &arena, &axes));
    axes_choose(&axes, choice, values);
    struct variables variables = {values, axes.count, parse("{'server': {'name': 'found'}}"), lenient};
    return is_ok(variables_resolve(parse(text), &variables, &arena, &resolved)) ? resolved : NULL;
}

static void expect(const char *clause, size_t choice, const char *text, const char *expected)
{
    assert_tree(resolve(clause, choice, text), expected);
}

TEST(a_variable_alone_keeps_its_type)
{
    expect("{\"x\": {\"one\": 1, \"list\": [1, 2]}}", 0, "[\"${x}\"]", "[1]");
    expect("{\"x\": {\"one\": 1, \"list\": [1, 2]}}", 1, "[\"${x}\"]", "[[1, 2]]");
}

TEST(inside_a_text_a_variable_is_its_label)
{
    expect("{\"x\": {\"one\": 1, \"list\": [1, 2]}}", 1, "\"a ${x} b ${x}\"", "\"a list b list\"");
}

TEST(a_pointer_reads_into_the_value)
{
    expect("{\"x\": \"@table\"}", 0, "{\"n\": \"${x:/n}\", \"t\": \"is ${x:/t}\", \"l\": \"${x}-\"}",
           "{\"n\": 1, \"t\": \"is x\", \"l\": \"a-\"}");
    expect("{}", 0, "\"${found:/server/name}\"", "\"found\"");
}

TEST(what_discovery_lacks_is_null_where_that_may_be)
{
    lenient = true;
    expect("{}", 0, "[\"${found:/server/none}\", \"a ${found:/none}\"]", "[null, \"a \"]");
    assert_null(resolve("{\"x\": {\"a\": {}}}", 0, "\"${x:/none}\""));
    lenient = false;
    assert_null(resolve("{}", 0, "\"${found:/server/none}\""));
}

TEST(names_of_members_are_resolved)
{
    expect("{\"x\": [\"b\", \"c\"]}", 1, "{\"/a/${x}\": 1}", "{\"/a/c\": 1}");
}

TEST(unknown_variables_are_faults)
{
    assert_null(resolve("{}", 0, "\"${y}\""));
    assert_null(resolve("{}", 0, "\"a ${y}\""));
    assert_null(resolve("{\"x\": {\"a\": {}}}", 0, "\"${x:/none}\""));
    assert_null(resolve("{\"x\": {\"a\": {\"o\": {}}}}", 0, "\"text ${x:/o}\""));
}

TEST(what_is_no_reference_stays)
{
    expect("{}", 0, "[\"$x\", \"${open\", \"$\", \"\"]", "[\"$x\", \"${open\", \"$\", \"\"]");
}

TEST(a_series_becomes_its_elements)
{
    expect("{\"x\": [7]}", 0, "[\"a\", {\"$series\": [3, {\"id\": \"${n}\", \"v\": [\"${n}\", \"${x}\"]}]}, \"b\"]",
           "[\"a\", {\"id\": 0, \"v\": [0, 7]}, {\"id\": 1, \"v\": [1, 7]}, {\"id\": 2, \"v\": [2, 7]}, \"b\"]");
    expect("{}", 0, "[{\"$series\": [2, \"r-${n}\"]}]", "[\"r-0\", \"r-1\"]");
    EACH(text, "[{\"$series\": [0, 1]}]", "[{\"$series\": [10001, 1]}]", "[{\"$series\": [2]}]", "[{\"$series\": 2}]",
         "[{\"$series\": [2, \"${m}\"]}]")
        assert_null(resolve("{}", 0, text));
}

TEST(every_combination_is_chosen_once_in_the_order_of_names)
{
    struct axes axes;
    struct variable values[2];
    assert_ok(axes_read(parse("{'b': {'$count': [3, 5]}, 'a': ['x', 'y']}"), NULL, &arena, &axes));
    assert_int_equal(axes.choices, 4);
    struct buf seen = {0};
    for (size_t i = 0; i < axes.choices; i++) {
        axes_choose(&axes, i, values);
        buf_printf(&seen, "%.*s%.*s ", STR_ARG(values[0].label), STR_ARG(values[1].label));
    }
    assert_text(arena_take(&arena, &seen), "x3 x4 y3 y4 ");
}

TEST(clauses_that_cannot_be_expanded_are_refused)
{
    EACH(text, "{\"x\": \"table\"}", "{\"x\": \"@none\"}", "{\"x\": {}}", "{\"x\": 5}", "{\"x\": {\"$count\": [5, 5]}}",
         "{\"x\": {\"$count\": [0, 100000000000]}}",
         "{\"x\": {\"$count\": [-9223372036854775808, 9223372036854775807]}}", "{\"x\": {\"$count\": 7}}",
         "{\"x\": {\"a label\": 1}}", "{\"x\": {\"a@b\": 1}}", "{\"x\": [{}]}",
         "{\"x\": {\"$count\": [0, 5000]}, \"y\": {\"$count\": [0, 5000]}}", "[1]") {
        struct axes axes;
        assert_true(axes_read(parse(text), parse("{}"), &arena, &axes).message.size > 0);
    }
}
