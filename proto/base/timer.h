/* Timers that belong together: a heap with the next one on top. A timer lies in the struct that it belongs to. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NEVER INT64_MAX

/* The struct of that type in which a member lies that a pointer points to. */
#define OWNER_OF(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

struct timer {
    int64_t at;                       /* by clock_now */
    size_t place;                     /* in the heap, from 1; 0: not set */
    void (*due)(struct timer *timer); /* called once; the timer is not set any more then */
};

struct timers {
    struct timer **heap; /* from malloc */
    size_t count, capacity;
};

/* Sets a timer, or moves it if it is set. Returns false without memory; the timer is not set then. */
bool timer_set(struct timers *timers, struct timer *timer, int64_t at);
void timer_clear(struct timers *timers, struct timer *timer);

/* Calls each timer that is due, and returns when the next one is: NEVER if none is set. */
int64_t timers_run(struct timers *timers, int64_t now);

void timers_free(struct timers *timers);
