/* The body of a request to the model repository over REST. */
#pragma once

#include "predict_v2/repository_order.h"

/* Reads a body into an order whose kind and arena are set. Fails with INVALID_ARGUMENT if it is not as it should be. */
struct status rest_read_order(struct order *order, struct str body);
