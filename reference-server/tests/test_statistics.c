/* Statistics that many threads count. */
#include "base/search.h"
#include "models/statistics.h"
#include "tests/scratch.h"

#include <pthread.h>

#define THREADS    8
#define REQUESTS   20000
#define STATISTICS 100

static struct statistics all[STATISTICS];

static int close_all(void **)
{
    for (size_t i = 0; i < STATISTICS; i++)
        statistics_close(&all[i]);
    arena_free(&arena);
    return 0;
}

static void *count(void *)
{
    static const uint64_t ns[PARTS] = {1, 2, 3, 4};
    for (size_t i = 0; i < REQUESTS; i++) {
        statistics_succeed(&all[i % STATISTICS], 5, false, ns);
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

#define COUNT_TEST(name) TEST_WITH(name, make_arena, close_all)

COUNT_TEST(the_sum_is_what_all_threads_counted)
{
    assert_requests(0);
    count_in_threads();
    count_in_threads();
    count(NULL);
    assert_requests((2 * THREADS + 1) * REQUESTS / STATISTICS);
}

/* The statistics of a model that is loaded again may lie where the old ones lay. */
COUNT_TEST(what_was_closed_has_counted_nothing)
{
    count(NULL);
    close_all(NULL);
    make_arena(NULL);
    assert_requests(0);
    count(NULL);
    assert_requests(REQUESTS / STATISTICS);
}

/* The sums of one size of batch; each failure took 100 ns. */
struct batch {
    uint64_t batch, succeeded, inferences, infer_ns, failed, executions, execution_input_ns;
};

static void assert_batches(const struct batch *batches, size_t count)
{
    struct statistics_batch *list;
    struct statistics_sum whole = statistics_sum(&all[0]);
    size_t listed;
    assert_true(statistics_by_batch(&all[0], &arena, &list, &listed));
    assert_int_equal(listed, count);
    for (size_t i = 0; i < count; i++) {
        const struct batch *expected = &batches[i];
        assert_int_equal(list[i].batch, expected->batch);
        assert_int_equal(list[i].sum.succeeded, expected->succeeded);
        assert_int_equal(list[i].sum.inferences, expected->inferences);
        assert_int_equal(list[i].sum.ns[PART_INFER], expected->infer_ns);
        assert_int_equal(list[i].sum.failed, expected->failed);
        assert_int_equal(list[i].sum.failed_ns, 100 * expected->failed);
        assert_int_equal(list[i].sum.executions, expected->executions);
        assert_int_equal(list[i].sum.execution_ns[PART_INPUT], expected->execution_input_ns);
        whole.succeeded -= expected->succeeded;
        whole.inferences -= expected->inferences;
        whole.failed -= expected->failed;
        whole.executions -= expected->executions;
    }
    assert_int_equal(whole.succeeded | whole.inferences | whole.failed | whole.executions, 0);
    assert_true(whole.last_ms > 0);
}

COUNT_TEST(sizes_of_batches_are_counted_apart)
{
    static const uint64_t batches[] = {3, 1, 0, 3, 7}, ns[PARTS] = {1, 2, 3, 4};
    for (size_t i = 0; i < COUNT_OF(batches); i++) {
        if (batches[i] != 0)
            statistics_succeed(&all[0], batches[i], false, ns);
        if (batches[i] != 1)
            statistics_fail(&all[0], batches[i], 100);
    }
    static const struct batch expected[] = {
        {0, 0, 0, 0, 1, 0, 0}, {1, 1, 1, 3, 0, 1, 2}, {3, 2, 6, 6, 2, 2, 4}, {7, 1, 7, 3, 1, 1, 2}};
    assert_batches(expected, COUNT_OF(expected));
}

COUNT_TEST(requests_that_share_an_execution_are_one)
{
    static const uint64_t ns[PARTS] = {1, 2, 3, 4}, execution_ns[PARTS] = {0, 20, 30, 40};
    statistics_succeed(&all[0], 2, false, ns);
    statistics_succeed(&all[0], 2, true, ns);
    statistics_succeed(&all[0], 3, true, ns);
    statistics_execute(&all[0], 5, execution_ns);
    statistics_fail(&all[0], 1, 100);
    struct statistics_sum whole = statistics_sum(&all[0]);
    assert_int_equal(whole.ns[PART_QUEUE], 3);
    assert_int_equal(whole.ns[PART_INFER], 9);
    assert_int_equal(whole.execution_ns[PART_INFER], 3 + 30);
    static const struct batch expected[] = {
        {1, 0, 0, 0, 1, 0, 0}, {2, 2, 4, 6, 0, 1, 2}, {3, 1, 3, 3, 0, 0, 0}, {5, 0, 0, 0, 0, 1, 20}};
    assert_batches(expected, COUNT_OF(expected));
}

COUNT_TEST(a_sum_that_is_read_meanwhile_never_falls)
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
