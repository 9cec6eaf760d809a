#include "monitoring/monitoring.h"

void *monitoring_open(const struct shared *shared, struct arena *arena)
{
    (void)arena;
    return shared->repository;
}
