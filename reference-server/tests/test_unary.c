/* Operators of ONNX with one input, of other datatypes than in the cases of ONNX in test_onnx_nodes. */
#include "graph.h"

TEST(datatypes_of_all_kinds)
{
    static const struct graph_case rows[] = {
        {"A INT8[-1]; C = Relu A; -> C INT8", "INT8[2] -128 5", "INT8[2] 0 5"},
        {"A INT32[-1]; C = Neg A; -> C INT32", "INT32[2] -2147483648 5", "INT32[2] -2147483648 -5"},
        {"A INT64[-1]; C = Abs A; -> C INT64", "INT64[2] -9223372036854775808 -5", "INT64[2] -9223372036854775808 5"},
        {"A UINT8[-1]; C = Abs A; -> C UINT8", "UINT8[1] 255", "UINT8[1] 255"},
        {"A INT8[-1]; C = Sign A; -> C INT8", "INT8[3] -128 0 5", "INT8[3] -1 0 1"},
        {"A UINT8[-1]; C = Sign A; -> C UINT8", "UINT8[2] 0 255", "UINT8[2] 0 1"},
        {"A DOUBLE[-1]; C = Sqrt A; -> C DOUBLE", "DOUBLE[2] 4 2", "DOUBLE[2] 2 1.4142135623730951"},
        {"A FLOAT16[-1]; C = Relu A; -> C FLOAT16", "FLOAT16[2] 0xBC00 0x3C00", "FLOAT16[2] 0 0x3C00"},
        {"A BFLOAT16[-1]; C = Neg A; -> C BFLOAT16", "BFLOAT16[1] 0x3F80", "BFLOAT16[1] 0xBF80"},
        {"A INT32[-1]; C = Exp A; -> C INT32", NULL, "unsupported: (Exp): INT32"},
    };
    assert_cases(13, rows);
}

TEST(bounds_of_any_numbers)
{
    static const struct graph_case rows[] =
        {
            {"A INT16[-1]; least INT16[] = -3; C = Clip A least; -> C INT16", "INT16[3] -32768 0 32767",
             "INT16[3] -3 0 32767"},
            {"A INT16[-1]; least INT64[1] = 0; C = Clip A least; -> C INT16", NULL,
             "refused: its inputs are INT16 and INT64"},
            {"A INT16[-1]; least INT16[2] = 1 2; C = Clip A least; -> C INT16", NULL,
             "refused: a bound is not one number of INT16"},
        },
                                   attributes = {"A DOUBLE[-1]; C = Clip max=1.5 A; -> C DOUBLE",
                                                 "DOUBLE[2] -1e300 1e300", "DOUBLE[2] -1e300 1.5"};
    assert_cases(13, rows);
    graph_case(6, &attributes);
}
