/* Operators that index, reduce or cut off, and losses, beyond ONNX's own cases: other datatypes, ends of ranges, and
 * what must be refused. Expected values are numpy's. */
#include "graph.h"

TEST(reductions)
{
    static const struct graph_case rows[] = {
        {"A INT16[2,3]; Y = ArgMax axis=1 A; -> Y INT64", "INT16[2,3] 3 -1 2 0 7 7", "INT64[2,1] 0 1"},
        {"A INT16[2,3]; Y = ArgMax axis=1 select_last_index=1 A; -> Y INT64", "INT16[2,3] 3 -1 2 0 7 7",
         "INT64[2,1] 0 2"},
#define OF_LARGE(OP, MADE)                                                                                             \
    {"A UINT64[3]; Y = " OP " keepdims=0 A; -> Y UINT64", "UINT64[3] 18446744073709551615 1 18446744073709551614",     \
     "UINT64[] " MADE}
        OF_LARGE("ReduceMax", "18446744073709551615"),
        OF_LARGE("ReduceMin", "1"),
        OF_LARGE("ReduceSum", "18446744073709551614"), /* wraps */
        OF_LARGE("ReduceL1", "18446744073709551614"),
        OF_LARGE("ReduceMean", "6148914691236517204"),
        {"A FLOAT[-1,-1]; axis INT64[1] = 1; Y = ReduceSum keepdims=0 A axis; -> Y FLOAT[-1]", "FLOAT[0,2]",
         "FLOAT[0]"},
        {"A FLOAT[-1,-1]; axis INT64[1] = -2; Y = ReduceSum keepdims=0 A axis; -> Y FLOAT[-1]", "FLOAT[0,2]",
         "FLOAT[2] 0 0"},
        {"A INT8[-1,-1]; axis INT64[1] = -2; Y = CumSum reverse=1 A axis; -> Y INT8", "INT8[3,2] 1 2 100 3 100 4",
         "INT8[3,2] -55 9 -56 7 100 4"},
        {"A INT8[-1,-1]; axis INT64[1] = -2; Y = CumSum reverse=1 A axis; -> Y INT8", "INT8[0,2]", "INT8[0,2]"},
    };
    assert_cases(16, rows);
}

TEST(trilu_with_far_diagonals)
{
#define TRILU(K, UPPER) "A UINT8[-1,-1]; k INT64[] = " K "; Y = Trilu upper=" UPPER " A k; -> Y UINT8[-1,-1]"
#define SIX             "UINT8[2,3] 1 2 3 4 5 6"
    static const struct graph_case rows[] = {
        {TRILU("9223372036854775807", "0"), SIX, SIX},
        {TRILU("9223372036854775807", "1"), SIX, "UINT8[2,3] 0 0 0 0 0 0"},
        {TRILU("-9223372036854775808", "0"), SIX, "UINT8[2,3] 0 0 0 0 0 0"},
        {TRILU("-9223372036854775808", "1"), SIX, SIX},
        {TRILU("1", "0"), SIX, "UINT8[2,3] 1 2 0 4 5 6"},
        {TRILU("-1", "0"), SIX, "UINT8[2,3] 0 0 0 4 0 0"},
        {TRILU("2", "1"), SIX, "UINT8[2,3] 0 0 3 0 0 0"},
        {TRILU("2", "1"), "UINT8[2,0]", "UINT8[2,0]"},
        {"A UINT8[3]; Y = Trilu A", NULL, "refused: 1 dimensions"},
    };
    assert_cases(16, rows);
}

TEST(scattered_elements_are_joined)
{
#define SCATTER(OP, SHAPE)                                                                                             \
    "A INT64[4]; i INT64" SHAPE "; updates INT64[2] = -1 5; Y = Scatter" OP " A i updates; -> Y INT64[4]"
#define TENS "INT64[4] 10 20 30 40; "
#define EACH_WAY(ATTRIBUTE, MADE)                                                                                      \
    {SCATTER("ND" ATTRIBUTE, "[2,1]"), TENS "INT64[2,1] 0 -4", MADE},                                                  \
        {SCATTER("Elements" ATTRIBUTE, "[2]"), TENS "INT64[2] 0 -4", MADE},                                            \
        {SCATTER("Elements" ATTRIBUTE, "[2]"), TENS "INT64[2] 0 4", "refused: index 4 of 4"},                          \
    {                                                                                                                  \
        SCATTER("ND" ATTRIBUTE, "[2,1]"), TENS "INT64[2,1] 0 4", "refused: index 4 of 4"                               \
    }
    static const struct graph_case rows[] = {
        EACH_WAY("", "INT64[4] 5 20 30 40"),
        EACH_WAY(" reduction=none", "INT64[4] 5 20 30 40"),
        EACH_WAY(" reduction=add", "INT64[4] 14 20 30 40"),
        EACH_WAY(" reduction=mul", "INT64[4] -50 20 30 40"),
        {SCATTER("ND reduction=max", "[2,1]"), NULL, "unsupported: reduction 'max'"},
        {SCATTER("ND", "[3,1]"), NULL, "refused: updates of shape [2], not [3]"},
        {SCATTER("Elements", "[1]"), NULL, "refused: updates of shape [2], not [1]"},
        {SCATTER("ND", "[2,2]"), NULL, "refused: [2,2] for [4]"},
    };
    assert_cases(16, rows);
}

