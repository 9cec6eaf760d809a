/* The requests in flight, and the drain. Both are counted for the whole process, over all servers. */
#pragma once

#include "base/tally.h"
#include <stdbool.h>

/* Counts a request, until tally_leave gets what this returns. http_in_flight (http.h) returns how many are counted. */
struct tally_place *http_flight_begin(void);

/* Whether http_drain was called: connections end with their answers. */
bool http_draining(void);
