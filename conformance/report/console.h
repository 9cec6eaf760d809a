/* What the files share that write the report for a person. */
#pragma once

#include "report/summary.h"

#define CONSOLE_TEXT 2000 /* bytes of a text that are printed */

struct console {
    const struct summary *summary;
    const struct report *report; /* the same as in `summary`, and so is `arena` */
    struct arena *arena;
    struct buf *out;
    bool colour;
};

/* Appends an escape sequence such as "1;31", if the report is coloured. */
void console_paint(struct console *console, const char *sequence);

/* Appends text of any bytes to the last line. Lines are broken so that they fit on a screen (support/wrap.h); each new
 * one begins with `indent` blanks. */
void console_text(struct console *console, struct str text, size_t indent);

/* The same with an end of the line after it; a line feed before the text is one. */
void console_paragraph(struct console *console, struct str text, size_t indent);

/* The same of a text that is printed. */
void console_say(struct console *console, size_t indent, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Appends a command that can be copied with all its lines; each new one begins with `indent` blanks. */
void console_command(struct console *console, struct str command, size_t indent);

/* Writes a block for each requirement that failed, in the order of the findings; with --all those of the transport and
 * warnings too, and every case by name. */
void console_findings(struct console *console);

/* Whether one of these blocks shows how to send again what the command sends. */
bool console_has_shown(const struct console *console, struct str command);

/* Writes how many requirements were warned of, and the claims of which nothing was judged. */
void console_warnings(struct console *console);

/* Writes which assertions did not come out alike in each round (--repeat), with the first exchange of each verdict. */
void console_flakes(struct console *console);

/* Writes why assertions were blocked or not applicable, what is open, and what the target does not offer. */
void console_reasons(struct console *console);
