/* What changed between two runs. */
#ifndef COMMANDS_DIFF_H
#define COMMANDS_DIFF_H

#include "commands/judged.h"
#include "commands/options.h"

/* Prints what changed, and writes it in the forms that the options ask for (--markdown, --json). Returns the exit code:
 * whether a MUST, or with --strict a SHOULD, is newly broken. */
int diff_tell(const struct options *options, const struct judged *old, const struct judged *new, struct arena *arena);

#endif
