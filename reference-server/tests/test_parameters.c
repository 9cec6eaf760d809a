/* Lists of parameters. */
#include "kit.h"

#define LIST(...)                                                                                                      \
    ((struct parameters){(const struct parameter[]){__VA_ARGS__},                                                      \
                         sizeof((const struct parameter[]){__VA_ARGS__}) / sizeof(struct parameter)})
#define WHOLE(text, value)                                                                                             \
    {                                                                                                                  \
        .name = STR(text), .kind = PARAMETER_INT64, .int64 = (value)                                                   \
    }

const struct unit_group unit_group = {make_arena, drop_arena};

TEST(of_two_with_one_name_the_last_is_found)
{
    struct parameters parameters = LIST(WHOLE("a", 1), WHOLE("b", 2), WHOLE("a", 3));
    assert_int_equal(parameters_find(&parameters, "a")->int64, 3);
    assert_int_equal(parameters_find(&parameters, "b")->int64, 2);
    assert_null(parameters_find(&parameters, "A"));
    assert_null(parameters_find(&(struct parameters){0}, "a"));
}

TEST(defaults_stand_where_there_is_nothing_of_that_name)
{
    struct parameters defaults = LIST(WHOLE("a", 10), WHOLE("b", 20));
    struct parameters own = LIST(WHOLE("c", 3), WHOLE("a", 1));
    assert_true(parameters_complete(&own, &defaults, &arena));
    assert_int_equal(own.count, 3);
    assert_int_equal(parameters_find(&own, "a")->int64, 1);
    assert_int_equal(parameters_find(&own, "b")->int64, 20);
    assert_int_equal(parameters_find(&own, "c")->int64, 3);
    assert_int_equal(parameters_find(&defaults, "a")->int64, 10);
}

TEST(nothing_is_copied_when_one_side_is_empty)
{
    struct arena none = arena_new(0);
    struct parameters defaults = LIST(WHOLE("a", 10)), own = {0}, given = defaults;
    assert_true(parameters_complete(&own, &defaults, &none));
    assert_ptr_equal(own.list, defaults.list);
    assert_int_equal(own.count, 1);
    assert_true(parameters_complete(&given, &(struct parameters){0}, &none));
    assert_ptr_equal(given.list, defaults.list);
    assert_int_equal(given.count, 1);
}

TEST(an_arena_that_gives_out_leaves_them_as_they_were)
{
    struct arena none = arena_new(0);
    struct parameters own = LIST(WHOLE("a", 1));
    assert_false(parameters_complete(&own, &LIST(WHOLE("b", 2)), &none));
    assert_int_equal(own.count, 1);
}
