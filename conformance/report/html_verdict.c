/* The head of the page, and what was judged: the target, the profiles with their rows, and the documents. */
#include "report/html.h"

#include "base/count.h"
#include "report/remarks.h"
#include "support/version.h"

/* --- The verdict --- */

static const struct {
    const char *conclusion, *class, *mark, *words;
} looks[] = {
    {"certified", "good", "\xe2\x9c\x93", "Certified"},
    {"conformant", "good", "\xe2\x9c\x93", "Conformant"},
    {"waived", "part", "~", "Waived"},
    {"partial", "part", "\xe2\x97\x90", "Partial"},
    {"not conformant", "bad", "\xe2\x9c\x95", "Not conformant"},
    {"not judged", "part", "?", "Not judged"},
};

static size_t look_of(const char *conclusion)
{
    size_t i = 0;
    while (strcmp(looks[i].conclusion, conclusion) != 0)
        i++;
    return i;
}

static void fact(struct page *page, const char *label, struct str text)
{
    if (!text.size)
        return;
    buf_printf(page->out, "<div><dt>%s</dt>", label);
    html_element(page, "dd", text);
    html(page, "</div>\n");
}

static void addresses(struct page *page)
{
    for (size_t i = 0; i < ENDPOINTS_MAX; i++) {
        const struct address *address = &page->report->addresses[i];
        if (address->at.size)
            fact(page, arena_copy(&page->arena, address->endpoint->called).data, address->at);
    }
}

static struct str server_of(struct page *page)
{
    const struct report *report = page->report;
    return arena_printf(&page->arena, "%s%s%s", str_printable(&page->arena, report->server_name),
                        report->server_name.size && report->server_version.size ? " " : "",
                        str_printable(&page->arena, report->server_version));
}

static struct str time_of(struct page *page)
{
    char day_and_time[sizeof "2025-01-01 00:00:00 UTC"];
    struct tm utc;
    gmtime_r(&page->report->started, &utc);
    strftime(day_and_time, sizeof day_and_time, "%Y-%m-%d %H:%M:%S UTC", &utc);
    return arena_printf(&page->arena, "%s", day_and_time);
}

static void facts(struct page *page)
{
    const struct report *report = page->report;
    struct arena *arena = &page->arena;
    html(page, "<dl class=\"facts\">\n");
    addresses(page);
    fact(page, "Server", server_of(page));
    fact(page, "When", time_of(page));
    fact(page, "Program", STR("oip-conformance " PROGRAM_VERSION));
    fact(page, "Seed", arena_printf(arena, "%zu", report->seed));
    html(page, "</dl>\n<dl class=\"facts long\">\n");
    fact(page, "Judged",
         arena_printf(arena, "%.*s of %.*s planned assertions, %.*s exchanges, %.1f s",
                      STR_ARG(html_number(page, run_judged(report->run))),
                      STR_ARG(html_number(page, report->plan->assertion_count)),
                      STR_ARG(html_number(page, report->run->exchanges)), report->run->seconds));
    fact(page, "Exit code", arena_printf(arena, "%d: %.*s", report->exit_code, STR_ARG(report->reason)));
    if (report->insecure)
        fact(page, "Certificate", STR("of the server was not checked: who answered is not proved (--insecure)"));
    html(page, "</dl>\n");
}

void html_verdict(struct page *page)
{
    const struct summary *summary = &page->summary;
    size_t look = look_of(summary->conclusion);
    buf_printf(page->out,
               "<header class=\"%s\">\n<p class=\"kicker\">OIP Conformance</p>\n"
               "<h1><span class=\"mark\" aria-hidden=\"true\">%s</span>%s</h1>\n<p class=\"meaning\">",
               looks[look].class, looks[look].mark, looks[look].words);
    if (summary->failing)
        html_text(page, arena_printf(&page->arena, "%.*s assertion%s of %zu requirement%s failed. ",
                                     STR_ARG(html_number(page, summary->failing)), summary->failing == 1 ? "" : "s",
                                     page->failures.count, page->failures.count == 1 ? "" : "s"));
    else
        html_text(page, arena_printf(&page->arena, "%c%s. ", summary->meaning[0] - 'a' + 'A', summary->meaning + 1));
    html_text(page, arena_printf(&page->arena, "%zu of %zu MUST rows of the asked profiles were tried and hold.",
                                 summary->must_rows.met, summary->must_rows.asked));
    html(page, "</p>\n");
    facts(page);
    html(page, "</header>\n");
}

/* --- The rows of each profile --- */

/* A column of the table: how many rows of these levels stand so. */
struct column {
    const char *heading;
    enum level first, last; /* levels */
    enum standing standing;
    bool always; /* also when all of its numbers are 0 */
};

