/* SIGINT, SIGTERM and the time limit end a run in good order, so that it is reported; a second signal ends the program
 * at once. */
#pragma once

#include <stdbool.h>

/* From here on the signals set the flag, and so does the end of the time. */
void interruption_watch(double time_limit);

/* Whether a signal came, or the time has ended. */
bool interruption_came(void);

/* The time that is left no longer ends anything. */
void interruption_stop_clock(void);

/* The flag itself, for those who wait: 0, or enum interruption (judge/run.h). */
volatile int *interruption_flag(void);

/* Everything that a signal must not cut is done: the next one ends the program at once. Says whether one came before,
 * or the time has ended. */
bool interruption_let_go(void);
