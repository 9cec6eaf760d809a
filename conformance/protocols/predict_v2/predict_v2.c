#include "protocols/predict_v2/predict_v2.h"

#include "base/search.h"
#include "protocols/predict_v2/binary.h"

static const struct form forms[] = {
    {"rest-flat", NULL, false, rest_encode, REST_FLAT},
    {"grpc-raw", "ModelInfer", false, grpc_encode, GRPC_RAW},
    {"grpc-typed", "ModelInfer", false, grpc_encode, GRPC_TYPED},
    {"rest-nested", NULL, false, rest_encode, REST_NESTED},
    {"rest-binary", NULL, false, rest_encode, REST_BINARY},
    {"grpc-stream", "ModelStreamInfer", true, grpc_encode, GRPC_RAW},
    {"classification-json", NULL, false, rest_encode, REST_FLAT},
    {"classification-binary", NULL, false, rest_encode, REST_BINARY},
    {"classification-raw", "ModelInfer", false, grpc_encode, GRPC_RAW},
    {"sequence-json", NULL, false, rest_encode, REST_FLAT},
    {"sequence-raw", "ModelInfer", false, grpc_encode, GRPC_RAW},
    {"schedule-json", NULL, false, rest_encode, REST_FLAT},
    {"schedule-binary", NULL, false, rest_encode, REST_BINARY},
    {"schedule-raw", "ModelInfer", false, grpc_encode, GRPC_RAW},
};

const struct protocol predict_v2 = {
    .name = "predict-v2",
    .forms = forms,
    .form_count = COUNT_OF(forms),
    .inquiries = predict_v2_inquiries,
    .read = predict_v2_read,
    .read_inputs = predict_v2_read_inputs,
    .json_part = binary_json_part,
    .mend = predict_v2_mend,
    .versioned_path = rest_versioned_path,
    .below_model = REST_BELOW_MODEL,
};
