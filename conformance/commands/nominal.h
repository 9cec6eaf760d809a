/* What the commands that ask no server look at: the suite, and its plan against a target that has everything. */
#ifndef COMMANDS_NOMINAL_H
#define COMMANDS_NOMINAL_H

#include "commands/commands.h"
#include "plan/plan.h"

struct nominal {
    struct suite suite;
    struct plan_target target;
    struct plan plan;
};

/* Loads and plans, with the profiles and filters of the options. False after a sentence on stderr: exit with
 * EXIT_SUITE. To be closed in any case. */
bool nominal_open(const struct options *options, struct nominal *nominal);
void nominal_close(struct nominal *nominal);

#endif
