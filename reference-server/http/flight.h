/* Requests in flight, and the drain that ends them: what the whole process counts, whichever server they came to. */
#ifndef HTTP_FLIGHT_H
#define HTTP_FLIGHT_H

#include "base/tally.h"
#include <stdbool.h>

/* A request begins, and ends at the place that it was given; http_in_flight (http.h) counts those between. */
struct tally_place *http_flight_begin(void);
void http_flight_end(struct tally_place *place);

bool http_draining(void);

#endif
