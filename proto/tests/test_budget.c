/* Budgets of memory, and the leases that requests take of them. */
#include "base/budget.h"
#include "base/buf.h"
#include "tests/scratch.h"

#include <pthread.h>

TEST(leases_share_a_budget)
{
    struct budget budget = {.limit = 10 * LEASE_STEP};
    struct lease one = {.budget = &budget}, other = {.budget = &budget};
    assert_int_equal(lease_left(&one), 10 * LEASE_STEP);
    lease_spend(&one, 1);
    assert_int_equal(lease_left(&one), 10 * LEASE_STEP - 1);
    assert_int_equal(lease_left(&other), 9 * LEASE_STEP); /* the step that the other lease has taken */
    lease_spend(&other, 12 * LEASE_STEP);                 /* may exceed what there is */
    assert_int_equal(lease_left(&one), LEASE_STEP - 1);
    lease_return(&other, 12 * LEASE_STEP);
    lease_return(&one, 1);
    assert_true(lease_left(&one) >= 9 * LEASE_STEP);
    assert_int_equal(one.spent + other.spent, 0);
}

TEST(one_may_hold_as_much_as_is_left_for_all_others)
{
    struct budget budget = {.limit = 12 * LEASE_STEP};
    struct lease one = {.budget = &budget}, two = {.budget = &budget};
    assert_false(lease_take(&one, 6 * LEASE_STEP + 1));
    assert_int_equal(one.shortage, SHORTAGE_ALWAYS);
    assert_true(lease_take(&one, 6 * LEASE_STEP));
    assert_false(lease_take(&two, 3 * LEASE_STEP + 1));
    assert_int_equal(two.shortage, SHORTAGE_NOW);
    assert_true(lease_take(&two, 3 * LEASE_STEP));
    assert_false(lease_take(&two, 1));
    assert_int_equal(atomic_load(&budget.taken), 9 * LEASE_STEP);
    lease_return(&one, 6 * LEASE_STEP);
    lease_settle(&one);
    assert_true(lease_take(&two, 3 * LEASE_STEP));
    lease_return(&two, 6 * LEASE_STEP);
    lease_settle(&two);
    assert_int_equal(atomic_load(&budget.taken), 0);
    assert_false(lease_take(&one, SIZE_MAX));
    assert_int_equal(one.shortage, SHORTAGE_ALWAYS);
}

TEST(what_is_left_behind_stays_taken_until_it_is_returned)
{
    struct budget budget = {.limit = 10 * LEASE_STEP};
    struct lease lease = {.budget = &budget};
    lease_spend(&lease, 3 * LEASE_STEP + 1);
    lease_leave(&lease, 3 * LEASE_STEP);
    lease_return(&lease, 1);
    lease_settle(&lease);
    assert_int_equal(lease_left(&lease), 7 * LEASE_STEP);
    budget_return(&budget, 3 * LEASE_STEP);
    assert_int_equal(lease_left(&lease), 10 * LEASE_STEP);
}

TEST(what_a_lease_owns_is_never_refused)
{
    struct budget budget = {.limit = 4 * LEASE_STEP, .taken = 4 * LEASE_STEP};
    struct lease lease = {.budget = &budget, .own = 1000};
    assert_true(lease_take(&lease, 1000));
    assert_false(lease_take(&lease, 1));
    assert_int_equal(lease.shortage, SHORTAGE_NOW);
    lease_return(&lease, 600);
    assert_true(lease_take(&lease, 600));
    assert_int_equal(atomic_load(&budget.taken), 4 * LEASE_STEP);
    atomic_store(&budget.taken, 0);
    assert_true(lease_take(&lease, 1));
    assert_int_equal(atomic_load(&budget.taken), LEASE_STEP);
    lease_return(&lease, 1);
    assert_int_equal(atomic_load(&budget.taken), LEASE_STEP); /* kept for the next */
    lease_settle(&lease);
    assert_int_equal(atomic_load(&budget.taken), 0);
}

TEST(an_arena_pays_for_its_blocks)
{
    struct budget budget = {.limit = 4 * LEASE_STEP};
    struct lease lease = {.budget = &budget};
    struct arena paying = arena_new(ARENA_NO_BUDGET);
    paying.lease = &lease;
    assert_non_null(arena_alloc(&paying, 100));
    size_t chunk = lease.spent;
    assert_true(chunk >= 100);
    assert_non_null(arena_alloc(&paying, 100));
    assert_int_equal(lease.spent, chunk);
    assert_non_null(arena_alloc(&paying, LEASE_STEP));
    assert_true(lease.spent >= chunk + LEASE_STEP);
    assert_null(arena_alloc(&paying, LEASE_STEP));
    assert_int_equal(lease.shortage, SHORTAGE_ALWAYS);
    size_t spent = lease.spent;
    assert_non_null(arena_alloc_unpaid(&paying, 8 * LEASE_STEP));
    assert_int_equal(lease.spent, spent);
    arena_reset(&paying, ARENA_NO_BUDGET);
    assert_int_equal(lease.spent, chunk);
    arena_free(&paying);
    assert_int_equal(lease.spent, 0);
    assert_ptr_equal(paying.lease, &lease);
}

TEST(a_buf_pays_for_its_memory)
{
    struct budget budget = {.limit = 4 * LEASE_STEP};
    struct lease lease = {.budget = &budget};
    struct buf buf = {.lease = &lease};
    assert_non_null(buf_reserve(&buf, LEASE_STEP));
    assert_int_equal(lease.spent, buf.capacity);
    buf.size = LEASE_STEP;
    assert_null(buf_reserve(&buf, 3 * LEASE_STEP));
    assert_true(buf.failed);
    assert_int_equal(lease.spent, buf.capacity);
    buf_free(&buf);
    assert_int_equal(lease.spent, 0);
    assert_ptr_equal(buf.lease, &lease);
}

#define THREADS 8
#define ROUNDS  20000

static struct budget shared = {.limit = 16 * LEASE_STEP};
static atomic_size_t most;

static void *take_and_return(void *)
{
    struct lease lease = {.budget = &shared, .own = 100};
    for (size_t i = 0; i < ROUNDS; i++) {
        size_t size = (i % 5 + 1) * LEASE_STEP;
        if (!lease_take(&lease, size))
            continue;
        size_t taken = atomic_load(&shared.taken), seen = atomic_load(&most);
        while (taken > seen && !atomic_compare_exchange_weak(&most, &seen, taken))
            continue;
        lease_return(&lease, size);
        lease_settle(&lease);
    }
    return NULL;
}

TEST(threads_never_take_more_than_there_is)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_return, NULL), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_true(atomic_load(&most) > 0 && atomic_load(&most) <= shared.limit);
    assert_int_equal(atomic_load(&shared.taken), 0);
}
