/* The expected values were calculated by hand where the sums are simple, otherwise by onnxruntime. */
#include "graph.h"
#include <pthread.h>

#define CONV(ATTRIBUTES) "A FLOAT[-1,1,-1,-1]; W FLOAT[1,1,2,2] = 1 2 3 4; C = Conv " ATTRIBUTES " A W; -> C FLOAT"

TEST(convolutions)
{
    static const struct graph_case rows[] = {
        {CONV(""), "FLOAT[1,1,3,3] 0 1 2 3 4 5 6 7 8", "FLOAT[1,1,2,2] 27 37 57 67"},
        {CONV(""), "FLOAT[2,1,2,2] 0 1 2 3 4 5 6 7", "FLOAT[2,1,1,1] 20 60"},
        {CONV(""), "FLOAT[0,1,2,2]", "FLOAT[0,1,1,1]"},
        {"A FLOAT[-1,2,-1,-1]; W FLOAT[2,1,2,2] = 1 2 3 4 5 6 7 8; B FLOAT[2] = 0.5 -1; -> C FLOAT;"
         "C = Conv group=2 dilations=[2,1] strides=[1,2] pads=[1,0,0,1] A W B",
         "FLOAT[1,2,4,4] 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31",
         "FLOAT[1,2,3,2] 32.5 46.5 62.5 82.5 102.5 122.5 307 337 549 601 653 705"},
        {"A FLOAT[-1,1,-1]; W FLOAT[1,1,2] = 1 2; C = Conv A W; -> C FLOAT", "FLOAT[1,1,3] 0 1 2", "FLOAT[1,1,2] 2 5"},
        {"A FLOAT[-1,1,-1,-1,-1]; W FLOAT[1,1,1,1,2] = 1 2; C = Conv A W; -> C FLOAT", "FLOAT[1,1,2,1,2] 0 1 2 3",
         "FLOAT[1,1,2,1,1] 2 8"},
    };
    assert_cases(13, rows);
    struct graph *g = graph_of(13, CONV(""));
    assert_ok(graph_load(g));
    assert_true(g->model.on_compute_thread);
}

TEST(weights_may_come_with_the_request)
{
    struct graph *g = graph_of(13, "A FLOAT[-1,-1,-1]; W FLOAT[-1,-1,-1]; C = Conv A W; -> C FLOAT[-1,-1,-1]");
    for (int round = 1; round < 3; round++) {
        float factor = (float)round;
        graph_give_floats(g, SHAPE(1, 1, 3), 1, 2, 4);
        graph_give_floats(g, SHAPE(1, 1, 2), factor, 10 * factor);
        assert_ok(graph_run(g));
        assert_floats(g, SHAPE(1, 1, 2), 21 * factor, 42 * factor);
    }
    graph_give_floats(g, SHAPE(1, 2, 1), 1, 2);
    graph_give_floats(g, SHAPE(1, 1, 1), 1);
    assert_int_equal(graph_run(g).code, STATUS_INVALID_ARGUMENT);
    graph_give_floats(g, SHAPE(1, 1, 1), 1);
    graph_give(g, SHAPE(0, 1, 1), NULL, 0);
    assert_int_equal(graph_run(g).code, STATUS_INVALID_ARGUMENT);
}

TEST(nonsense_is_refused)
{
    static const struct graph_case rows[] = {
        {CONV("strides=[0,1]"), NULL, "refused: (Conv): attribute 'strides'"},
        {CONV("strides=[-1,1]"), NULL, "refused: (Conv): attribute 'strides'"},
        {CONV("strides=[1073741824,1]"), NULL, "refused: (Conv): attribute 'strides'"},
        {CONV("dilations=[1,0]"), NULL, "refused: (Conv): attribute 'dilations'"},
        {CONV("dilations=[9223372036854775807,1]"), NULL, "refused: (Conv): attribute 'dilations'"},
        {CONV("kernel_shape=[2,3]"), NULL, "refused: (Conv): kernel_shape"},
        {CONV("kernel_shape=[0,2]"), NULL, "refused: (Conv): attribute 'kernel_shape'"},
        {CONV("pads=[1,1]"), NULL, "refused: (Conv): attribute 'pads'"},
        {CONV("pads=[-1,0,0,0]"), NULL, "refused: (Conv): attribute 'pads'"},
        {CONV("auto_pad=SAME"), NULL, "refused: (Conv): attribute 'auto_pad'"},
        {CONV("group=0"), NULL, "refused: (Conv): 0 groups"},
        {CONV(""), "FLOAT[1,1,1,5] 0 1 2 3 4", "refused: an input of [1,5]"},
        {"A FLOAT[-1,2,-1,-1]; W FLOAT[3,1,2,2] ~ 1; C = Conv group=2 A W", NULL, "refused: in 2 groups"},
        {"A FLOAT[-1,3,-1,-1]; W FLOAT[1,1,2,2] ~ 1; C = Conv A W", NULL, "refused: [-1,3,-1,-1]"},
        {"A FLOAT[-1,1]; W FLOAT[1,1] ~ 1; C = Conv A W", NULL, "refused: (Conv): weights"},
        {"A FLOAT[] ~ 1; W FLOAT[1,1,2,2] ~ 1; C = Conv A W", NULL, "refused: an input of shape []"},
    };
    assert_cases(13, rows);
}

static void *run_elsewhere(void *pointer)
{
    struct graph *g = pointer;
    struct status status = graph_run(g);
    return is_ok(status) ? g : NULL;
}

/* With these shapes oneDNN needs scratch memory. By itself, it would keep it for the thread that made the primitive. */
TEST(another_thread_runs_what_one_has_made)
{
    float ones[64];
    for (size_t i = 0; i < 64; i++)
        ones[i] = 1;
    float weights[36];
    for (size_t i = 0; i < COUNT_OF(weights); i++)
        weights[i] = (float)(i + 1);
    struct graph *g = graph_of(13, "A FLOAT[-1,1,-1,-1]; C = Conv pads=[1,1,1,1] A W; -> C FLOAT");
    graph_constant(g, "W", FLOAT, SHAPE(4, 1, 3, 3), weights, sizeof(weights));
    assert_ok(graph_load(g));
    for (int round = 0; round < 3; round++) {
        pthread_t thread;
        void *result = g;
        graph_give(g, SHAPE(1, 1, 8, 8), ones, 64);
        if (round == 0)
            assert_ok(graph_run(g));
        else
            assert_true(pthread_create(&thread, NULL, run_elsewhere, g) == 0 && pthread_join(thread, &result) == 0);
        assert_ptr_equal(result, g);
        for (size_t channel = 0; channel < 4; channel++)
            assert_float_equal(((const float *)g->made[0].data)[64 * channel + 9], 81 * (float)channel + 45, 0);
    }
}
