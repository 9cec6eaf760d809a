/* How each HTML page of the judge begins. */
#pragma once

#include "base/buf.h"

/* Appends the head of a page that needs no other file: the title, which is text of any bytes, the style sheet of all
 * pages (page.css), and what `style` adds to it. The body is to follow. */
void append_html_head(struct buf *out, struct str title, struct str style);
