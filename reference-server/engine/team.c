#include "engine/team.h"

void team_each(int threads, size_t count, void (*work)(void *context, size_t i), void *context)
{
    (void)threads;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1 && count > 1)
#endif
    for (size_t i = 0; i < count; i++)
        work(context, i);
}
