/* What a run says: to a person (console), to CI (JUnit) and to programs (JSON; schema in report/report.schema.json).
 *
 * Whatever came from a target is written so that it does nothing to a terminal, and as valid XML and JSON whatever its
 * bytes. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "judge/run.h"

struct report {
    const struct suite *suite;
    const struct plan *plan;
    const struct run *run;
    const struct plan_target *target;
    const struct address *addresses; /* that are asked, by the endpoint's index */
    struct str server_name, server_version;
    size_t jobs, seed;
    bool strict;
    int exit_code;
    struct str reason;   /* of the exit code, a sentence; or empty */
    struct str notes;    /* oddities of discovery, a line each; or empty */
    const char *command; /* how the program was called */
};

/* Text for the terminal or a log; `colour`: with escape sequences. */
void report_console(const struct report *report, bool colour, struct buf *out);

/* One testsuite a profile, one testcase an assertion: classname = path, name = ID. fail and timeout are <failure>,
 * error is <error>, blocked, not-applicable, disabled and waived are <skipped>, warn passes with <system-out>. */
void report_junit(const struct report *report, struct buf *out);

void report_json(const struct report *report, struct buf *out);

/* Writes the buffer as the file, making its folder; replaced at once, never half-written. UNAVAILABLE names the file
 * and the reason. */
struct status report_save(const struct buf *text, const char *path, struct arena *arena);

#endif
