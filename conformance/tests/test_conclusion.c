/* The conclusion of a run: not interoperable, interoperable, conformant, certified. */
#include "report/conclusion.h"

#include "tests/scratch.h"

/* The transport is no part of it. Only a whole run can show that correct requests are answered correctly. */
TEST(the_gravest_that_is_broken_decides)
{
    static const struct {
        const char *run;
        struct conclusion_basis basis;
        enum conclusion conclusion;
    } rows[] = {
        {"all holds", {.whole = true, .must.met = 3}, CONCLUSION_CERTIFIED},
        {"a MUST was not tried", {.whole = true, .must = {.met = 2, .untried = 1}}, CONCLUSION_CONFORMANT},
        {"something is waived", {.whole = true, .waived = true, .must.met = 3}, CONCLUSION_WAIVED},
        {"of the transport", {.broken[LAYER_TRANSPORT] = 26, .whole = true, .must.met = 3}, CONCLUSION_CERTIFIED},
        {"refusals", {.broken[LAYER_REFUSALS] = 1, .whole = true, .must.met = 3}, CONCLUSION_INTEROPERABLE},
        {"answers", {.broken = {1, 1, 0}, .whole = true, .must.met = 3}, CONCLUSION_NOT_INTEROPERABLE},
        {"a part", {.must.met = 3}, CONCLUSION_PARTIAL},
        {"refusals in a part", {.broken[LAYER_REFUSALS] = 1, .must.met = 3}, CONCLUSION_NOT_CONFORMANT},
        {"answers in a part", {.broken = {1, 1, 0}, .must.met = 3}, CONCLUSION_NOT_INTEROPERABLE},
    };
    EACH_ROW(row, rows, row->run) {
        struct conclusion_basis basis = row->basis;
        basis.judged = 10;
        basis.must.asked = 3;
        assert_int_equal(conclusion_of(&basis), row->conclusion);
        basis.judged = 0;
        assert_int_equal(conclusion_of(&basis), CONCLUSION_NOT_JUDGED);
    }
}
