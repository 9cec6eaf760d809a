#include "base/budget.h"

#include <stdint.h>

/* Says whether a purse may hold so much while all others hold `others`. */
static bool is_allowed(const struct budget *budget, size_t held, size_t others)
{
    return others <= budget->limit && held <= (budget->limit - others) / 2;
}

bool purse_take_more(struct purse *purse, size_t size)
{
    size_t spent, missing, held;
    struct budget *budget = purse->budget;
    bool is_absurd = __builtin_add_overflow(purse->spent, size, &spent) || spent > SIZE_MAX / 2;
    missing = is_absurd ? 0 : (spent - purse->own - purse->taken + PURSE_STEP - 1) / PURSE_STEP * PURSE_STEP;
    held = purse->taken + missing;
    if (is_absurd || !is_allowed(budget, held, 0)) {
        purse->shortage = SHORTAGE_ALWAYS;
        return false;
    }
    size_t taken = atomic_load(&budget->taken);
    do {
        if (!is_allowed(budget, held, taken - purse->taken)) {
            purse->shortage = SHORTAGE_NOW;
            return false;
        }
    } while (!atomic_compare_exchange_weak(&budget->taken, &taken, taken + missing));
    purse->taken += missing;
    purse->spent = spent;
    return true;
}
