/* The end of a server: requests that have begun are finished, and new ones are refused. */
#ifndef DRAIN_H
#define DRAIN_H

#include <stdbool.h>

/* From now on, refuses new inference with UNAVAILABLE and answers "not ready". Then waits until no request is in flight
 * on any transport. Returns false if some still are after `seconds`. */
bool drain(double seconds);

#endif
