/* LSTM, GRU and RNN, beyond the cases of ONNX in test_onnx_nodes. The expected values are onnxruntime's. */
#include "graph.h"

/* A graph over X [steps, batch, 2] with `gates` gates of two cells, for two sequences of three and two steps. */
static struct graph *recurrent_graph(int directions, int gates, const char *rest)
{
    return graph_of(13,
                    "X FLOAT[-1,-1,2]; L INT32[2] = 3 2; W FLOAT[%d,%d,2] ~ 1; R FLOAT[%d,%d,2] ~ 2;"
                    "B FLOAT[%d,%d] ~ 3; %s",
                    directions, 2 * gates, directions, 2 * gates, directions, 4 * gates, rest);
}

static void run_steps(struct graph *g)
{
    graph_give(g, SHAPE(3, 2, 2), graph_pattern(g, 12, 0), 12);
    assert_ok(graph_run(g));
}

/* Compares an output of [outer, 2 x times, 2] with these numbers of [outer, 2, 2]. */
#define assert_repeats(g, output, times, ...)                                                                          \
    assert_rows_repeat(&(g)->made[output], times, (const float[]){__VA_ARGS__}, COUNT_OF(((float[]){__VA_ARGS__})))

static void assert_rows_repeat(const struct tensor *made, size_t times, const float *wanted, size_t count)
{
    assert_int_equal(made->count, count * times);
    for (size_t i = 0; i < made->count; i++)
        assert_float_equal(((const float *)made->data)[i], wanted[i / (4 * times) * 4 + i % 4], 4e-6F);
}

/* Two sequences, so many times, in both directions. */
static void assert_lstm(int64_t times)
{
    struct graph *g = recurrent_graph(
        2, 4,
        "H0 FLOAT[2,2,2] ~ 4; C0 FLOAT[2,2,2] ~ 5; Xs = Tile X rows; Ls = Tile L times; Hs = Tile H0 rows;"
        "Cs = Tile C0 rows; Y Yh Yc = LSTM hidden_size=2 direction=bidirectional Xs W R B Ls Hs Cs;"
        "-> Y FLOAT[-1,2,-1,2]; -> Yh FLOAT[2,-1,2]; -> Yc FLOAT[2,-1,2]");
    graph_add(g, "rows INT64[3] = 1 %d 1; times INT64[1] = %d", (int)times, (int)times);
    run_steps(g);
    assert_repeats(g, 0, (size_t)times, -0.1928818F, 0.04585847F, -0.0145431F, 0.07499273F, -0.2264382F, 0.1066169F,
                   -0.1601281F, 0.2123001F, -0.2960083F, 0.1699945F, -0.1422809F, 0.1615536F, -0.1268547F, 0.06439224F,
                   0.05560732F, 0.2136229F, -0.3677799F, 0.1852517F, 0, 0, -0.3801344F, 0.1247957F, 0, 0);
    assert_repeats(g, 1, (size_t)times, -0.3677799F, 0.1852517F, -0.1422809F, 0.1615536F, -0.2264382F, 0.1066169F,
                   -0.1601281F, 0.2123001F);
    assert_repeats(g, 2, (size_t)times, -0.9219933F, 0.6109504F, -0.2340498F, 0.3957527F, -0.382625F, 0.1829393F,
                   -0.2355189F, 0.3842704F);
}

TEST(lstm_in_both_directions_with_lengths)
{
    assert_lstm(1);
}

TEST(rows_that_a_team_shares)
{
    assert_lstm(90001);
}

TEST(gru_backwards_with_a_reset_after_the_product)
{
    struct graph *g = recurrent_graph(1, 3,
                                      "- Yh = GRU hidden_size=2 linear_before_reset=1 direction=reverse X W R B L;"
                                      "-> Yh FLOAT[1,-1,2]");
    run_steps(g);
    assert_gives(g, 0, 0.5825206F, -0.06106832F, 0.58637F, -0.1327066F);
}

TEST(gru_with_a_reset_before_the_product)
{
    struct graph *g = recurrent_graph(1, 3,
                                      "Y Yh = GRU hidden_size=2 X W R B L;"
                                      "-> Y FLOAT[-1,1,-1,2]; -> Yh FLOAT[1,-1,2]");
    run_steps(g);
    assert_gives(g, 0, 0.4703285F, -0.1019799F, 0.4889643F, -0.175945F, 0.423084F, -0.08405771F, 0.4446307F,
                 -0.1808834F, 0.6548822F, -0.1729735F, 0, 0);
    assert_gives(g, 1, 0.6548822F, -0.1729735F, 0.4446307F, -0.1808834F);
}

TEST(rnn_of_inputs_without_elements)
{
    struct graph *g =
        graph_of(13, "X FLOAT[-1,1,0]; W FLOAT[1,1,0] ~ 0; R FLOAT[1,1,1] = 0.5; B FLOAT[1,2] = 0.25 0.25;"
                     "Y = RNN X W R B; -> Y FLOAT[-1,1,1,1]");
    graph_give(g, SHAPE(2, 1, 0), NULL, 0);
    assert_ok(graph_run(g));
    assert_gives(g, 0, 0.46211717F, 0.6237125F);
}

TEST(shapes_that_do_not_fit_are_refused)
{
    struct graph *g = recurrent_graph(1, 4, "Y = GRU X W R B L"); /* weights of four gates */
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "GRU", "shapes");
    g = recurrent_graph(1, 3, "Y = GRU activations=[Affine,Tanh] X W R B L");
    assert_fails(graph_load(g), STATUS_UNIMPLEMENTED, "usual activations");
}