static const struct column columns[] = {
    {"met", LEVEL_MUST, LEVEL_MUST, STANDING_MET, true},
    {"failed", LEVEL_MUST, LEVEL_MUST, STANDING_FAILED, true},
    {"waived", LEVEL_MUST, LEVEL_MUST, STANDING_WAIVED, false},
    {"warned", LEVEL_MUST, LEVEL_MUST, STANDING_WARNED, false},
    {"not tried", LEVEL_MUST, LEVEL_MUST, STANDING_UNTRIED, true},
    {"met", LEVEL_SHOULD, LEVEL_SHOULD, STANDING_MET, true},
    {"failed", LEVEL_SHOULD, LEVEL_SHOULD, STANDING_FAILED, false},
    {"waived", LEVEL_SHOULD, LEVEL_SHOULD, STANDING_WAIVED, false},
    {"warned", LEVEL_SHOULD, LEVEL_SHOULD, STANDING_WARNED, true},
    {"not tried", LEVEL_SHOULD, LEVEL_SHOULD, STANDING_UNTRIED, true},
    {"recorded", LEVEL_MAY, LEVEL_OPEN, STANDING_SEEN, true},
};

/* Counts rows; without a prefix, those of all profiles. */
static size_t count_rows(const struct page *page, const struct column *column, struct str prefix)
{
    size_t count = 0;
    for (size_t i = 0; i < page->rows.count; i++) {
        const struct row *row = &page->rows.items[i];
        bool is_in = prefix.size ? str_equal(row->requirement->prefix, prefix) : !row->is_below;
        count += is_in && row->counts && row->standing == column->standing &&
                 row->requirement->level >= column->first && row->requirement->level <= column->last;
    }
    return count;
}

static bool has_column(const struct page *page, const struct column *column)
{
    bool any = column->always;
    for (size_t i = 0; i < page->rows.count && !any; i++)
        any = count_rows(page, column, page->rows.items[i].requirement->prefix) > 0;
    return any;
}

static void cells(struct page *page, struct str prefix)
{
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        if (!has_column(page, &columns[i]))
            continue;
        size_t count = count_rows(page, &columns[i], prefix);
        const char *class = !count                                   ? "n zero"
                            : columns[i].standing == STANDING_FAILED ? "n bad"
                            : columns[i].standing == STANDING_WARNED ? "n part"
                                                                     : "n";
        const char *edge = i == 0 || columns[i].first != columns[i - 1].first ? " edge" : "";
        buf_printf(page->out, "<td class=\"%s%s\">%zu</td>", class, edge, count);
    }
    html(page, "</tr>\n");
}

/* Appends a cell that spans the columns of one level. */
static void level_heading(struct page *page, const char *heading, enum level first)
{
    size_t span = 0;
    for (size_t i = 0; i < COUNT_OF(columns); i++)
        span += columns[i].first == first && has_column(page, &columns[i]);
    buf_printf(page->out, "<th class=\"edge\" colspan=\"%zu\" scope=\"colgroup\">%s</th>", span, heading);
}

static void headings(struct page *page)
{
    html(page, "<thead>\n<tr><th rowspan=\"2\" scope=\"col\">Profile</th>");
    level_heading(page, "MUST", LEVEL_MUST);
    level_heading(page, "SHOULD", LEVEL_SHOULD);
    level_heading(page, "open", LEVEL_MAY);
    html(page, "</tr>\n<tr>");
    for (size_t i = 0; i < COUNT_OF(columns); i++)
        if (has_column(page, &columns[i]))
            buf_printf(page->out, "<th class=\"n%s\" scope=\"col\">%s</th>",
                       i == 0 || columns[i].first != columns[i - 1].first ? " edge" : "", columns[i].heading);
    html(page, "</tr>\n</thead>\n");
}

/* Appends the rows of the table for the profiles, or for the texts below them. */
static void table_part(struct page *page, bool below)
{
    struct str prefix = {0};
    for (size_t i = 0; i < page->rows.count; i++) {
        const struct row *row = &page->rows.items[i];
        if (row->is_below != below || str_equal(row->requirement->prefix, prefix))
            continue;
        prefix = row->requirement->prefix;
        const struct profile *profile = registry_profile(&page->report->suite->registry, prefix);
        html(page, "<tr><th scope=\"row\"><div class=\"name\"><code>");
        html_text(page, prefix);
        html(page, "</code>");
        html_element(page, "span class=\"says\"", profile ? profile->says : STR("what the profiles build on"));
        html(page, "</div></th>");
        cells(page, prefix);
    }
}

