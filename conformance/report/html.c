/* The report as one page that needs no other file: what a vendor publishes, and what an engineer opens after a red run.
 */
#include "report/html.h"

#include "base/count.h"
#include "base/embed.h"
#include "report/headline.h"

EMBED(style, "report/page.css") /* the page needs no other file */

static size_t count_failures(const struct page *page)
{
    return page->failures.count - page->failures.layer_count[LAYER_TRANSPORT];
}

static size_t count_transport(const struct page *page)
{
    return page->failures.layer_count[LAYER_TRANSPORT];
}

static size_t count_blocked(const struct page *page)
{
    return page->summary.totals[VERDICT_BLOCKED];
}

static size_t count_warnings(const struct page *page)
{
    return page->warnings.count + page->summary.claim_count;
}

static size_t count_waived(const struct page *page)
{
    return page->waived.count;
}

static size_t count_untried(const struct page *page)
{
    return run_judged(page->report->run) ? page->summary.untried_count : 0;
}

static size_t count_open(const struct page *page)
{
    return SUM(i, page->summary.atlas_count,
               i == 0 || page->summary.atlas[i].requirement != page->summary.atlas[i - 1].requirement);
}

static size_t count_rows(const struct page *page)
{
    return page->summary.rows.count;
}

/* The sections behind the first one, which has no number; one whose number is 0 is left out. */
static const struct {
    const char *id, *heading;
    size_t (*count)(const struct page *page);
    void (*write)(struct page *page);
} sections[] = {
    {"failures", "Findings", count_failures, html_failures},
    {"blocked", "Blocked", count_blocked, html_blocked},
    {"transport", "Transport", count_transport, html_transport},
    {"warnings", "Warnings", count_warnings, html_warnings},
    {"open", "Left open by the documents", count_open, html_open},
    {"untried", "MUST rows not tried", count_untried, html_untried},
    {"waived", "Waived requirements", count_waived, html_waived},
    {"ledger", "Ledger", count_rows, html_ledger},
};

static void navigation(struct page *page)
{
    html(page, "<nav><ul>\n<li><a href=\"#judged\">What was judged</a></li>\n");
    for (size_t i = 0; i < COUNT_OF(sections); i++) {
        size_t count = sections[i].count(page);
        if (count)
            buf_printf(page->out, "<li><a href=\"#%s\">%s <b>%.*s</b></a></li>\n", sections[i].id, sections[i].heading,
                       STR_ARG(number_text(count, &page->arena)));
    }
    html(page, "</ul></nav>\n");
}

static void head(struct page *page)
{
    html(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
               "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>");
    html_text(page, str_of(page->summary.conclusion));
    for (size_t i = 0; i < ENDPOINTS_MAX; i++)
        if (page->report->addresses[i].at.size) {
            html(page, ": ");
            html_text(page, page->report->addresses[i].at);
            break;
        }
    html(page, " \xe2\x80\x93 OIP Conformance</title>\n<style>\n");
    buf_append_str(page->out, style());
    html(page, "</style>\n</head>\n");
}

static void body(struct page *page)
{
    html(page, "<body>\n");
    html_verdict(page);
    navigation(page);
    html(page, "<main>\n<section id=\"judged\">\n<h2>What was judged</h2>\n");
    html_judged(page);
    html(page, "</section>\n");
    for (size_t i = 0; i < COUNT_OF(sections); i++) {
        size_t count = sections[i].count(page);
        if (!count)
            continue;
        buf_printf(page->out, "<section id=\"%s\">\n<h2>%s <span class=\"count\">%.*s</span></h2>\n", sections[i].id,
                   sections[i].heading, STR_ARG(number_text(count, &page->arena)));
        sections[i].write(page);
        html(page, "</section>\n");
    }
    html(page, "</main>\n</body>\n</html>\n");
}

void report_html(const struct report *report, struct buf *out)
{
    struct page page = {.report = report, .arena = memory_arena(), .out = out};
    page.summary = summarize(report, &page.arena);
    page.failures = findings_of(report, FINDING_FAILURE, &page.arena);
    page.warnings = findings_of(report, FINDING_WARNING, &page.arena);
    page.waived = findings_of(report, FINDING_WAIVED, &page.arena);
    head(&page);
    body(&page);
    arena_free(&page.arena);
}