TEST(indices_lie_inside_of_the_data)
{
#define ELEMENTS "A INT16[-1,-1]; i INT64[-1,-1]; Y = GatherElements A i; -> Y INT16[-1,-1]"
#define ND       "A INT16[-1,-1]; i INT64[-1,1]; Y = GatherND batch_dims=1 A i; -> Y INT16[-1]"
#define SMALL    "INT16[2,3] 3 -1 2 0 7 7; "
    static const struct graph_case rows[] = {
        {ELEMENTS, SMALL "INT64[1,2] 1 -2", "INT16[1,2] 0 -1"},
        {ELEMENTS, SMALL "INT64[1,4] 0 0 0 0", "refused: indices of shape [1,4] for [2,3]"}, /* wider than the data */
        {ND, SMALL "INT64[2,1] 2 -2", "INT16[2] 2 7"},
        {ND, SMALL "INT64[3,1] 0 0 0", "refused: indices of shape [3,1] for [2,3]"}, /* three batches of two */
        {"A INT16[2,3]; i INT64[2,1]; Y = GatherND batch_dims=2 A i", NULL, "refused: 2 of them of batches"},
        {"A INT16[2,3]; Y = GatherElements A A", NULL, "refused: INT16"},
    };
    assert_cases(16, rows);
}

TEST(losses)
{
#define SOFTMAX                                                                                                        \
    "A FLOAT[-1,2]; l INT64[-1]; Y = SoftmaxCrossEntropyLoss reduction=none ignore_index=-1 A l; -> Y FLOAT[-1]"
#define LIKELIHOOD(REDUCTION, WEIGHTS)                                                                                 \
    "A FLOAT[-1,2]; l INT64[-1]; w FLOAT" WEIGHTS "; -> Y FLOAT[];"                                                    \
    "Y = NegativeLogLikelihoodLoss reduction=" REDUCTION " ignore_index=-1 A l w"
#define SCORES "FLOAT[2,2] 0 1 2 0; "
    static const struct graph_case rows[] = {
        {SOFTMAX, SCORES "INT64[2] 1 -1", "FLOAT[2] 0.313261688 0"}, /* ln(1 + e^-1); the second label is ignored */
        {SOFTMAX, SCORES "INT64[2] 1 2", "refused: label 2 of 2 classes"},
        {LIKELIHOOD("mean", "[2] = 1 3"), SCORES "INT64[2] 1 0", "FLOAT[] -1.25"}, /* -(3 x 1 + 1 x 2) / 4 */
        {LIKELIHOOD("mean", "[2] = 1 3"), SCORES "INT64[1] 0", "refused: labels of shape [1] for [2,2]"},
        {LIKELIHOOD("sum", "[1] = 1"), NULL, "refused: one weight for each class"},
        {LIKELIHOOD("most", "[1] = 1"), NULL, "refused: 'reduction' is 'most'"},
    };
    assert_cases(13, rows);
}

TEST(a_dropout_that_trains_is_refused)
{
#define DROPOUT "A FLOAT[2]; training BOOL[]; Y = Dropout A - training; -> Y FLOAT[2]"
    static const struct graph_case rows[] = {
        {DROPOUT, "FLOAT[2] 1 2; BOOL[] 0", "FLOAT[2] 1 2"},
        {DROPOUT, "FLOAT[2] 1 2; BOOL[] 1", "unsupported: training_mode"},
        {"A FLOAT[2]; - = Flatten A; Y = Neg A; -> Y FLOAT", NULL, "refused: a value without a name"},
    };
    assert_cases(16, rows);
}
