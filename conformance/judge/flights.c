#include "judge/flights.h"

void flight_open(struct flight *flight, const struct play_options *options)
{
    *flight = (struct flight){.options = *options, .arena = memory_arena()};
    flight->options.arena = &flight->arena;
    flight->options.client = client_create(options->client_options, &flight->arena);
    flight->options.histories = NULL;
}

static void *fly(void *argument)
{
    struct flight *flight = argument;
    exchange_until(&flight->options, &flight->own, flight->base, flight->within, &flight->exchange, flight->results);
    return NULL;
}

struct str flight_start(struct flight *flight)
{
    flight->started = pthread_create(&flight->thread, NULL, fly, flight) == 0;
    return flight->started ? (struct str){0} : STR("there are not enough threads");
}

void flight_land(struct flight *flight)
{
    if (flight->started && !flight->landed)
        pthread_join(flight->thread, NULL);
    flight->landed = true;
}

void flight_close(struct flight *flight)
{
    flight_land(flight);
    client_destroy(flight->options.client);
    arena_free(&flight->arena);
}
