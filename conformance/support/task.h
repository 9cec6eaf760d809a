/* A task: work on what a target sends, in a thread of its own. Nobody knows how long that takes, so whoever waits
 * for it can leave it behind after the user has interrupted. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/* When those that wait go away. */
struct task_end {
    volatile int *interrupted; /* set by a signal; NULL: never */
    bool (*must_stay)(void);   /* while it returns true, nobody goes away; may be NULL */
    double since;              /* when the interruption was noticed; 0: not yet */
};

/* Waits until the thread has ended. False: it was left behind, a moment after the interruption. It goes on then, so
 * nothing that it uses may change or be freed, and the program has to end by task_exit. */
bool task_join(pthread_t thread, struct task_end *end);

/* Runs `work` in a thread and waits for it. False: it was left behind. Without memory for a thread it is done here. */
bool task_run(void (*work)(void *context), void *context, struct task_end *end);

/* From here on the program ends with that code in a fifth of a second, even if nobody takes what is still printed. */
void task_hurry(int code);

/* Ends the program while tasks go on: no destructor may run beside them. What stdout holds is written, if it is taken
 * soon. */
void task_exit(int code) __attribute__((noreturn));
