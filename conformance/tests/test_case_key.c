/* Keys of cases, under which the mutation run counts the plays of a case. */
#include "mutation/case_key.h"
#include "tests/scratch.h"

/* Makes a plan of one play whose assertions have those IDs. */
static struct plan plan_of(const char *const *ids, size_t count)
{
    struct play *play = arena_new_of(&arena, struct play);
    play->assertions = arena_alloc_zero(&arena, count, sizeof(*play->assertions));
    play->assertion_count = count;
    for (size_t i = 0; i < count; i++)
        play->assertions[i].id = str_of(ids[i]);
    return (struct plan){.plays = play, .play_count = 1, .assertion_count = count};
}

TEST(labels_of_one_case_share_a_key_in_the_order_of_the_plan)
{
    static const char *const ids[] = {"z@INT32@rest-flat#p.k", "b@grpc-raw#p.k",        "z@INT8@rest-flat#p.k",
                                      "z@INT8@grpc-raw#p.k",   "z@INT8@rest-flat#p.k2", "a/n@x@y@rest-flat#p.k@"};
    static const char *const expected[] = {"z@rest-flat#p.k", "b@grpc-raw#p.k", "z@grpc-raw#p.k", "z@rest-flat#p.k2",
                                           "a/n@rest-flat#p.k@"};
    static const size_t of[] = {0, 1, 0, 2, 3, 4};
    struct plan plan = plan_of(ids, 6);
    struct case_keys keys = case_keys_make(&plan, &arena);
    assert_int_equal(keys.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_text(keys.list[i].id, expected[i]);
    for (size_t i = 0; i < 6; i++)
        assert_ptr_equal(keys.of[i], &keys.list[of[i]]);
}

TEST(a_plan_without_assertions_has_no_keys)
{
    struct plan plan = plan_of(NULL, 0);
    assert_int_equal(case_keys_make(&plan, &arena).count, 0);
}
