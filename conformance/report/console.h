/* What the files share that write the report for a person. */
#ifndef REPORT_CONSOLE_H
#define REPORT_CONSOLE_H

#include "report/summary.h"

#define CONSOLE_TEXT 2000 /* bytes of a text that are printed */

struct console {
    const struct report *report;
    struct summary summary;
    struct arena arena;
    struct buf *out;
    bool colour;
};

/* Appends an escape sequence such as "1;31", if the report is coloured. */
void console_paint(struct console *console, const char *sequence);

/* Appends text of any bytes to the last line. Lines are broken so that they fit on a screen (support/wrap.h); each new
 * one begins with `indent` blanks. */
void console_text(struct console *console, struct str text, size_t indent);

/* Writes each failure with what is needed to discuss it, then each warning, then the documents that they cite. Alike
 * failures of one requirement are told once. */
void console_failures(struct console *console);

/* Writes a table of the requirements that failed, the most frequent first. */
void console_failed_rows(struct console *console);

#endif
