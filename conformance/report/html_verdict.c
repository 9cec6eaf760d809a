/* The head of the page, and what was judged: the target, the profiles with their rows, and the documents. */
#include "report/html.h"

#include "base/search.h"
#include "report/headline.h"
#include "report/remarks.h"
#include "support/version.h"

/* --- The verdict --- */

static void addresses(struct page *page)
{
    FOR_EACH(address, page->report->addresses, ENDPOINTS_MAX)
        if (address->at.size)
            html_entry(page, arena_copy(page->arena, address->endpoint->called).data, address->at);
}

static void facts(struct page *page, const struct headline *headline)
{
    const struct report *report = page->report;
    struct arena *arena = page->arena;
    html(page, "<dl class=\"facts\">\n");
    addresses(page);
    html_entry(page, "Server", headline->server);
    html_entry(page, "When", headline->when);
    html_entry(page, "Program", STR("oip-conformance " PROGRAM_VERSION));
    html_entry(page, "Seed", arena_printf(arena, "%zu", report->seed));
    html(page, "</dl>\n<dl class=\"facts long\">\n");
    html_entry(page, "Judged",
               arena_printf(arena, "%.*s of %.*s planned assertions, %.*s exchanges, %.1f s",
                            STR_ARG(number_text(run_judged(report->run), arena)),
                            STR_ARG(number_text(report->plan->assertion_count, arena)),
                            STR_ARG(number_text(report->run->exchanges, arena)), report->run->seconds));
    html_entry(page, "Exit code", arena_printf(arena, "%d: %.*s", report->exit_code, STR_ARG(report->reason)));
    if (report->insecure)
        html_entry(page, "Certificate",
                   STR("of the server was not checked, so its identity is not proved (--insecure)"));
    html(page, "</dl>\n");
}

void html_verdict(struct page *page)
{
    struct headline headline = headline_of(page->summary);
    buf_printf(page->out,
               "<header class=\"%s\">\n<p class=\"kicker\">OIP Conformance</p>\n"
               "<h1><span class=\"mark\" aria-hidden=\"true\">%s</span>%s</h1>\n",
               headline.look.tone, headline.look.mark, headline.words);
    html_element(page, "p class=\"meaning\"", headline.sentences);
    buf_append_byte(page->out, '\n');
    if (headline.transport.size)
        html_element(page, "p class=\"beside\"", headline.transport);
    buf_printf(page->out, "<p class=\"next\"><strong>Next:</strong> %s</p>\n", html_escaped(page, headline.next));
    facts(page, &headline);
    html(page, "</header>\n");
}

/* --- The rows of each profile --- */

/* The columns of the table of profiles. */
struct table {
    const struct rows_column *columns[ROWS_COLUMNS];
    size_t count;
};

/* Returns what a cell needs where a level begins. */
static const char *edge(const struct table *table, size_t i)
{
    return i == 0 || table->columns[i]->first != table->columns[i - 1]->first ? " edge" : "";
}

static void cells(struct page *page, const struct table *table, struct str prefix)
{
    for (size_t i = 0; i < table->count; i++) {
        enum standing standing = table->columns[i]->standing;
        size_t count = rows_count(&page->summary->rows, table->columns[i], prefix);
        const char *tone = !count                        ? " zero"
                           : standing == STANDING_FAILED ? " bad"
                           : standing == STANDING_WARNED ? " part"
                                                         : "";
        buf_printf(page->out, "<td class=\"n%s%s\">%zu</td>", tone, edge(table, i), count);
    }
    html(page, "</tr>\n");
}

/* Appends a cell that spans the columns of one level. */
static void level_heading(struct page *page, const struct table *table, const char *heading, enum level first)
{
    size_t span = SUM(i, table->count, table->columns[i]->first == first);
    buf_printf(page->out, "<th class=\"edge\" colspan=\"%zu\" scope=\"colgroup\">%s</th>", span, heading);
}

static void headings(struct page *page, const struct table *table)
{
    html(page, "<thead>\n<tr><th rowspan=\"2\" scope=\"col\">Profile</th>"
               "<th rowspan=\"2\" scope=\"col\">Stands</th>");
    level_heading(page, table, "MUST", LEVEL_MUST);
    level_heading(page, table, "SHOULD", LEVEL_SHOULD);
    level_heading(page, table, "open", LEVEL_MAY);
    html(page, "</tr>\n<tr>");
    for (size_t i = 0; i < table->count; i++)
        buf_printf(page->out, "<th class=\"n%s\" scope=\"col\">%s</th>", edge(table, i), table->columns[i]->heading);
    html(page, "</tr>\n</thead>\n");
}

/* Appends the cell that says what is concluded about a profile; an empty one for a text. */
static void conclusion_cell(struct page *page, enum conclusion conclusion, bool is_profile)
{
    struct look look = look_of(conclusion);
    if (!is_profile)
        html(page, "<td></td>");
    else
        buf_printf(page->out,
                   "<td><span class=\"standing %s\"><span class=\"mark\" aria-hidden=\"true\">%s</span>%s</span></td>",
                   conclusion == CONCLUSION_NOT_JUDGED ? "none" : look.tone, look.mark, conclusion_name(conclusion));
}

