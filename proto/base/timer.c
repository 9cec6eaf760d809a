#include "base/timer.h"

#include <stdlib.h>

static void put(struct timers *timers, size_t place, struct timer *timer)
{
    timers->heap[place - 1] = timer;
    timer->place = place;
}

static void rise(struct timers *timers, size_t place, struct timer *timer)
{
    while (place > 1 && timers->heap[place / 2 - 1]->at > timer->at) {
        put(timers, place, timers->heap[place / 2 - 1]);
        place /= 2;
    }
    put(timers, place, timer);
}

static void sink(struct timers *timers, size_t place, struct timer *timer)
{
    for (size_t child; (child = 2 * place) <= timers->count; place = child) {
        if (child < timers->count && timers->heap[child]->at < timers->heap[child - 1]->at)
            child++;
        if (timers->heap[child - 1]->at >= timer->at)
            break;
        put(timers, place, timers->heap[child - 1]);
    }
    put(timers, place, timer);
}

void timer_clear(struct timers *timers, struct timer *timer)
{
    size_t place = timer->place;
    if (place == 0)
        return;
    timer->place = 0;
    struct timer *last = timers->heap[--timers->count];
    if (last == timer)
        return;
    if (place > 1 && timers->heap[place / 2 - 1]->at > last->at)
        rise(timers, place, last);
    else
        sink(timers, place, last);
}

bool timer_set(struct timers *timers, struct timer *timer, int64_t at)
{
    timer_clear(timers, timer);
    if (timers->count == timers->capacity) {
        size_t capacity = timers->capacity ? timers->capacity * 2 : 64;
        struct timer **heap = realloc(timers->heap, capacity * sizeof(struct timer *));
        if (!heap)
            return false;
        timers->heap = heap;
        timers->capacity = capacity;
    }
    timer->at = at;
    rise(timers, ++timers->count, timer);
    return true;
}

int64_t timers_run(struct timers *timers, int64_t now)
{
    while (timers->count > 0 && timers->heap[0]->at <= now) {
        struct timer *timer = timers->heap[0];
        timer_clear(timers, timer);
        timer->due(timer);
    }
    return timers->count > 0 ? timers->heap[0]->at : NEVER;
}

void timers_free(struct timers *timers)
{
    free(timers->heap);
    *timers = (struct timers){0};
}
