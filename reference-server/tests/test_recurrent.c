/* LSTM, GRU and RNN, beyond the cases of ONNX in test_onnx_nodes. The expected values are onnxruntime's. */
#include "graph.h"

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
    struct graph *g = graph_of(
        13,
        "X FLOAT[-1,-1,2]; L INT32[2] = 3 2; W FLOAT[2,8,2] ~ 1; R FLOAT[2,8,2] ~ 2; B FLOAT[2,16] ~ 3;"
        "H0 FLOAT[2,2,2] ~ 4; C0 FLOAT[2,2,2] ~ 5; rows INT64[3] = 1 %d 1; times INT64[1] = %d; Xs = Tile X rows;"
        "Ls = Tile L times; Hs = Tile H0 rows; Cs = Tile C0 rows;"
        "Y Yh Yc = LSTM hidden_size=2 direction=bidirectional Xs W R B Ls Hs Cs;"
        "-> Y FLOAT[-1,2,-1,2]; -> Yh FLOAT[2,-1,2]; -> Yc FLOAT[2,-1,2]",
        (int)times, (int)times);
    graph_give(g, SHAPE(3, 2, 2), graph_pattern(g, 12, 0), 12);
    assert_ok(graph_run(g));
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

/* A pattern of three steps, and what makes three gates. */
#define STEPS "FLOAT[3,2,2] -0.625 0.25 -0.25 0.625 0.125 -0.375 0.5 0 -0.5 0.375 -0.125 -0.625"
#define GATES "X FLOAT[-1,-1,2]; L INT32[2] = 3 2; W FLOAT[1,6,2] ~ 1; R FLOAT[1,6,2] ~ 2; B FLOAT[1,12] ~ 3;"

TEST(gru_and_rnn)
{
    static const struct graph_case rows[] = {
        {GATES "- Yh = GRU hidden_size=2 linear_before_reset=1 direction=reverse X W R B L; -> Yh FLOAT[1,-1,2]", STEPS,
         "FLOAT[1,2,2] 0.5825206 -0.06106832 0.58637 -0.1327066"},
        {GATES "Y Yh = GRU hidden_size=2 X W R B L; -> Y FLOAT[-1,1,-1,2]; -> Yh FLOAT[1,-1,2]", STEPS,
         "FLOAT[3,1,2,2] 0.4703285 -0.1019799 0.4889643 -0.175945 0.423084 -0.08405771 0.4446307 -0.1808834 0.6548822 "
         "-0.1729735 0 0; FLOAT[1,2,2] 0.6548822 -0.1729735 0.4446307 -0.1808834"},
        {"X FLOAT[-1,1,0]; W FLOAT[1,1,0] ~ 0; R FLOAT[1,1,1] = 0.5; B FLOAT[1,2] = 0.25 0.25; Y = RNN X W R B;"
         "-> Y FLOAT[-1,1,1,1]",
         "FLOAT[2,1,0]", "FLOAT[2,1,1,1] 0.46211717 0.6237125"},
        {GATES "Y = LSTM X W R B L", NULL, "refused: (LSTM): the shapes of its inputs"}, /* weights of three gates */
        {GATES "Y = GRU activations=[Affine,Tanh] X W R B L", NULL, "unsupported: usual activations"},
    };
    assert_cases(13, rows);
}
