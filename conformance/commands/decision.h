/* With which exit code a run ends, and why. */
#pragma once

#include "report/report.h"
#include "targets/target.h"

/* Returns which broken requirements make the run fail. */
struct demands demands_of(const struct target *target);

/* Sets exit_code, reason, demands, ended and fell_short of the report. `status` says whether the run could be played,
 * and `faults` what is wrong with its waivers. */
void decide(struct target *target, const struct run *run, struct status status, struct str faults,
            struct report *report);
