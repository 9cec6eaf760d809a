/* Flights: requests with a thread and a client of their own. So several can be sent at the same time, and a play can go
 * on before the answer comes. */
#pragma once

#include "judge/exchange.h"
#include "judge/play_options.h"

#include <pthread.h>

struct flight {
    struct str conn;             /* the name under which a later step reads the answer */
    struct play_options options; /* with the client and the arena of the flight */
    struct arena arena;
    struct play own; /* what is sent; set before the start, like the next three */
    const struct tree *base;
    double within;
    struct result *results;
    struct exchange exchange; /* once it has landed; it lies in the flight's arena */
    pthread_t thread;
    bool started, landed;
    struct flight *next;
};

/* Makes the arena and the client of a flight, with the options of the play. */
void flight_open(struct flight *flight, const struct play_options *options);

/* Sends and judges as exchange_until does, in the thread. Returns what is missing, or an empty str. */
struct str flight_start(struct flight *flight);

/* Waits for the end of the thread, if there is one that nobody waited for yet. */
void flight_land(struct flight *flight);

/* Waits, and frees what the flight has. */
void flight_close(struct flight *flight);
