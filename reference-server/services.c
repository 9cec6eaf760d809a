/* The services of this server, over HTTP and over gRPC. */
#include "services/service.h"

#include "base/search.h"
#include "graphpipe/graphpipe.h"
#include "monitoring/monitoring.h"
#include "predict_v2/predict_v2.h"
#include "trtis_v1/trtis_v1.h"

const struct service services[] = {
    /* name         context          over HTTP         over gRPC */
    {"predict-v2", NULL, &predict_v2_rest, &predict_v2_grpc},
    {"graphpipe", graphpipe_open, &graphpipe_http, NULL},
    {"metrics", NULL, &metrics_http, NULL},
    {"health", NULL, NULL, &health_grpc},
    {"reflection", NULL, NULL, &reflection_grpc},
    {"reflection-v1alpha", NULL, NULL, &reflection_v1alpha_grpc},
    {"trtis-v1", trtis_v1_open, &trtis_v1_http, &trtis_v1_grpc},
};

const size_t service_count = COUNT_OF(services);
