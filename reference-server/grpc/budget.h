/* The memory that messages of all connections may take together. Each loop has a purse, which takes from the budget in
 * large steps, so that a small call touches no memory of other threads.
 *
 * The rule of shares: a connection may hold as much as is left for all others. So one connection gets at most half of
 * the budget, two get a third each, and a newcomer always finds something. */
#ifndef GRPC_BUDGET_H
#define GRPC_BUDGET_H

#include <stdatomic.h>
#include <stddef.h>

#define PURSE_STEP ((size_t)1024 * 1024)

struct budget {
    size_t limit;
    atomic_size_t taken; /* by all purses; may exceed the limit, because what was computed must be sent */
};

/* Belongs to one thread. */
struct purse {
    struct budget *budget;
    size_t taken, spent; /* bytes; taken is never less than spent */
};

static inline void purse_spend(struct purse *purse, size_t size)
{
    purse->spent += size;
    if (purse->spent > purse->taken) {
        size_t missing = (purse->spent - purse->taken + PURSE_STEP - 1) / PURSE_STEP * PURSE_STEP;
        atomic_fetch_add(&purse->budget->taken, missing);
        purse->taken += missing;
    }
}

static inline void purse_return(struct purse *purse, size_t size)
{
    purse->spent -= size;
    size_t surplus = (purse->taken - purse->spent) / PURSE_STEP;
    if (surplus > 1) { /* one step is kept */
        atomic_fetch_sub(&purse->budget->taken, (surplus - 1) * PURSE_STEP);
        purse->taken -= (surplus - 1) * PURSE_STEP;
    }
}

/* Returns how many bytes are left for everyone. */
static inline size_t purse_left(const struct purse *purse)
{
    size_t taken = atomic_load_explicit(&purse->budget->taken, memory_order_relaxed);
    size_t left = purse->budget->limit > taken ? purse->budget->limit - taken : 0;
    return left + (purse->taken - purse->spent);
}

#endif
