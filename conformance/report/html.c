/* The report as one page that needs no other file: what a vendor publishes, and what an engineer opens after a red run.
 */
#include "report/html.h"

#include "base/count.h"
#include "report/escape.h"
#include "report/headline.h"
#include "support/memory.h"

#include <ctype.h>

void html_text(struct page *page, struct str text)
{
    append_escaped(page->out, text, HTML_TEXT);
}

void html_element(struct page *page, const char *tag, struct str text)
{
    buf_printf(page->out, "<%s>", tag);
    html_text(page, text);
    buf_printf(page->out, "</%.*s>", (int)strcspn(tag, " "), tag);
}

/* --- Links to documents --- */

/* Appends the name by which the pages of documents know a section: "section-15.5" of an RFC, else the words of the
 * heading, which stands before a comma: "grpc-model-metadata". */
static void anchor(struct buf *out, struct str section)
{
    const char *comma = memmem(section.data, section.size, ", ", 2);
    size_t size = comma ? (size_t)(comma - section.data) : section.size;
    bool numbered = size && isdigit((unsigned char)section.data[0]);
    if (numbered)
        buf_append_literal(out, "section-");
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)section.data[i];
        if (c == ' ')
            buf_append_byte(out, '-');
        else if (isalnum(c) || c == '-' || c == '_' || (numbered && c == '.'))
            buf_append_byte(out, (char)tolower(c));
    }
}

static void source_link(struct page *page, const struct tree *source)
{
    struct str name = tree_text(source, "text"), section = tree_text(source, "section");
    const struct tree *document = tree_member_str(page->report->suite->documents, name);
    struct str address = tree_text(document, "address");
    if (address.size) {
        html(page, "<a href=\"");
        html_text(page, address);
        buf_append_byte(page->out, '#');
        anchor(page->out, section);
        html(page, "\">");
    }
    html_text(page, name);
    if (section.size) {
        html(page, ", \xe2\x80\x9c");
        html_text(page, section);
        html(page, "\xe2\x80\x9d");
    }
    if (address.size)
        html(page, "</a>");
}

/* Whether an earlier source of the requirement has the same text and section. */
static bool is_repeated(const struct requirement *requirement, const struct tree *source)
{
    for (const struct tree *earlier = requirement->sources->first; earlier != source; earlier = earlier->next)
        if (str_equal(tree_text(earlier, "text"), tree_text(source, "text")) &&
            str_equal(tree_text(earlier, "section"), tree_text(source, "section")))
            return true;
    return false;
}

void html_sources(struct page *page, const struct requirement *requirement)
{
    const char *separator = "";
    const struct tree *sources = requirement->sources;
    for (const struct tree *source = sources ? sources->first : NULL; source; source = source->next) {
        if (is_repeated(requirement, source))
            continue;
        buf_printf(page->out, "%s", separator);
        source_link(page, source);
        separator = "; ";
    }
}

/* --- Marks: never a colour alone --- */

void html_level(struct page *page, enum level level)
{
    static const char *const words[] = {
        [LEVEL_MUST] = "MUST", [LEVEL_SHOULD] = "SHOULD", [LEVEL_MAY] = "MAY", [LEVEL_OPEN] = "OPEN"};
    buf_printf(page->out, "<span class=\"level %s\">%s</span>", level_name(level), words[level]);
}

void html_standing(struct page *page, enum standing standing)
{
    static const struct {
        const char *class, *mark;
    } looks[STANDING_COUNT] = {
        [STANDING_MET] = {"good", "\xe2\x9c\x93"},   [STANDING_PARTLY] = {"none", "\xe2\x9c\x93"},
        [STANDING_FAILED] = {"bad", "\xe2\x9c\x95"}, [STANDING_WAIVED] = {"part", "~"},
        [STANDING_WARNED] = {"part", "!"},           [STANDING_UNTRIED] = {"none", "\xe2\x80\x93"},
        [STANDING_SEEN] = {"none", "\xe2\x80\xa2"},  [STANDING_UNTESTED] = {"none", "\xe2\x80\x93"},
    };
    buf_printf(page->out, "<span class=\"standing %s\"><span class=\"mark\" aria-hidden=\"true\">%s</span>%s</span>",
               looks[standing].class, looks[standing].mark, standing_name(standing));
}

/* --- The page --- */

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
    size_t count = 0;
    for (size_t i = 0; i < page->summary.atlas_count; i++)
        count += i == 0 || page->summary.atlas[i].requirement != page->summary.atlas[i - 1].requirement;
    return count;
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
    buf_append_str(page->out, html_style());
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
