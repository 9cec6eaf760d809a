/* The memory that all requests of one kind may take together. Each thread has a lease, which takes from the budget in
 * large steps, so that a small request touches no memory of other threads.
 *
 * The rule of shares: one may hold as much as is left for all others. So one gets at most half of the budget, two get a
 * third each, and a newcomer always finds something. lease_spend and lease_left leave it to the caller to keep the
 * rule, for a lease of many connections; lease_take keeps it, for a lease of one. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define LEASE_STEP ((size_t)1024 * 1024)

struct budget {
    size_t limit;
    atomic_size_t taken; /* by all leases; may exceed the limit by what was spent without asking */
};

/* Why lease_take has refused: others hold too much at the moment, or it would be too much for one at any time. */
enum shortage { SHORTAGE_NONE, SHORTAGE_NOW, SHORTAGE_ALWAYS, SHORTAGES };

/* Belongs to one thread at a time. */
struct lease {
    struct budget *budget;
    size_t own;             /* bytes that it may spend beside the budget */
    size_t taken, spent;    /* bytes; taken and own together are never less than spent */
    enum shortage shortage; /* of the last refusal, until the owner clears it */
};

/* Does the work of lease_take when the lease has not enough. */
bool lease_take_more(struct lease *lease, size_t size) __attribute__((cold));

/* Spends, if by the rule of shares it may. Each byte must be returned. `lease` may be NULL: then nothing is counted. */
static inline bool lease_take(struct lease *lease, size_t size)
{
    if (!lease)
        return true;
    if (size > lease->own + lease->taken - lease->spent)
        return lease_take_more(lease, size);
    lease->spent += size;
    return true;
}

/* Spends in any case, because what was computed must be sent. */
static inline void lease_spend(struct lease *lease, size_t size)
{
    lease->spent += size;
    if (lease->spent > lease->own + lease->taken) {
        size_t missing = lease->spent - lease->own - lease->taken;
        missing = (missing + LEASE_STEP - 1) / LEASE_STEP * LEASE_STEP;
        atomic_fetch_add(&lease->budget->taken, missing);
        lease->taken += missing;
    }
}

static inline void lease_return(struct lease *lease, size_t size)
{
    if (!lease)
        return;
    lease->spent -= size;
    size_t needed = lease->spent > lease->own ? lease->spent - lease->own : 0;
    size_t surplus = (lease->taken - needed) / LEASE_STEP;
    if (surplus > 1) { /* one step is kept */
        atomic_fetch_sub(&lease->budget->taken, (surplus - 1) * LEASE_STEP);
        lease->taken -= (surplus - 1) * LEASE_STEP;
    }
}

/* Has the lease, which has nothing of its own, no longer count so many bytes that it spent. They stay taken from the
 * budget until budget_return, which any thread may call. */
static inline void lease_leave(struct lease *lease, size_t size)
{
    lease->spent -= size;
    lease->taken -= size;
}

static inline void budget_return(struct budget *budget, size_t size)
{
    atomic_fetch_sub(&budget->taken, size);
}

/* Gives the last step back, too, if it is not needed: between two requests. */
static inline void lease_settle(struct lease *lease)
{
    if (lease->taken > 0 && lease->spent <= lease->own) {
        atomic_fetch_sub(&lease->budget->taken, lease->taken);
        lease->taken = 0;
    }
}

/* Has the lease take from another budget from now on, also for what it has taken already. */
static inline void lease_change(struct lease *lease, struct budget *budget)
{
    if (lease->budget == budget)
        return;
    atomic_fetch_sub(&lease->budget->taken, lease->taken);
    atomic_fetch_add(&budget->taken, lease->taken);
    lease->budget = budget;
}

/* Returns how many bytes of the budget are left for everyone. The lease has nothing of its own. */
static inline size_t lease_left(const struct lease *lease)
{
    size_t taken = atomic_load_explicit(&lease->budget->taken, memory_order_relaxed);
    size_t left = lease->budget->limit > taken ? lease->budget->limit - taken : 0;
    return left + (lease->taken - lease->spent);
}
