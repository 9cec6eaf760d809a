#include "support/complain.h"

#include "support/printable.h"
#include "support/wrap.h"

#include <stdio.h>
#include <unistd.h>

/* Appends the text, each of its lines broken so that it fits on a screen. */
static void append_wrapped_lines(struct buf *out, struct str text)
{
    while (str_has(text, '\n')) {
        append_wrapped(out, str_take(&text, '\n'), 2);
        buf_append_byte(out, '\n');
    }
    append_wrapped(out, text, 2);
}

/* On a terminal the text is broken into lines; in a file it can be searched for. */
void complain(struct str why)
{
    struct buf text = {0}, lines = {0};
    buf_append_literal(&text, "oip-conformance: ");
    append_printable_lines(&text, why);
    if (isatty(STDERR_FILENO))
        append_wrapped_lines(&lines, buf_str(&text));
    else
        buf_append_str(&lines, buf_str(&text));
    fflush(stdout);
    fprintf(stderr, "%.*s\n", STR_ARG(buf_str(&lines)));
    buf_free(&text);
    buf_free(&lines);
}

bool complain_of(struct status status)
{
    if (!is_ok(status))
        complain(status.message);
    return !is_ok(status);
}
