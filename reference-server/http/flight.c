/* The requests in flight, and the drain. Both are counted for the whole process, over all servers. */
#include "http/exchange.h"

static struct tally in_flight;
static atomic_size_t drained;
static atomic_bool draining;

struct tally_place *http_flight_begin(void)
{
    struct tally_place *place = tally_enter(&in_flight);
    if (http_draining())
        atomic_fetch_add(&drained, 1);
    return place;
}

size_t http_in_flight(void)
{
    return tally_sum(&in_flight);
}

void http_drain(void)
{
    atomic_store(&draining, true);
}

bool http_draining(void)
{
    return atomic_load_explicit(&draining, memory_order_relaxed);
}

size_t http_drained(void)
{
    return atomic_load(&drained);
}
