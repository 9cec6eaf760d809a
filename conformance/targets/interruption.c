#include "targets/interruption.h"

#include "judge/run.h"
#include "support/exit_code.h"

#include <math.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static volatile int interrupted;

static void interrupt(int)
{
    if (interrupted == INTERRUPTED_BY_SIGNAL)
        _exit(EXIT_INTERRUPTED);
    interrupted = INTERRUPTED_BY_SIGNAL;
}

static void end_time(int)
{
    if (!interrupted)
        interrupted = INTERRUPTED_BY_TIME;
}

static void set_clock(double seconds)
{
    double whole = floor(seconds);
    const struct itimerval once = {
        .it_value = {.tv_sec = (time_t)whole, .tv_usec = (suseconds_t)ceil((seconds - whole) * 999999)}};
    setitimer(ITIMER_REAL, &once, NULL);
}

void interruption_watch(double time_limit)
{
    struct sigaction action = {.sa_handler = interrupt}, end = {.sa_handler = end_time};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGALRM, &end, NULL);
    set_clock(time_limit);
}

void interruption_stop_clock(void)
{
    set_clock(0);
}

bool interruption_came(void)
{
    return interrupted;
}

volatile int *interruption_flag(void)
{
    return &interrupted;
}

bool interruption_let_go(void)
{
    return __atomic_exchange_n(&interrupted, INTERRUPTED_BY_SIGNAL, __ATOMIC_SEQ_CST);
}
