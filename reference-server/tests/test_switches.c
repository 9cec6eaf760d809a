/* Tests inference/switches.c: duties are stored as whole keys, and code names them by their slug. */
#include "inference/switches.h"
#include "tests/scratch.h"

static const struct switches *off(const char *profile, const char *key)
{
    static const char *keys[2];
    static struct switches switches;
    keys[0] = "v2-rest.bom";
    keys[1] = key;
    switches = (struct switches){profile, keys, 2};
    return &switches;
}

static void test_without_switches_every_duty_stands(void **state)
{
    (void)state;
    assert_false(duty_is_off(NULL, "data-count"));
}

static void test_a_slug_is_one_of_the_requests_profile(void **state)
{
    (void)state;
    assert_true(duty_is_off(off("v2-rest", "v2-rest.data-count"), "data-count"));
    assert_false(duty_is_off(off("v2-rest", "v2-rest.data-count"), "data"));
    assert_false(duty_is_off(off("v2-rest", "v2-rest.data-count"), "data-counts"));
    assert_false(duty_is_off(off("v2", "v2-rest.data-count"), "data-count"));
    assert_false(duty_is_off(off("v2", "v2-rest.data-count"), "rest.data-count"));
}

static void test_a_duty_of_another_profile_leaves_this_one_alone(void **state)
{
    (void)state;
    assert_false(duty_is_off(off("v2-rest", "x.data-count"), "data-count"));
    assert_true(duty_is_off(off("x", "x.data-count"), "data-count"));
    assert_false(duty_is_off(off("x", "x.data-count"), "bom"));
}

static void test_a_name_with_a_dot_is_a_whole_key(void **state)
{
    (void)state;
    assert_true(duty_is_off(off("v2-rest", "x.data-count"), "x.data-count"));
    assert_false(duty_is_off(off("v2-rest", "x.data-count"), "v2-rest.data-count"));
}

static void test_the_whole_key_is_named_outward(void **state)
{
    (void)state;
    assert_true(str_is(whole_key("v2-rest", "data-count", &arena), "v2-rest.data-count"));
    assert_true(str_is(whole_key("v2-rest", "http.host", &arena), "http.host"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_switches_every_duty_stands),
        cmocka_unit_test(test_a_slug_is_one_of_the_requests_profile),
        cmocka_unit_test(test_a_duty_of_another_profile_leaves_this_one_alone),
        cmocka_unit_test(test_a_name_with_a_dot_is_a_whole_key),
        cmocka_unit_test(test_the_whole_key_is_named_outward),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
