/* Reports of a run: for a person (console, HTML), for CI (JUnit, markdown) and for programs (JSON; its schema is
 * report/report.schema.json). Whatever comes from a target is written so that it cannot control a terminal, and so that
 * XML, HTML and JSON stay valid.
 *
 * The folder report/ only prints what a run found; it decides no verdict and no exit code. It uses judge/ and support/;
 * it may not include mutation/, lint/ or commands/. */
#pragma once

#include "judge/run.h"

#include <time.h>

struct report {
    const struct suite *suite;
    const struct plan *plan;
    const struct run *run;
    const struct plan_target *target;
    const struct address *addresses; /* the addresses that are asked, by the endpoint's index */
    struct str server_name, server_version;
    struct str suite_digest;      /* suite_digest() of the suite */
    bool edited;                  /* the suite is not the one inside the program */
    const char *evidence;         /* folder of the files that commands name; it exists only if there are any */
    struct str tape, tape_digest; /* the file of --record, and its digest; empty: nothing was recorded */
    time_t started;
    size_t jobs, seed;
    struct demands demands; /* what makes the run fail */
    bool insecure;          /* the certificate of an endpoint was not checked */
    bool all;               /* nothing is left out on the console (--all) */
    bool ended;      /* the run came to its end, and inferences ran wherever they had to: without a failure, the target
                        conforms */
    bool fell_short; /* the only reason for exit_code is that the conclusion is less than --accept demands */
    int exit_code;
    struct str reason;   /* reason of the exit code, a sentence; or empty */
    struct str notes;    /* oddities that discovery found, a line each; or empty */
    struct str requests; /* what each model is probed with, a line each; or empty */
    const char *command; /* how the program was called, with all flags; values of --header are hidden */
};

/* What all reports say, which summarize() makes of a run (report/summary.h). */
struct summary;

/* Writes text for a terminal or a log. `colour`: with escape sequences. */
void report_console(const struct summary *summary, bool colour, struct buf *out);

/* Writes one testsuite for each profile and one testcase for each assertion, with name = ID and classname = the path of
 * its case, with dots for slashes. fail and timeout become <failure>, whose type is the level or "timeout", error
 * becomes <error>; blocked, not-applicable and waived become <skipped>; warn passes with <system-out>, and so does what
 * was observed. Disabled assertions are left out. */
void report_junit(const struct summary *summary, struct buf *out);

/* Writes one JSON object, as report/report.schema.json describes it. */
void report_json(const struct summary *summary, struct buf *out);

/* Writes one HTML page that needs no other file and has no script: the verdict, what was judged, each failure and each
 * warning by its requirement, what is open, what was not tried, what is waived, and the ledger. It is well-formed XML,
 * and its size is bounded, whatever a target sends. */
void report_html(const struct summary *summary, struct buf *out);

/* Writes a short summary in the markdown of CI services: the verdict, the profiles, and each requirement that failed
 * with the first of its cases. No text of a target can become markup in it, and its size is bounded. */
void report_markdown(const struct summary *summary, struct buf *out);

/* Writes a picture in SVG for the page of a project: the conclusion, and how many MUST requirements hold. */
void report_badge(const struct summary *summary, struct buf *out);

/* Checks before a run whether a report can be written to the path. It makes the folder, and leaves no file in it. The
 * status says why not. */
struct status report_try(const char *path, struct arena *arena);

/* Writes the buffer into a file and makes its folder; "-" is standard output. The file is replaced at once, so that it
 * is never half written. UNAVAILABLE names the file and the reason. */
struct status report_save(const struct buf *text, const char *path, struct arena *arena);
