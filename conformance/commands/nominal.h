/* What commands without a server use: the suite, and its plan for a target that has everything. */
#pragma once

#include "commands/commands.h"
#include "plan/plan.h"

struct nominal {
    struct suite suite;
    struct plan_target target;
    struct plan plan;
};

/* Loads the suite and makes the plan, with the profiles and filters of the options. False after a sentence on stderr;
 * the command then ends with EXIT_SUITE. nominal_close is needed in both cases. */
bool nominal_open(const struct options *options, struct nominal *nominal);
void nominal_close(struct nominal *nominal);

/* Does what a command does between the two. Returns its exit code, or EXIT_SUITE. */
int nominal_run(const struct options *options, int (*command)(struct nominal *nominal, const struct options *options));
