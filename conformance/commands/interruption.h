/* SIGINT and SIGTERM end a run in good order, so that it is reported; a second signal ends the program at once. */
#ifndef COMMANDS_INTERRUPTION_H
#define COMMANDS_INTERRUPTION_H

#include <stdbool.h>

/* From here on the signals set the flag. */
void interruption_watch(void);

/* Whether a signal came. */
bool interruption_came(void);

/* The flag itself, for those who wait. */
volatile int *interruption_flag(void);

/* Everything that a signal must not cut is done: the next one ends the program at once. */
void interruption_let_go(void);

#endif
