/* What the files share that write the report as an HTML page. Whatever they append is well-formed XML too. */
#pragma once

#include "report/summary.h"

#define HTML_TEXT 4000               /* bytes of a text that are shown */
#define HTML_FULL ((size_t)6 << 20)  /* bytes of the page from which on cases are shown by name alone */
#define HTML_MOST ((size_t)12 << 20) /* and those from which on only their number is */

struct page {
    const struct summary *summary;
    const struct report *report; /* the same as in `summary`, and so is `arena` */
    struct arena *arena;
    struct buf *out;
};

/* Appends markup of ours. */
#define html(page, literal) buf_append_literal((page)->out, literal)

/* Returns text of any bytes, shortened, for between tags or quotes, in the arena of the page. */
const char *html_escaped(struct page *page, struct str text);

/* Appends an element that holds text alone: its name, perhaps with attributes, such as "td class=\"n\"". */
void html_element(struct page *page, const char *tag, struct str text);

/* Appends an entry of a list of terms; an empty text has none. */
void html_entry(struct page *page, const char *label, struct str text);

/* Appends each source of a requirement as a link to the section of its document. */
void html_sources(struct page *page, const struct requirement *requirement);

/* Appends a mark and a word for a level ("must"), and for a standing of a row ("failed"). */
void html_level(struct page *page, enum level level);
void html_standing(struct page *page, enum standing standing);

/* The parts of the page, in its order; each of those below the head is a section whose heading the caller writes. */
void html_verdict(struct page *page);
void html_judged(struct page *page);
void html_failures(struct page *page);
void html_transport(struct page *page);
void html_blocked(struct page *page);
void html_warnings(struct page *page);
void html_open(struct page *page);
void html_untried(struct page *page);
void html_waived(struct page *page);
void html_ledger(struct page *page);
