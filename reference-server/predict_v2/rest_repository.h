/* What the endpoints of the model repository share over REST. */
#pragma once

#include "predict_v2/repository_order.h"
#include "predict_v2/rest.h"

/* Makes an order of the request, with the call as its context, and gives it to the repository; `done` answers. Answers
 * with a refusal if the body is not as it should be, or if the order changes models and clients may not. The body is
 * optional. */
void rest_order(struct rest_call *call, enum order_kind kind, void (*done)(struct order *order, struct status status));

/* Reads a body into an order whose kind and arena are set. Fails with INVALID_ARGUMENT if it is not as it should be. */
struct status rest_read_order(struct order *order, struct str body);

/* Answers a load or an unload: with an empty body, or with the error. */
void rest_order_done(struct order *order, struct status status);
