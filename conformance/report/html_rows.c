/* The rows of the ledger: those that the documents leave open, MUSTs that were not tried, and all. */
#include "report/html.h"

#include "base/search.h"
#include "report/headline.h"

/* Appends the cell of a requirement: its key and what it says. */
static void requirement_cell(struct page *page, const struct requirement *requirement)
{
    buf_printf(page->out, "<th scope=\"row\"><code>%s</code><span class=\"says\">%s</span></th>",
               html_escaped(page, requirement->key), html_escaped(page, requirement->says));
}

/* --- Open rows --- */

void html_open(struct page *page)
{
    const struct summary *summary = page->summary;
    html(page, "<p class=\"lead\">Where the documents leave a choice, the report records what the server does, and how "
               "often. Nothing here counts for or against the server.</p>\n"
               "<details><summary>What was seen</summary>\n<table class=\"rows\">\n"
               "<thead><tr><th scope=\"col\">Question</th><th scope=\"col\">Seen</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < summary->atlas_count; i++) {
        const struct sighting *sighting = &summary->atlas[i];
        bool first = i == 0 || summary->atlas[i - 1].requirement != sighting->requirement;
        bool last = i + 1 == summary->atlas_count || summary->atlas[i + 1].requirement != sighting->requirement;
        if (first) {
            html(page, "<tr>");
            requirement_cell(page, sighting->requirement);
            html(page, "<td>");
        }
        buf_printf(page->out, "<span class=\"seen\">%s <span class=\"times\">\xc3\x97 %s</span></span>",
                   html_escaped(page, sighting->name), number_text(sighting->count, page->arena).data);
        if (last)
            html(page, "</td></tr>\n");
    }
    html(page, "</tbody></table></details>\n");
}

/* --- Blocked assertions --- */

static void blocked_by(struct page *page, size_t count, struct str what, struct str key)
{
    buf_printf(page->out, "<tr><td class=\"n\">%s</td><td>%s</td><td>", number_text(count, page->arena).data,
               html_escaped(page, what));
    if (key.size)
        html_element(page, "code", key);
    html(page, "</td></tr>\n");
}

void html_blocked(struct page *page)
{
    const struct waits *waits = &page->summary->waits;
    size_t left = page->summary->totals[VERDICT_BLOCKED];
    html(page, "<p class=\"lead\">Assertions that mean nothing until something else holds, grouped by what they wait "
               "for.</p>\n"
               "<div class=\"wide\"><table>\n<thead><tr><th class=\"n\" scope=\"col\">Assertions</th>"
               "<th scope=\"col\">wait for</th><th scope=\"col\">Requirement</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < waits->root_count; i++) {
        const struct result *result = waits->roots[i].result;
        left -= waits->roots[i].waiting;
        blocked_by(page, waits->roots[i].waiting, waits_what_came(result, page->arena),
                   result->assertion->requirement->key);
    }
    if (left)
        blocked_by(page, left, STR("something else, which stands with each assertion in the JSON report"), STR(""));
    html(page, "</tbody></table></div>\n");
}

/* --- Rows that were not tried --- */

static void untried_rows(struct page *page, const struct reason *reason)
{
    const struct summary *summary = page->summary;
    html(page, "<ul>\n");
    for (size_t i = 0; i < summary->untried_count; i++) {
        const struct requirement *requirement = summary->untried[i].requirement;
        if (!str_equal(summary->untried[i].why, reason->first->why))
            continue;
        buf_printf(page->out, "<li><code>%s</code><span class=\"why\">%s</span></li>\n",
                   html_escaped(page, requirement->key), html_escaped(page, requirement->says));
    }
    html(page, "</ul>\n");
}

void html_untried(struct page *page)
{
    const struct summary *summary = page->summary;
    html(page, "<p class=\"lead\">Grouped by the reason, which says what is needed to try them.</p>\n");
    FOR_EACH(reason, summary->reasons, summary->reason_count) {
        buf_printf(page->out,
                   "<details class=\"finding\"><summary><span class=\"times\">%zu row%s</span>"
                   "<span class=\"says\">%s</span></summary>\n",
                   reason->count, reason->count == 1 ? "" : "s", html_escaped(page, reason->first->why));
        untried_rows(page, reason);
        html(page, "</details>\n");
    }
}

/* --- The ledger --- */

/* Appends how many of the judged assertions of a row passed. */
static void passes(struct page *page, const struct row *row)
{
    size_t passed = row->judged[VERDICT_PASS] + row->judged[VERDICT_PASS_WEAK], judged = judged_of(row->judged);
    if (judged)
        buf_printf(page->out, "<td class=\"n\">%zu of %zu</td>", passed, judged);
    else
        html(page, "<td class=\"n zero\">\xe2\x80\x93</td>");
}

static bool is_in(const struct findings *findings, const struct requirement *requirement)
{
    return ANY(i, findings->count, findings->items[i].requirement == requirement) ||
           ANY(i, findings->follower_count, findings->followers[i].requirement == requirement);
}

/* Appends what became of the row, with a link to what is told of it above. */
static void standing(struct page *page, const struct row *row)
{
    const char *told = is_in(&page->summary->failures, row->requirement)   ? "fail"
                       : is_in(&page->summary->warnings, row->requirement) ? "warn"
                       : is_in(&page->summary->waived, row->requirement)   ? "waive"
                                                                           : NULL;
    html(page, "<td>");
    if (told)
        buf_printf(page->out, "<a href=\"#%s-%s\">", told, html_escaped(page, row->requirement->key));
    html_standing(page, row->standing);
    if (told)
        html(page, "</a>");
    html(page, "</td>");
}

static void ledger_row(struct page *page, const struct row *row)
{
    buf_printf(page->out, "<tr id=\"row-%s\">", html_escaped(page, row->requirement->key));
    requirement_cell(page, row->requirement);
    html(page, "<td>");
    html_level(page, row->requirement->level);
    html(page, "</td>");
    standing(page, row);
    passes(page, row);
    html(page, "<td class=\"source\">");
    html_sources(page, row->requirement);
    html(page, "</td></tr>\n");
}

void html_ledger(struct page *page)
{
    const struct rows *rows = &page->summary->rows;
    html(page, "<p class=\"lead\">Every row of the profiles that were asked, and of the texts that these build on.");
    if (rows->left_out)
        buf_printf(page->out, " Those of profiles that were not asked (%s) are left out.",
                   number_text(rows->left_out, page->arena).data);
    html(page, "</p>\n<details><summary>All rows with their verdicts</summary>\n<div class=\"wide\">"
               "<table class=\"rows\">\n<thead><tr><th scope=\"col\">Requirement</th><th scope=\"col\">Level</th>"
               "<th scope=\"col\">Verdict</th><th class=\"n\" scope=\"col\">Passed</th><th scope=\"col\">Source</th>"
               "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < rows->count; i++)
        ledger_row(page, &rows->items[i]);
    html(page, "</tbody></table></div></details>\n");
}
