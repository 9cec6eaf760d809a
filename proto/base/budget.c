#include "base/budget.h"

#include <stdint.h>

/* Says whether a lease may hold so much while all others hold `others`. */
static bool is_allowed(const struct budget *budget, size_t held, size_t others)
{
    return others <= budget->limit && held <= (budget->limit - others) / 2;
}

bool lease_take_more(struct lease *lease, size_t size)
{
    size_t spent, missing, held;
    struct budget *budget = lease->budget;
    bool is_absurd = __builtin_add_overflow(lease->spent, size, &spent) || spent > SIZE_MAX / 2;
    missing = is_absurd ? 0 : (spent - lease->own - lease->taken + LEASE_STEP - 1) / LEASE_STEP * LEASE_STEP;
    held = lease->taken + missing;
    if (is_absurd || !is_allowed(budget, held, 0)) {
        lease->shortage = SHORTAGE_ALWAYS;
        return false;
    }
    size_t taken = atomic_load(&budget->taken);
    do {
        if (!is_allowed(budget, held, taken - lease->taken)) {
            lease->shortage = SHORTAGE_NOW;
            return false;
        }
    } while (!atomic_compare_exchange_weak(&budget->taken, &taken, taken + missing));
    lease->taken += missing;
    lease->spent = spent;
    return true;
}
