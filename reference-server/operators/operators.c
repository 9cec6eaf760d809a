#include "operators/operators.h"

void *operators_open(const struct shared *shared, struct arena *arena)
{
    struct operators *operators = arena_new_of(arena, struct operators);
    if (operators)
        *operators = (struct operators){.repository = shared->repository};
    return operators;
}
