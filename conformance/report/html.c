/* The report as one page without other files: what a vendor publishes, and an engineer opens after a red run. */
#include "report/html.h"

#include "report/escape.h"
#include "report/headline.h"

/* A section after the first one, which has no number. It is left out if its number is 0. */
struct section {
    const char *id, *heading;
    size_t count;
    void (*write)(struct page *page);
};

#define SECTIONS 8

static void navigation(struct page *page, const struct section *sections)
{
    html(page, "<nav><ul>\n<li><a href=\"#judged\">What was judged</a></li>\n");
    for (size_t i = 0; i < SECTIONS; i++)
        if (sections[i].count)
            buf_printf(page->out, "<li><a href=\"#%s\">%s <b>%.*s</b></a></li>\n", sections[i].id, sections[i].heading,
                       STR_ARG(number_text(sections[i].count, page->arena)));
    html(page, "</ul></nav>\n");
}

/* Returns the conclusion, and the first address that was judged. */
static struct str title_of(const struct summary *summary)
{
    const struct address *addresses = summary->report->addresses;
    struct str at = FIRST(i, ENDPOINTS_MAX, addresses[i].at.size > 0, addresses[i].at, STR(""));
    return arena_printf(summary->arena, "%s%s%.*s \xe2\x80\x93 OIP Conformance", conclusion_name(summary->conclusion),
                        at.size ? ": " : "", STR_ARG(at));
}

static void body(struct page *page, const struct section *sections)
{
    html(page, "<body>\n");
    html_verdict(page);
    navigation(page, sections);
    html(page, "<main>\n<section id=\"judged\">\n<h2>What was judged</h2>\n");
    html_judged(page);
    html(page, "</section>\n");
    for (size_t i = 0; i < SECTIONS; i++) {
        if (!sections[i].count)
            continue;
        buf_printf(page->out, "<section id=\"%s\">\n<h2>%s <span class=\"count\">%.*s</span></h2>\n", sections[i].id,
                   sections[i].heading, STR_ARG(number_text(sections[i].count, page->arena)));
        sections[i].write(page);
        html(page, "</section>\n");
    }
    html(page, "</main>\n</body>\n</html>\n");
}

/* Counts the questions that the documents leave open and that were seen answered. */
static size_t count_open(const struct summary *summary)
{
    return SUM(i, summary->atlas_count, i == 0 || summary->atlas[i].requirement != summary->atlas[i - 1].requirement);
}

void report_html(const struct summary *summary, struct buf *out)
{
    struct page page = {summary, summary->report, summary->arena, out};
    size_t transport = summary->failures.layer_count[LAYER_TRANSPORT];
    const struct section sections[SECTIONS] = {
        {"failures", "Findings", summary->failures.count - transport, html_failures},
        {"blocked", "Blocked", summary->totals[VERDICT_BLOCKED], html_blocked},
        {"transport", "Transport", transport, html_transport},
        {"warnings", "Warnings", summary->warnings.count + summary->claim_count, html_warnings},
        {"open", "Left open by the documents", count_open(summary), html_open},
        {"untried", "MUST requirements not tried", run_judged(page.report->run) ? summary->untried_count : 0,
         html_untried},
        {"waived", "Waived requirements", summary->waived.count, html_waived},
        {"ledger", "Ledger", summary->rows.count, html_ledger},
    };
    append_html_head(out, title_of(summary), STR(""));
    body(&page, sections);
}
