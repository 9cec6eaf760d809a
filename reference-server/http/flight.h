/* The requests in flight, and the drain. Both are counted for the whole process, over all servers. */
#pragma once

#include "base/tally.h"
#include <stdbool.h>

/* http_flight_begin counts a request and returns its place; http_flight_end gets this place. http_in_flight (http.h)
 * counts the requests between the two. */
struct tally_place *http_flight_begin(void);
void http_flight_end(struct tally_place *place);

/* Whether http_drain was called: connections end with their answers. */
bool http_draining(void);
