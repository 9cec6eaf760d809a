#include "monitoring/monitoring.h"

void *monitoring_open(const struct shared *shared, struct arena *arena)
{
    struct monitoring *monitoring = arena_new_of(arena, struct monitoring);
    if (monitoring)
        *monitoring = (struct monitoring){.repository = shared->repository};
    return monitoring;
}
