/* The exit codes of the program. If there are several reasons, the first of 130, 124, 4, 3, 1, 5, 6, 2 is taken. */
#pragma once

enum exit_code {
    EXIT_CONFORMANT = 0,
    EXIT_NOT_CONFORMANT = 1, /* a MUST failed; mutation: a deviation survived; lint, coverage: something was found */
    EXIT_USAGE = 2,          /* the command line is wrong, or nothing was judged, or no inference succeeded */
    EXIT_UNREACHABLE = 3,    /* no endpoint answered, or the target stopped answering */
    EXIT_SUITE = 4,          /* a fault of the suite, a report could not be written, or models could not be put back */
    EXIT_WAIVER = 5,         /* a waiver is stale, expired or too broad */
    EXIT_TOO_FEW = 6,        /* fewer assertions were judged than --min asks for */
    EXIT_TIME_LIMIT = 124,   /* the run took longer than --time-limit; timeout(1) says so, too */
    EXIT_INTERRUPTED = 130,
};
