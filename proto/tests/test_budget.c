#include "base/budget.h"
#include "base/buf.h"
#include "tests/scratch.h"

#include <pthread.h>

static void test_purses_share_a_budget(void **state)
{
    (void)state;
    struct budget budget = {.limit = 10 * PURSE_STEP};
    struct purse one = {.budget = &budget}, other = {.budget = &budget};
    assert_int_equal(purse_left(&one), 10 * PURSE_STEP);
    purse_spend(&one, 1);
    assert_int_equal(purse_left(&one), 10 * PURSE_STEP - 1);
    assert_int_equal(purse_left(&other), 9 * PURSE_STEP); /* the step that the other purse has taken */
    purse_spend(&other, 12 * PURSE_STEP);                 /* may exceed what there is */
    assert_int_equal(purse_left(&one), PURSE_STEP - 1);
    purse_return(&other, 12 * PURSE_STEP);
    purse_return(&one, 1);
    assert_true(purse_left(&one) >= 9 * PURSE_STEP);
    assert_int_equal(one.spent + other.spent, 0);
}

static void test_one_may_hold_as_much_as_is_left_for_all_others(void **state)
{
    (void)state;
    struct budget budget = {.limit = 12 * PURSE_STEP};
    struct purse one = {.budget = &budget}, two = {.budget = &budget};
    assert_false(purse_take(&one, 6 * PURSE_STEP + 1));
    assert_int_equal(one.shortage, SHORTAGE_ALWAYS);
    assert_true(purse_take(&one, 6 * PURSE_STEP));
    assert_false(purse_take(&two, 3 * PURSE_STEP + 1));
    assert_int_equal(two.shortage, SHORTAGE_NOW);
    assert_true(purse_take(&two, 3 * PURSE_STEP));
    assert_false(purse_take(&two, 1));
    assert_int_equal(atomic_load(&budget.taken), 9 * PURSE_STEP);
    purse_return(&one, 6 * PURSE_STEP);
    purse_settle(&one);
    assert_true(purse_take(&two, 3 * PURSE_STEP));
    purse_return(&two, 6 * PURSE_STEP);
    purse_settle(&two);
    assert_int_equal(atomic_load(&budget.taken), 0);
    assert_false(purse_take(&one, SIZE_MAX));
    assert_int_equal(one.shortage, SHORTAGE_ALWAYS);
}

static void test_what_a_purse_owns_is_never_refused(void **state)
{
    (void)state;
    struct budget budget = {.limit = 4 * PURSE_STEP, .taken = 4 * PURSE_STEP};
    struct purse purse = {.budget = &budget, .own = 1000};
    assert_true(purse_take(&purse, 1000));
    assert_false(purse_take(&purse, 1));
    assert_int_equal(purse.shortage, SHORTAGE_NOW);
    purse_return(&purse, 600);
    assert_true(purse_take(&purse, 600));
    assert_int_equal(atomic_load(&budget.taken), 4 * PURSE_STEP);
    atomic_store(&budget.taken, 0);
    assert_true(purse_take(&purse, 1));
    assert_int_equal(atomic_load(&budget.taken), PURSE_STEP);
    purse_return(&purse, 1);
    assert_int_equal(atomic_load(&budget.taken), PURSE_STEP); /* kept for the next */
    purse_settle(&purse);
    assert_int_equal(atomic_load(&budget.taken), 0);
}

static void test_an_arena_pays_for_its_blocks(void **state)
{
    (void)state;
    struct budget budget = {.limit = 4 * PURSE_STEP};
    struct purse purse = {.budget = &budget};
    struct arena paying = arena_new(ARENA_NO_BUDGET);
    paying.purse = &purse;
    assert_non_null(arena_alloc(&paying, 100));
    size_t chunk = purse.spent;
    assert_true(chunk >= 100);
    assert_non_null(arena_alloc(&paying, 100));
    assert_int_equal(purse.spent, chunk);
    assert_non_null(arena_alloc(&paying, PURSE_STEP));
    assert_true(purse.spent >= chunk + PURSE_STEP);
    assert_null(arena_alloc(&paying, PURSE_STEP));
    assert_int_equal(purse.shortage, SHORTAGE_ALWAYS);
    size_t spent = purse.spent;
    assert_non_null(arena_alloc_unpaid(&paying, 8 * PURSE_STEP));
    assert_int_equal(purse.spent, spent);
    arena_reset(&paying, ARENA_NO_BUDGET);
    assert_int_equal(purse.spent, chunk);
    arena_free(&paying);
    assert_int_equal(purse.spent, 0);
    assert_ptr_equal(paying.purse, &purse);
}

static void test_a_buf_pays_for_its_memory(void **state)
{
    (void)state;
    struct budget budget = {.limit = 4 * PURSE_STEP};
    struct purse purse = {.budget = &budget};
    struct buf buf = {.purse = &purse};
    assert_non_null(buf_reserve(&buf, PURSE_STEP));
    assert_int_equal(purse.spent, buf.capacity);
    buf.size = PURSE_STEP;
    assert_null(buf_reserve(&buf, 3 * PURSE_STEP));
    assert_true(buf.failed);
    assert_int_equal(purse.spent, buf.capacity);
    buf_free(&buf);
    assert_int_equal(purse.spent, 0);
    assert_ptr_equal(buf.purse, &purse);
}

#define THREADS 8
#define ROUNDS  20000

static struct budget shared = {.limit = 16 * PURSE_STEP};
static atomic_size_t most;

static void *take_and_return(void *argument)
{
    struct purse purse = {.budget = &shared, .own = 100};
    (void)argument;
    for (size_t i = 0; i < ROUNDS; i++) {
        size_t size = (i % 5 + 1) * PURSE_STEP;
        if (!purse_take(&purse, size))
            continue;
        size_t taken = atomic_load(&shared.taken), seen = atomic_load(&most);
        while (taken > seen && !atomic_compare_exchange_weak(&most, &seen, taken))
            continue;
        purse_return(&purse, size);
        purse_settle(&purse);
    }
    return NULL;
}

static void test_threads_never_take_more_than_there_is(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_return, NULL), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_true(atomic_load(&most) > 0 && atomic_load(&most) <= shared.limit);
    assert_int_equal(atomic_load(&shared.taken), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_purses_share_a_budget),
        cmocka_unit_test(test_one_may_hold_as_much_as_is_left_for_all_others),
        cmocka_unit_test(test_what_a_purse_owns_is_never_refused),
        cmocka_unit_test(test_an_arena_pays_for_its_blocks),
        cmocka_unit_test(test_a_buf_pays_for_its_memory),
        cmocka_unit_test(test_threads_never_take_more_than_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
