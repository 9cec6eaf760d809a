/* What a run says: to a person (console), to CI (JUnit) and to programs (JSON; schema in report/report.schema.json). */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "judge/run.h"

struct report {
    const struct suite *suite;
    const struct plan *plan;
    const struct run *run;
    const struct plan_target *target;
    struct str http, grpc;  /* as given */
    struct str server_name, server_version;
    size_t jobs;
    int exit_code;
    const char *command; /* how the program was called */
};

void report_console(const struct report *report, bool colour, struct buf *out);
void report_junit(const struct report *report, struct buf *out);
void report_json(const struct report *report, struct buf *out);

/* Writes the buffer as the file, making its folder; replaced at once, never half-written. */
struct status report_save(const struct buf *text, const char *path, struct arena *arena);

#endif