static void profiles(struct page *page)
{
    html(page, "<div class=\"wide\"><table class=\"profiles\">\n"
               "<caption>Rows of the ledger, by the profile that they belong to</caption>\n");
    headings(page);
    html(page, "<tbody>\n");
    table_part(page, false);
    html(page, "<tr class=\"sum\"><th scope=\"row\">all profiles</th>");
    cells(page, (struct str){0});
    html(page, "</tbody>\n<tbody>\n");
    table_part(page, true);
    html(page, "</tbody>\n</table></div>\n");
}

/* --- Documents and remarks --- */

/* Whether a requirement stands on the document itself, or (if not `itself`) on a text that documents refer to. */
static bool stands_on(const struct requirement *requirement, struct str document, bool itself)
{
    const struct tree *sources = requirement->sources;
    for (const struct tree *source = sources ? sources->first : NULL; source; source = source->next)
        if (str_equal(tree_text(source, "text"), document) && str_is(tree_text(source, "kind"), "document") == itself)
            return true;
    return false;
}

static bool is_cited(const struct page *page, struct str document, bool itself)
{
    for (size_t i = 0; i < page->rows.count; i++)
        if (stands_on(page->rows.items[i].requirement, document, itself))
            return true;
    return false;
}

static void document_links(struct page *page, bool itself)
{
    const struct tree *all = page->report->suite->documents;
    html(page, "<dl class=\"documents\">\n");
    for (const struct tree *document = all ? all->first : NULL; document; document = document->next) {
        struct str title = tree_text(document, "title"), address = tree_text(document, "address");
        if (!is_cited(page, document->name, itself))
            continue;
        html(page, "<div>");
        html_element(page, "dt", document->name);
        html(page, "<dd>");
        html_text(page, title);
        if (address.size) {
            html(page, "<br/><a href=\"");
            html_text(page, address);
            html(page, "\">");
            html_text(page, address);
            html(page, "</a>");
        }
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
        const char *end = memchr(text.data, '\n', text.size);
        size_t size = end ? (size_t)(end - text.data) : text.size;
        html_element(page, "li", (struct str){text.data, size});
        buf_append_byte(page->out, '\n');
        text = str_from(text, size + (end != NULL));
    }
}

static void remarks(struct page *page)
{
    struct remarks all = remarks_on(page->report, &page->summary, &page->arena);
    html(page, "<ul class=\"remarks\">\n");
    for (size_t i = 0; i < all.count; i++)
        lines(page, all.items[i]);
    html(page, "</ul>\n");
    if (!page->report->notes.size)
        return;
    html(page, "<h3>Noticed before the first case</h3>\n<ul class=\"remarks\">\n");
    lines(page, page->report->notes);
    html(page, "</ul>\n");
}

static bool is_not_offered_before(const struct plan *plan, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (plan->not_offered[i].profile == plan->not_offered[index].profile &&
            str_equal(plan->not_offered[i].why, plan->not_offered[index].why))
            return true;
    return false;
}

/* Appends the profiles that were not asked, wholly or in an encoding, with the reason. */
static void not_offered(struct page *page)
{
    const struct plan *plan = page->report->plan;
    if (!plan->not_offered_count)
        return;
    html(page, "<details><summary>Not offered by the target, so not asked</summary>\n<dl class=\"documents\">\n");
    for (size_t i = 0; i < plan->not_offered_count; i++) {
        if (is_not_offered_before(plan, i))
            continue;
        const struct not_offered *first = &plan->not_offered[i];
        html(page, "<div><dt><code>");
        html_text(page, first->profile->name);
        html(page, "</code></dt><dd>");
        html_text(page, first->why);
        const char *separator = " (";
        for (size_t k = i; k < plan->not_offered_count; k++) {
            if (plan->not_offered[k].profile != first->profile || !str_equal(plan->not_offered[k].why, first->why))
                continue;
            buf_printf(page->out, "%s", separator);
            html_text(page, plan->not_offered[k].encoding->name);
            separator = ", ";
        }
        html(page, ")</dd></div>\n");
    }
    html(page, "</dl></details>\n");
}

static void how(struct page *page)
{
    html(page, "<details><summary>How this run can be repeated</summary>\n<dl class=\"documents\">\n");
    fact(page, "Command", str_of(page->report->command));
    fact(page, "Fixtures", page->report->suite_digest);
    fact(page, "Files", str_of(page->report->evidence));
    fact(page, "Jobs", arena_printf(&page->arena, "%zu", page->report->jobs));
    html(page, "</dl></details>\n");
}

void html_judged(struct page *page)
{
    if (page->rows.count)
        profiles(page);
    remarks(page);
    if (page->rows.count)
        documents(page);
    not_offered(page);
    how(page);
}
