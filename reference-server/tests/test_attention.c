/* Who attends to what any thread may change. */
#include "grpc/attention.h"
#include "tests/unit.h"

static int end_turn(struct loop *)
{
    return LOOP_ENDS;
}

static struct loop loop;
static struct attention attention;

/* Returns how many posts wait for the loop, and takes them from it. */
static size_t posts(void)
{
    size_t count = 0;
    for (struct post *post = loop.posts; post; post = post->next)
        count++;
    loop.posts = NULL;
    loop.last_post = &loop.posts;
    return count;
}

static int begin(void **)
{
    struct arena arena = arena_new(ARENA_NO_BUDGET);
    loop = (struct loop){0};
    attention = (struct attention){.loop = &loop};
    bool is_open = is_ok(loop_open(&loop, end_turn, &arena));
    arena_free(&arena);
    return is_open ? 0 : -1;
}

static int end(void **)
{
    loop_close(&loop);
    return 0;
}

TEST_WITH(many_changes_are_posted_once, begin, end)
{
    attention_ask(&attention);
    attention_ask(&attention);
    assert_int_equal(posts(), 1);
    attention_taken(&attention);
    attention_ask(&attention);
    assert_int_equal(posts(), 1);
}

TEST_WITH(a_change_while_the_loop_attends_has_it_attend_again_without_a_post, begin, end)
{
    attention_enter(&attention);
    attention_ask(&attention);
    attention_ask(&attention);
    assert_false(attention_leave(&attention));
    assert_true(attention_leave(&attention));
    assert_int_equal(posts(), 0);
}

TEST_WITH(a_post_on_its_way_stays_while_the_loop_attends_for_another_reason, begin, end)
{
    attention_ask(&attention);
    attention_enter(&attention);
    attention_ask(&attention);
    assert_true(attention_leave(&attention));
    assert_int_equal(attention.state, ATTENTION_POSTED);
    assert_int_equal(posts(), 1);
}

TEST_WITH(nothing_is_posted_behind_the_end_which_waits_for_the_post, begin, end)
{
    attention_ask(&attention);
    assert_false(attention_end(&attention));
    assert_int_equal(posts(), 1);
    attention_taken(&attention);
    assert_true(attention_end(&attention));
    attention_ask(&attention);
    attention_ask(&attention);
    assert_int_equal(posts(), 0);
}
