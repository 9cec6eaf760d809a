/* The reports that the flags of a run ask for. Each goes to a file, or to standard output if it is called "-". */
#pragma once

#include "flags/options.h"
#include "report/report.h"

#include <stdio.h>

/* The stream for a person: standard output, or standard error if a report is written there. */
FILE *reports_console(const struct options *options);

/* INVALID_ARGUMENT if two reports, or one and the tape, would be written to the same file or both to standard output;
 * the sentence names their flags. */
struct status reports_check(const struct options *options, struct arena *arena);

/* Checks before the run whether all reports can be written (report_try). */
struct status reports_try(const struct options *options, struct arena *arena);

/* Writes all reports, and then the one for people. If a report cannot be written, it says so on standard error, and
 * EXIT_CONFORMANT in the report becomes EXIT_SUITE, with the reason. */
void reports_write(const struct options *options, struct report *report, struct arena *arena);
