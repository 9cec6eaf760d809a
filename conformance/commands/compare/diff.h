/* What changed between two runs, or differs between two targets. */
#pragma once

#include "commands/compare/contrast.h"
#include "commands/past_run.h"
#include "flags/options.h"

/* Prints what changed, and writes it in the forms that the options ask for (--markdown, --json). Returns the exit code:
 * whether a MUST, or with --strict a SHOULD, is newly broken. `contrasts`: of two targets, how else their answers
 * differ; NULL: the runs are of one target, the old one before the new one. */
int diff_print(const struct options *options, const struct past_run *old, const struct past_run *new,
               const struct contrasts *contrasts, struct arena *arena);
