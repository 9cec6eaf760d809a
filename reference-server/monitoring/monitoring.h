/* reference-server/monitoring/ serves what those who operate a server ask it for, beside any protocol of inference:
 * metrics for Prometheus, health and reflection over gRPC, and a log of the requests (log.h). It may include proto/,
 * http/, grpc/, services/, inference/ and models/; no protocol.
 *
 * Each of its files answers one such question, and is a service of its own. */
#pragma once

#include "services/service.h"

/* GET /metrics: the statistics of the models in the text format 0.0.4 of Prometheus, under Triton's names. */
extern const struct http_service metrics_http;

/* grpc.health.v1: whether the server and its service can be asked, now (Check) and from now on (Watch). */
extern const struct rpc_service health_grpc;

/* grpc.reflection.v1 and v1alpha: the schemas of the services (descriptors.h). */
extern const struct rpc_service reflection_grpc, reflection_v1alpha_grpc;

/* How deviations see that text: {"lines": {"NAME{LABELS}": "VALUE", "# TYPE NAME": "counter"...}, "end": "\n"}. */
extern const struct http_form metrics_form;
