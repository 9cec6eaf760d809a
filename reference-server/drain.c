#include "drain.h"

#include "grpc/rpc.h"
#include "http/http.h"
#include "inference/infer.h"

#include <time.h>

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool is_idle(void)
{
    return infer_in_flight() == 0 && http_in_flight() == 0 && rpc_in_flight() == 0;
}

bool drain(double seconds)
{
    const struct timespec glance = {.tv_nsec = 5 * 1000 * 1000};
    double until = seconds_now() + seconds;
    infer_drain();
    while (!is_idle()) {
        if (seconds_now() >= until)
            return false;
        nanosleep(&glance, NULL);
    }
    return true;
}
