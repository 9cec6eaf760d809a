#include "grpc/attention.h"

/* Changes the state if it is `from`. */
static bool go(struct attention *attention, enum attention_state from, enum attention_state to)
{
    return atomic_compare_exchange_strong(&attention->state, &from, to);
}

void attention_ask(struct attention *attention)
{
    static const enum attention_state next[] = {
        [ATTENTION_RESTS] = ATTENTION_POSTED,   [ATTENTION_POSTED] = ATTENTION_POSTED,
        [ATTENTION_ATTENDED] = ATTENTION_AGAIN, [ATTENTION_AGAIN] = ATTENTION_AGAIN,
        [ATTENTION_OVER] = ATTENTION_OVER,
    };
    enum attention_state state = atomic_load(&attention->state);
    while (!atomic_compare_exchange_weak(&attention->state, &state, next[state]))
        ; /* another thread was faster */
    if (state == ATTENTION_RESTS)
        loop_post(attention->loop, &attention->post);
}

void attention_taken(struct attention *attention)
{
    atomic_store(&attention->state, ATTENTION_RESTS);
}

void attention_enter(struct attention *attention)
{
    go(attention, ATTENTION_RESTS, ATTENTION_ATTENDED);
}

bool attention_leave(struct attention *attention)
{
    return go(attention, ATTENTION_ATTENDED, ATTENTION_RESTS) || !go(attention, ATTENTION_AGAIN, ATTENTION_ATTENDED);
}

bool attention_end(struct attention *attention)
{
    return go(attention, ATTENTION_RESTS, ATTENTION_OVER);
}
