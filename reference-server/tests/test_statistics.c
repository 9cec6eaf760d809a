/* Statistics that many threads count. */
#include "base/count.h"
#include "models/statistics.h"
#include "tests/scratch.h"

#include <pthread.h>

#define THREADS    8
#define REQUESTS   20000
#define STATISTICS 100 /* more than a thread remembers its places in */

static struct statistics all[STATISTICS];

static int open_all(void **state)
{
    make_arena(state);
    for (size_t i = 0; i < STATISTICS; i++)
        assert_true(statistics_open(&all[i]));
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < STATISTICS; i++)
        statistics_close(&all[i]);
    arena_free(&arena);
    return 0;
}

static void *count(void *unused)
{
    static const uint64_t ns[PARTS] = {1, 2, 3, 4};
    (void)unused;
    for (size_t i = 0; i < REQUESTS; i++) {
        statistics_succeed(&all[i % STATISTICS], 5, ns);
        statistics_fail(&all[i % STATISTICS], 5, 6);
    }
    return NULL;
}

static void count_in_threads(void)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count, NULL), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void assert_requests(size_t requests)
{
    for (size_t i = 0; i < STATISTICS; i++) {
        struct statistics_sum sum = statistics_sum(&all[i]);
        assert_int_equal(sum.succeeded, requests);
        assert_int_equal(sum.inferences, 5 * requests);
        for (size_t part = 0; part < PARTS; part++)
            assert_int_equal(sum.ns[part], (part + 1) * requests);
        assert_int_equal(sum.failed, requests);
        assert_int_equal(sum.failed_ns, 6 * requests);
        assert_int_equal(sum.last_ms > 0, requests > 0);
    }
}

#define OPEN_TEST(name) TEST_WITH(name, open_all, close_all)

OPEN_TEST(the_sum_is_what_all_threads_counted)
{
    assert_requests(0);
    count_in_threads();
    assert_requests(THREADS * REQUESTS / STATISTICS);
}

OPEN_TEST(threads_that_come_later_add_to_it)
{
    count_in_threads();
    count_in_threads();
    count(NULL);
    assert_requests((2 * THREADS + 1) * REQUESTS / STATISTICS);
}

/* The statistics of a model that is loaded again may lie where the old ones lay. */
OPEN_TEST(what_is_opened_anew_has_counted_nothing)
{
    count(NULL);
    close_all(NULL);
    open_all(NULL);
    assert_requests(0);
    count(NULL);
    assert_requests(REQUESTS / STATISTICS);
}

OPEN_TEST(sizes_of_batches_are_counted_apart)
{
    static const uint64_t batches[] = {3, 1, 0, 3, 7}, ns[PARTS] = {1, 2, 3, 4};
    struct statistics *statistics = &all[0];
    struct statistics_batch *list;
    size_t count;
    for (size_t i = 0; i < COUNT_OF(batches); i++) {
        if (batches[i] != 0)
            statistics_succeed(statistics, batches[i], ns);
        if (batches[i] != 1)
            statistics_fail(statistics, batches[i], 100);
    }
    assert_true(statistics_by_batch(statistics, &arena, &list, &count));
    assert_int_equal(count, 4);
    static const uint64_t expected[][5] = {/* batch, succeeded, inferences, failed, ns of inference */
                                           {0, 0, 0, 1, 0},
                                           {1, 1, 1, 0, 3},
                                           {3, 2, 6, 2, 6},
                                           {7, 1, 7, 1, 3}};
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(list[i].batch, expected[i][0]);
        assert_int_equal(list[i].sum.succeeded, expected[i][1]);
        assert_int_equal(list[i].sum.inferences, expected[i][2]);
        assert_int_equal(list[i].sum.failed, expected[i][3]);
        assert_int_equal(list[i].sum.failed_ns, 100 * expected[i][3]);
        assert_int_equal(list[i].sum.ns[PART_INFER], expected[i][4]);
    }
    struct statistics_sum whole = statistics_sum(statistics);
    assert_int_equal(whole.succeeded, 4);
    assert_int_equal(whole.inferences, 14);
    assert_int_equal(whole.failed, 4);
    assert_true(whole.last_ms > 0);
}

OPEN_TEST(requests_that_share_an_execution_are_one)
{
    static const uint64_t ns[PARTS] = {1, 2, 3, 4}, execution_ns[PARTS] = {0, 20, 30, 40};
    struct statistics *statistics = &all[0];
    struct statistics_batch *list;
    size_t count;
    statistics_succeed(statistics, 2, ns);
    statistics_succeed_joined(statistics, 2, ns);
    statistics_succeed_joined(statistics, 3, ns);
    statistics_execute(statistics, 5, execution_ns);
    statistics_fail(statistics, 1, 100);
    struct statistics_sum whole = statistics_sum(statistics);
    assert_int_equal(whole.succeeded, 3);
    assert_int_equal(whole.inferences, 7);
    assert_int_equal(whole.executions, 2);
    assert_int_equal(whole.ns[PART_QUEUE], 3);
    assert_int_equal(whole.ns[PART_INFER], 9);
    assert_int_equal(whole.execution_ns[PART_INFER], 3 + 30);
    assert_true(whole.last_ms > 0);
    assert_true(statistics_by_batch(statistics, &arena, &list, &count));
    static const uint64_t expected[][5] = {/* batch, succeeded, failed, executions, ns of their inputs */
                                           {1, 0, 1, 0, 0},
                                           {2, 2, 0, 1, 2},
                                           {3, 1, 0, 0, 0},
                                           {5, 0, 0, 1, 20}};
    assert_int_equal(count, COUNT_OF(expected));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(list[i].batch, expected[i][0]);
        assert_int_equal(list[i].sum.succeeded, expected[i][1]);
        assert_int_equal(list[i].sum.failed, expected[i][2]);
        assert_int_equal(list[i].sum.executions, expected[i][3]);
        assert_int_equal(list[i].sum.execution_ns[PART_INPUT], expected[i][4]);
    }
}

OPEN_TEST(a_sum_that_is_read_meanwhile_never_falls)
{
    pthread_t thread;
    uint64_t before = 0, now;
    assert_int_equal(pthread_create(&thread, NULL, count, NULL), 0);
    do {
        now = statistics_sum(&all[STATISTICS - 1]).failed;
        assert_true(now >= before);
        before = now;
    } while (now < REQUESTS / STATISTICS);
    pthread_join(thread, NULL);
    assert_requests(REQUESTS / STATISTICS);
}
