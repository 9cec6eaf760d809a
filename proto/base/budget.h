/* The memory that all requests of one kind may take together. Each thread has a purse, which takes from the budget in
 * large steps, so that a small request touches no memory of other threads.
 *
 * The rule of shares: one may hold as much as is left for all others. So one gets at most half of the budget, two get a
 * third each, and a newcomer always finds something. purse_spend and purse_left leave it to the caller to keep the
 * rule, for a purse of many connections; purse_take keeps it, for a purse of one. */
#ifndef BASE_BUDGET_H
#define BASE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define PURSE_STEP ((size_t)1024 * 1024)

struct budget {
    size_t limit;
    atomic_size_t taken; /* by all purses; may exceed the limit by what was spent without asking */
};

/* Why purse_take has refused: others hold too much at the moment, or it would be too much for one at any time. */
enum shortage { SHORTAGE_NONE, SHORTAGE_NOW, SHORTAGE_ALWAYS };

/* Belongs to one thread at a time. */
struct purse {
    struct budget *budget;
    size_t own;             /* bytes that it may spend beside the budget */
    size_t taken, spent;    /* bytes; taken and own together are never less than spent */
    enum shortage shortage; /* of the last refusal, until the owner clears it */
};

/* Does the work of purse_take when the purse has not enough. */
bool purse_take_more(struct purse *purse, size_t size) __attribute__((cold));

/* Spends, if by the rule of shares it may. Each byte must be returned. `purse` may be NULL: then nothing is counted. */
static inline bool purse_take(struct purse *purse, size_t size)
{
    if (!purse)
        return true;
    if (size > purse->own + purse->taken - purse->spent)
        return purse_take_more(purse, size);
    purse->spent += size;
    return true;
}

/* Spends in any case, because what was computed must be sent. */
static inline void purse_spend(struct purse *purse, size_t size)
{
    purse->spent += size;
    if (purse->spent > purse->own + purse->taken) {
        size_t missing = purse->spent - purse->own - purse->taken;
        missing = (missing + PURSE_STEP - 1) / PURSE_STEP * PURSE_STEP;
        atomic_fetch_add(&purse->budget->taken, missing);
        purse->taken += missing;
    }
}

static inline void purse_return(struct purse *purse, size_t size)
{
    if (!purse)
        return;
    purse->spent -= size;
    size_t needed = purse->spent > purse->own ? purse->spent - purse->own : 0;
    size_t surplus = (purse->taken - needed) / PURSE_STEP;
    if (surplus > 1) { /* one step is kept */
        atomic_fetch_sub(&purse->budget->taken, (surplus - 1) * PURSE_STEP);
        purse->taken -= (surplus - 1) * PURSE_STEP;
    }
}

/* Gives the last step back, too, if it is not needed: between two requests. */
static inline void purse_settle(struct purse *purse)
{
    if (purse->taken > 0 && purse->spent <= purse->own) {
        atomic_fetch_sub(&purse->budget->taken, purse->taken);
        purse->taken = 0;
    }
}

/* Has the purse take from another budget from now on, also for what it has taken already. */
static inline void purse_change(struct purse *purse, struct budget *budget)
{
    if (purse->budget == budget)
        return;
    atomic_fetch_sub(&purse->budget->taken, purse->taken);
    atomic_fetch_add(&budget->taken, purse->taken);
    purse->budget = budget;
}

/* Returns how many bytes of the budget are left for everyone. The purse has nothing of its own. */
static inline size_t purse_left(const struct purse *purse)
{
    size_t taken = atomic_load_explicit(&purse->budget->taken, memory_order_relaxed);
    size_t left = purse->budget->limit > taken ? purse->budget->limit - taken : 0;
    return left + (purse->taken - purse->spent);
}

#endif
