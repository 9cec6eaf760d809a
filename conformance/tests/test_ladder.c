/* The conclusion of a run: not interoperable, interoperable, conformant, certified. */
#include "report/ladder.h"

#include "tests/scratch.h"

/* A run in which all that was asked was judged and holds. */
static struct footing sound(void)
{
    return (struct footing){.judged = 10, .whole = true, .must = {.asked = 3, .met = 3}};
}

static void test_a_run_without_a_broken_must_is_conformant_or_certified(void **state)
{
    (void)state;
    struct footing footing = sound();
    assert_int_equal(rung_of(&footing), RUNG_CERTIFIED);
    footing.must.met = 2;
    footing.must.untried = 1;
    assert_int_equal(rung_of(&footing), RUNG_CONFORMANT);
    footing.waived = true;
    assert_int_equal(rung_of(&footing), RUNG_WAIVED);
}

static void test_the_transport_is_no_part_of_the_ladder(void **state)
{
    (void)state;
    struct footing footing = sound();
    footing.broken[LAYER_TRANSPORT] = 26;
    assert_int_equal(rung_of(&footing), RUNG_CERTIFIED);
}

static void test_answers_weigh_more_than_refusals(void **state)
{
    (void)state;
    struct footing footing = sound();
    footing.broken[LAYER_REFUSALS] = 1;
    assert_int_equal(rung_of(&footing), RUNG_INTEROPERABLE);
    footing.broken[LAYER_ANSWERS] = 1;
    assert_int_equal(rung_of(&footing), RUNG_NOT_INTEROPERABLE);
}

/* That right requests are answered rightly can be said only of a whole run. */
static void test_a_part_of_a_run_says_nothing_good_of_the_rest(void **state)
{
    (void)state;
    struct footing footing = sound();
    footing.whole = false;
    assert_int_equal(rung_of(&footing), RUNG_PARTIAL);
    footing.broken[LAYER_REFUSALS] = 1;
    assert_int_equal(rung_of(&footing), RUNG_NOT_CONFORMANT);
    footing.broken[LAYER_ANSWERS] = 1;
    assert_int_equal(rung_of(&footing), RUNG_NOT_INTEROPERABLE);
}

static void test_nothing_judged_is_no_rung(void **state)
{
    (void)state;
    struct footing footing = sound();
    footing.judged = 0;
    assert_int_equal(rung_of(&footing), RUNG_NOT_JUDGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_run_without_a_broken_must_is_conformant_or_certified),
        cmocka_unit_test(test_the_transport_is_no_part_of_the_ladder),
        cmocka_unit_test(test_answers_weigh_more_than_refusals),
        cmocka_unit_test(test_a_part_of_a_run_says_nothing_good_of_the_rest),
        cmocka_unit_test(test_nothing_judged_is_no_rung),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
