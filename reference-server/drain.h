/* The end of a server: what was begun is finished, nothing new is begun. */
#ifndef DRAIN_H
#define DRAIN_H

#include <stdbool.h>

/* Refuses new inference (UNAVAILABLE) and says "not ready" from now on, then waits until nothing is in flight on any
 * transport. False: `seconds` have passed and something still is. */
bool drain(double seconds);

#endif
