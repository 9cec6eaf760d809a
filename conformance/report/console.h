/* What the files share that write the report for a person. */
#ifndef REPORT_CONSOLE_H
#define REPORT_CONSOLE_H

#include "report/summary.h"

#define CONSOLE_LINE 2000 /* bytes of a text in one line */

struct console {
    const struct report *report;
    struct summary summary;
    struct arena arena;
    struct buf *out;
    bool colour;
};

/* Appends an escape sequence such as "1;31", if the report is coloured. */
void console_paint(struct console *console, const char *sequence);

/* Writes each failure with what is needed to discuss it, then each warning, then the documents that they cite. Alike
 * failures of one requirement are told once. */
void console_failures(struct console *console);

/* Writes a table of the requirements that failed, the most frequent first. */
void console_failed_rows(struct console *console);

#endif
