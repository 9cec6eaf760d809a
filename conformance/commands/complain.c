#include "commands/commands.h"

#include "support/printable.h"

#include <stdio.h>

void complain(struct str why)
{
    struct buf line = {0};
    append_printable_lines(&line, why);
    fflush(stdout);
    fprintf(stderr, "oip-conformance: %.*s\n", STR_ARG(buf_str(&line)));
    buf_free(&line);
}
