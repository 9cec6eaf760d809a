#include "support/task.h"

#include "support/memory.h"
#include "support/seconds.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#define GRACE  0.2            /* seconds in which a task may still end by itself */
#define LOOK   (20 * 1000000) /* nanoseconds between two looks at the interruption */
#define OUTPUT (200 * 1000)   /* microseconds in which stdout has to take what is left */

static bool is_over(struct task_end *end)
{
    if (!end->interrupted || !*end->interrupted)
        return false;
    if (end->since == 0)
        end->since = seconds_now();
    return seconds_now() - end->since > GRACE && !(end->must_stay && end->must_stay());
}

bool task_join(pthread_t thread, struct task_end *end)
{
    struct timespec until;
    do {
        if (is_over(end))
            return false;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
    } while (pthread_timedjoin_np(thread, NULL, &until) != 0);
    return true;
}

struct task {
    void (*work)(void *context);
    void *context;
};

static void *begin(void *argument)
{
    const struct task *task = argument;
    task->work(task->context);
    return NULL;
}

bool task_run(void (*work)(void *context), void *context, struct task_end *end)
{
    struct task *task = memory_zeroed(sizeof *task);
    pthread_t thread;
    *task = (struct task){work, context};
    bool ended = true;
    if (pthread_create(&thread, NULL, begin, task) == 0)
        ended = task_join(thread, end);
    else
        work(context);
    if (ended)
        free(task);
    return ended;
}

static int exit_code;

static void end_now(int)
{
    _exit(exit_code);
}

void task_hurry(int code)
{
    const struct itimerval soon = {.it_value = {.tv_usec = OUTPUT}};
    exit_code = code;
    signal(SIGALRM, end_now);
    setitimer(ITIMER_REAL, &soon, NULL);
}

void task_exit(int code)
{
    task_hurry(code);
    fflush(stdout);
    _exit(code);
}
