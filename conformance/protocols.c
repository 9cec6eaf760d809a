/* The protocols that the judge knows. Each is a folder of protocols/ and a row here. */
#include "protocols/graphpipe/graphpipe.h"
#include "protocols/monitoring/monitoring.h"
#include "protocols/predict_v2/predict_v2.h"
#include "protocols/trtis_v1/trtis_v1.h"

const struct protocol *const protocols[] = {
    &predict_v2, &graphpipe, &monitoring, &trtis_v1, NULL,
};
