/* The conclusion of a run: not interoperable, interoperable, conformant, certified. */
#include "report/ladder.h"

#include "tests/scratch.h"

/* A run in which all that was asked was judged and holds. */
static struct footing sound(void)
{
    return (struct footing){.judged = 10, .whole = true, .must = {.asked = 3, .met = 3}};
}

TEST(a_run_without_a_broken_must_is_conformant_or_certified)
{
    struct footing footing = sound();
    assert_int_equal(rung_of(&footing), RUNG_CERTIFIED);
    footing.must.met = 2;
    footing.must.untried = 1;
    assert_int_equal(rung_of(&footing), RUNG_CONFORMANT);
    footing.waived = true;
    assert_int_equal(rung_of(&footing), RUNG_WAIVED);
}

TEST(the_transport_is_no_part_of_the_ladder)
{
    struct footing footing = sound();
    footing.broken[LAYER_TRANSPORT] = 26;
    assert_int_equal(rung_of(&footing), RUNG_CERTIFIED);
}

TEST(answers_weigh_more_than_refusals)
{
    struct footing footing = sound();
    footing.broken[LAYER_REFUSALS] = 1;
    assert_int_equal(rung_of(&footing), RUNG_INTEROPERABLE);
    footing.broken[LAYER_ANSWERS] = 1;
    assert_int_equal(rung_of(&footing), RUNG_NOT_INTEROPERABLE);
}

/* Only a whole run can show that correct requests are answered correctly. */
TEST(a_part_of_a_run_says_nothing_good_of_the_rest)
{
    struct footing footing = sound();
    footing.whole = false;
    assert_int_equal(rung_of(&footing), RUNG_PARTIAL);
    footing.broken[LAYER_REFUSALS] = 1;
    assert_int_equal(rung_of(&footing), RUNG_NOT_CONFORMANT);
    footing.broken[LAYER_ANSWERS] = 1;
    assert_int_equal(rung_of(&footing), RUNG_NOT_INTEROPERABLE);
}

TEST(nothing_judged_is_no_rung)
{
    struct footing footing = sound();
    footing.judged = 0;
    assert_int_equal(rung_of(&footing), RUNG_NOT_JUDGED);
}
