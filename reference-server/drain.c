#include "server.h"

#include "base/clock.h"
#include "inference/infer.h"

#include <time.h>

static double seconds_now(void)
{
    return (double)clock_now() / CLOCK_SECOND;
}

/* A client that keeps its connection sends its next request a moment after an answer. If the request comes within QUIET
 * seconds, it is refused and told that the connection ends, instead of being cut. If requests come without a pause, the
 * drain ends after LINGER seconds. */
#define QUIET  0.05
#define LINGER 1.0

bool drain(struct rpc_server *rpc, double seconds)
{
    const struct timespec glance = {.tv_nsec = 5 * 1000 * 1000};
    double begin = seconds_now(), busy_at = begin;
    size_t seen = 0;
    infer_drain();
    http_drain();
    if (rpc)
        rpc_drain(rpc);
    for (;;) {
        double now = seconds_now();
        bool idle = http_in_flight() == 0 && rpc_in_flight() == 0;
        if (!idle && now - begin >= seconds)
            return false;
        if (idle && (now - busy_at >= QUIET || now - begin >= LINGER))
            return true;
        if (!idle || http_drained() != seen) {
            busy_at = now;
            seen = http_drained();
        }
        nanosleep(&glance, NULL);
    }
}
