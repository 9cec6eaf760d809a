#include "protocols/predict_v2/predict_v2.h"

#include "base/count.h"
#include "protocols/predict_v2/binary.h"

static const struct form forms[] = {
    {"rest-flat", NULL, false, rest_encode_flat},
    {"grpc-raw", "ModelInfer", false, grpc_encode_raw},
    {"grpc-typed", "ModelInfer", false, grpc_encode_typed},
    {"rest-nested", NULL, false, rest_encode_nested},
    {"rest-binary", NULL, false, rest_encode_binary},
    {"grpc-stream", "ModelStreamInfer", true, grpc_encode_stream},
    {"classification-json", NULL, false, rest_encode_flat},
    {"classification-binary", NULL, false, rest_encode_binary},
    {"classification-raw", "ModelInfer", false, grpc_encode_raw},
    {"sequence-json", NULL, false, rest_encode_flat},
    {"sequence-raw", "ModelInfer", false, grpc_encode_raw},
    {"schedule-json", NULL, false, rest_encode_flat},
    {"schedule-binary", NULL, false, rest_encode_binary},
    {"schedule-raw", "ModelInfer", false, grpc_encode_raw},
};

const struct protocol predict_v2 = {
    .name = "predict-v2",
    .forms = forms,
    .form_count = COUNT_OF(forms),
    .sides = predict_v2_sides,
    .side_count = PREDICT_V2_SIDES,
    .read = predict_v2_read,
    .read_inputs = predict_v2_read_inputs,
    .json_part = binary_json_part,
    .mend = predict_v2_mend,
    .versioned_path = rest_versioned_path,
    .below_model = REST_BELOW_MODEL,
};
