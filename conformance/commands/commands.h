/* What oip-conformance can be asked to do: each command reads its options and returns the program's exit code. */
#ifndef COMMANDS_COMMANDS_H
#define COMMANDS_COMMANDS_H

#include "options.h"

enum exit_code {
    EXIT_CONFORMANT = 0,
    EXIT_NOT_CONFORMANT = 1, /* a MUST failed; mutation: a deviation survived; lint, coverage: something was found */
    EXIT_USAGE = 2,
    EXIT_UNREACHABLE = 3, /* or unresponsive */
    EXIT_SUITE = 4,       /* the suite itself failed */
    EXIT_WAIVER = 5,
    EXIT_TOO_FEW = 6,
    EXIT_INTERRUPTED = 130,
};

struct command {
    const char *name;
    int (*run)(const struct options *options);
    const char *usage; /* after "oip-conformance NAME" */
    const char *says;  /* one line */
};

int command_run(const struct options *options);
int command_mutation(const struct options *options);
int command_list(const struct options *options);    /* operands: none; --profile, --filter */
int command_explain(const struct options *options); /* operands: an ID or a key */
int command_lint(const struct options *options);    /* --fix */
int command_coverage(const struct options *options);

#endif
