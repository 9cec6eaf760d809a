#include "commands/commands.h"

#include <stdio.h>

void complain(struct str why)
{
    fflush(stdout);
    fprintf(stderr, "oip-conformance: %.*s\n", STR_ARG(why));
}
