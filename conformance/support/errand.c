#include "support/errand.h"

#include "support/memory.h"
#include "support/seconds.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#define GRACE  0.2            /* seconds in which an errand may still end by itself */
#define LOOK   (20 * 1000000) /* nanoseconds between two looks at the interruption */
#define OUTPUT (200 * 1000)   /* microseconds in which stdout has to take what is left */

/* All other threads go on when there is nothing else to do: what is still to be reported comes first. */
static void come_first(void)
{
    DIR *threads = opendir("/proc/self/task");
    const struct dirent *entry;
    while (threads && (entry = readdir(threads)) != NULL) {
        long thread = strtol(entry->d_name, NULL, 10); /* 0 for "." and ".." */
        if (thread > 0 && thread != gettid())
            setpriority(PRIO_PROCESS, (id_t)thread, 19);
    }
    if (threads)
        closedir(threads);
}

static bool is_over(struct errand_end *end)
{
    if (!end->interrupted || !*end->interrupted)
        return false;
    if (end->since == 0)
        end->since = seconds_now();
    return seconds_now() - end->since > GRACE && !(end->must_stay && end->must_stay());
}

bool errand_join(pthread_t thread, struct errand_end *end)
{
    struct timespec until;
    do {
        if (is_over(end)) {
            come_first();
            return false;
        }
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
    } while (pthread_timedjoin_np(thread, NULL, &until) != 0);
    return true;
}

struct errand {
    void (*work)(void *context);
    void *context;
};

static void *begin(void *argument)
{
    const struct errand *errand = argument;
    errand->work(errand->context);
    return NULL;
}

bool errand_run(void (*work)(void *context), void *context, struct errand_end *end)
{
    struct errand *errand = memory_zeroed(sizeof *errand);
    pthread_t thread;
    *errand = (struct errand){work, context};
    bool ended = true;
    if (pthread_create(&thread, NULL, begin, errand) == 0)
        ended = errand_join(thread, end);
    else
        work(context);
    if (ended)
        free(errand);
    return ended;
}

static int exit_code;

static void end_now(int number)
{
    (void)number;
    _exit(exit_code);
}

void errand_hurry(int code)
{
    const struct itimerval soon = {.it_value = {.tv_usec = OUTPUT}};
    exit_code = code;
    signal(SIGALRM, end_now);
    setitimer(ITIMER_REAL, &soon, NULL);
}

void errand_exit(int code)
{
    errand_hurry(code);
    fflush(stdout);
    _exit(code);
}
