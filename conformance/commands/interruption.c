#include "commands/interruption.h"

#include "support/exit_code.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile int interrupted;

static void interrupt(int number)
{
    (void)number;
    if (interrupted)
        _exit(EXIT_INTERRUPTED);
    interrupted = 1;
}

void interruption_watch(void)
{
    struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interruption_came(void)
{
    return interrupted;
}

volatile int *interruption_flag(void)
{
    return &interrupted;
}

void interruption_let_go(void)
{
    interrupted = 1;
}
