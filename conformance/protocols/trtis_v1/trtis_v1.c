#include "protocols/trtis_v1/trtis_v1.h"

#include "base/search.h"

static const struct form forms[] = {
    {.encoding = "trtis-v1-http", .encode = trtis_encode_http},
    {.encoding = "trtis-v1-grpc", .rpc = "Infer", .encode = trtis_encode_grpc},
};

const struct protocol trtis_v1 = {
    .name = "trtis-v1",
    .forms = forms,
    .form_count = COUNT_OF(forms),
    .inquiries = trtis_inquiries,
    .decode = trtis_decode,
    .read = trtis_read,
};