/* Appends the rows of the table for the profiles, or for the texts below them. */
static void table_part(struct page *page, const struct table *table, bool below)
{
    const struct rows *rows = &page->summary->rows;
    for (const struct row *row = rows_next_name(rows, NULL, below); row; row = rows_next_name(rows, row, below)) {
        struct str name = row->requirement->under;
        const struct profile *profile = registry_profile(&page->report->suite->registry, name);
        buf_printf(page->out,
                   "<tr><th scope=\"row\"><div class=\"name\"><code>%s</code><span class=\"says\">%s</span></div></th>",
                   html_escaped(page, name),
                   profile ? html_escaped(page, profile->says) : "what the profiles build on");
        conclusion_cell(page, profile ? summary_conclusion(page->summary, name) : CONCLUSION_NOT_JUDGED,
                        profile != NULL);
        cells(page, table, name);
    }
}

static void profiles(struct page *page)
{
    struct table table;
    table.count = rows_columns(&page->summary->rows, table.columns);
    html(page, "<div class=\"wide\"><table class=\"profiles\">\n"
               "<caption>Rows of the ledger, by the profile that they belong to</caption>\n");
    headings(page, &table);
    html(page, "<tbody>\n");
    table_part(page, &table, false);
    html(page, "<tr class=\"sum\"><th scope=\"row\">all profiles</th>");
    conclusion_cell(page, page->summary->conclusion, true);
    cells(page, &table, (struct str){0});
    html(page, "</tbody>\n<tbody>\n");
    table_part(page, &table, true);
    html(page, "</tbody>\n</table></div>\n");
}

/* --- Documents and remarks --- */

/* Whether a requirement is based on the document itself, or (if not `itself`) on a text that documents refer to. */
static bool stands_on(const struct requirement *requirement, struct str document, bool itself)
{
    return ANY_IN(source, tree_first(requirement->sources),
                  str_equal(tree_text(source, "text"), document) &&
                      str_is(tree_text(source, "kind"), "document") == itself);
}

static bool is_cited(const struct page *page, struct str document, bool itself)
{
    return ANY(i, page->summary->rows.count, stands_on(page->summary->rows.items[i].requirement, document, itself));
}

static void document_links(struct page *page, bool itself)
{
    html(page, "<dl class=\"documents\">\n");
    FOR_EACH_IN(document, tree_first(page->report->suite->documents)) {
        struct str title = tree_text(document, "title"), address = tree_text(document, "address");
        if (!is_cited(page, document->name, itself))
            continue;
        const char *link = html_escaped(page, address);
        buf_printf(page->out, "<div><dt>%s</dt><dd>%s", html_escaped(page, document->name), html_escaped(page, title));
        if (address.size)
            buf_printf(page->out, "<br/><a href=\"%s\">%s</a>", link, link);
        html(page, "</dd></div>\n");
    }
    html(page, "</dl>\n");
}

static void documents(struct page *page)
{
    html(page, "<h3>Documents</h3>\n");
    document_links(page, true);
    html(page, "<details><summary>What these refer to, and conventions</summary>\n");
    document_links(page, false);
    html(page, "</details>\n");
}

/* Appends an item for each line. */
static void lines(struct page *page, struct str text)
{
    while (text.size) {
        html_element(page, "li", str_take(&text, '\n'));
        buf_append_byte(page->out, '\n');
    }
}

static void remarks(struct page *page)
{
    struct remarks all = remarks_on(page->summary);
    html(page, "<ul class=\"remarks\">\n");
    for (size_t i = 0; i < all.count; i++)
        lines(page, all.items[i]);
    html(page, "</ul>\n");
    if (!page->report->notes.size && !page->report->requests.size)
        return;
    html(page, "<h3>Noticed during discovery</h3>\n<ul class=\"remarks\">\n");
    lines(page, page->report->notes);
    lines(page, page->report->requests);
    html(page, "</ul>\n");
}

/* Appends the profiles that were not asked, wholly or in an encoding, with the reason. */
static void not_offered(struct page *page)
{
    const struct summary *summary = page->summary;
    if (!summary->unoffered_count)
        return;
    html(page,
         "<details><summary>Not asked, because the target does not offer it</summary>\n<dl class=\"documents\">\n");
    FOR_EACH(one, summary->unoffered, summary->unoffered_count)
        buf_printf(page->out, "<div><dt><code>%s</code></dt><dd>%s (%s)</dd></div>\n",
                   html_escaped(page, one->profile->name), html_escaped(page, one->why),
                   html_escaped(page, listing_text(&one->encodings)));
    html(page, "</dl></details>\n");
}

static void how(struct page *page)
{
    html(page, "<details><summary>How this run can be repeated</summary>\n<dl class=\"documents\">\n");
    html_entry(page, "Command", str_of(page->report->command));
    html_entry(page, "Fixtures", page->report->suite_digest);
    html_entry(page, "Files", str_of(page->report->evidence));
    html_entry(page, "Jobs", arena_printf(page->arena, "%zu", page->report->jobs));
    html(page, "</dl></details>\n");
}

void html_judged(struct page *page)
{
    if (page->summary->rows.count)
        profiles(page);
    remarks(page);
    if (page->summary->rows.count)
        documents(page);
    not_offered(page);
    how(page);
}
