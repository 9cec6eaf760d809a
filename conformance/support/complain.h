/* Says on stderr what is wrong with a command line, a file or a target. */
#pragma once

#include "base/status.h"

/* Prints a sentence, after everything that was printed on stdout. */
void complain(struct str why);

/* Prints the message of a status that is an error. Returns whether it is one. */
bool complain_of(struct status status);
