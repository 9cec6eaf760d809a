/* reference-server/operators/ serves what those who operate a server ask it for, beside any protocol of inference:
 * metrics for Prometheus, and a log of the requests (log.h). It may include proto/, http/, grpc/, services/, inference/
 * and models/; no protocol.
 *
 * Each of its files answers one such question, and is a service of its own. */
#ifndef OPERATORS_OPERATORS_H
#define OPERATORS_OPERATORS_H

#include "services/service.h"

/* The context of all of them. */
struct operators {
    struct repository *repository;
};

void *operators_open(const struct shared *shared, struct arena *arena);

/* GET /metrics: the statistics of the models in the text format 0.0.4 of Prometheus, under Triton's names. */
extern const struct http_service metrics_http;

/* How deviations see that text: {"lines": {"NAME{LABELS}": "VALUE", "# TYPE NAME": "counter"...}, "end": "\n"}. */
extern const struct http_form metrics_form;

#endif
