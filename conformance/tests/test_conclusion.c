/* The conclusion of a run: not interoperable, interoperable, conformant, certified. */
#include "report/conclusion.h"

#include "tests/scratch.h"

/* A run in which all that was asked was judged and holds. */
static struct conclusion_basis sound(void)
{
    return (struct conclusion_basis){.judged = 10, .whole = true, .must = {.asked = 3, .met = 3}};
}

TEST(a_run_without_a_broken_must_is_conformant_or_certified)
{
    struct conclusion_basis basis = sound();
    assert_int_equal(conclusion_of(&basis), CONCLUSION_CERTIFIED);
    basis.must.met = 2;
    basis.must.untried = 1;
    assert_int_equal(conclusion_of(&basis), CONCLUSION_CONFORMANT);
    basis.waived = true;
    assert_int_equal(conclusion_of(&basis), CONCLUSION_WAIVED);
}

TEST(the_transport_does_not_change_the_conclusion)
{
    struct conclusion_basis basis = sound();
    basis.broken[LAYER_TRANSPORT] = 26;
    assert_int_equal(conclusion_of(&basis), CONCLUSION_CERTIFIED);
}

TEST(answers_weigh_more_than_refusals)
{
    struct conclusion_basis basis = sound();
    basis.broken[LAYER_REFUSALS] = 1;
    assert_int_equal(conclusion_of(&basis), CONCLUSION_INTEROPERABLE);
    basis.broken[LAYER_ANSWERS] = 1;
    assert_int_equal(conclusion_of(&basis), CONCLUSION_NOT_INTEROPERABLE);
}

/* Only a whole run can show that correct requests are answered correctly. */
TEST(a_part_of_a_run_says_nothing_good_of_the_rest)
{
    struct conclusion_basis basis = sound();
    basis.whole = false;
    assert_int_equal(conclusion_of(&basis), CONCLUSION_PARTIAL);
    basis.broken[LAYER_REFUSALS] = 1;
    assert_int_equal(conclusion_of(&basis), CONCLUSION_NOT_CONFORMANT);
    basis.broken[LAYER_ANSWERS] = 1;
    assert_int_equal(conclusion_of(&basis), CONCLUSION_NOT_INTEROPERABLE);
}

TEST(nothing_judged_is_no_rung)
{
    struct conclusion_basis basis = sound();
    basis.judged = 0;
    assert_int_equal(conclusion_of(&basis), CONCLUSION_NOT_JUDGED);
}
