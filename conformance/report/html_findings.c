/* What failed, what was warned of and what was waived, by requirement: each cause once, with all that is needed to
 * discuss and to repeat it, and after them every other case by its name. */
#include "report/html.h"

#include "report/escape.h"
#include "report/headline.h"
#include "report/remarks.h"

#define OPEN_FINDINGS 6     /* so many findings are unfolded; of more, none */
#define FULL_CASES    3     /* causes of one requirement that are shown in full */
#define COMMAND       20000 /* bytes of a command */

static const char *const headings[LAYERS] = {
    [LAYER_ANSWERS] = "About answers: correct clients break on these",
    [LAYER_REFUSALS] = "About refusals: what happens to wrong requests",
    [LAYER_TRANSPORT] = "About the transport: a library or a proxy often decides these",
};

static void command(struct page *page, const char *label, struct str text)
{
    if (text.size)
        buf_printf(page->out, "<div><dt>%s</dt><dd><pre><code>%s</code></pre></dd></div>\n", label,
                   escaped(page->arena, text, COMMAND));
}

/* Folds what only some readers want to see. */
static void folded(struct page *page, const char *summary, struct str text)
{
    if (!text.size)
        return;
    buf_printf(page->out, "<details class=\"transcript\"><summary>%s</summary>\n<pre>", summary);
    append_escaped_lines(page->out, text.data[0] == '\n' ? str_from(text, 1) : text);
    html(page, "</pre></details>\n");
}

static void in_full(struct page *page, const struct result *result)
{
    html(page, "<article>\n<h4>");
    html_element(page, "code", result->assertion->id);
    if (result->verdict == VERDICT_TIMEOUT || result->verdict == VERDICT_ERROR)
        html_element(page, "span class=\"verdict\"", str_of(verdict_name(result->verdict)));
    if (result->replay)
        html_element(page, "span class=\"verdict\"", STR("replay"));
    html(page, "</h4>\n");
    html_element(page, "p", result->assertion->play->says);
    html(page, "\n<dl class=\"evidence\">\n");
    html_entry(page, "Because", result->why);
    html_entry(page, "Expected", result->expected);
    html_entry(page, "Received", result->received);
    html_entry(page, "Sent", result->sent);
    html_entry(page, "Refused by", result->refused_by);
    command(page, "Reproduce", result->command);
    command(page, "Or", result->grpcurl);
    html(page, "</dl>\n");
    folded(page, "Transcript of the exchange", result->transcript);
    folded(page, "The pattern of the case", result->pattern);
    html(page, "</article>\n");
}

/* Whether a case is shown in full: one of the first causes, while the page is not too long. */
static bool is_full(const struct page *page, const struct finding *finding, size_t index, size_t full)
{
    return full < FULL_CASES && page->out->size < HTML_FULL && !finding_repeats(finding, index);
}

static void by_name(struct page *page, const struct result *result)
{
    buf_printf(page->out, "<li><code>%s</code>", html_escaped(page, result->assertion->id));
    if (page->out->size < HTML_FULL && result->why.size)
        buf_printf(page->out, "<span class=\"why\">%s</span>", escaped(page->arena, result->why, 300));
    html(page, "</li>\n");
}

static void others(struct page *page, const struct finding *finding, const bool *told)
{
    size_t count = 0, left = 0;
    for (size_t i = 0; i < finding->count; i++)
        count += !told[i];
    if (!count)
        return;
    buf_printf(page->out, "<details class=\"more\"><summary>%s more case%s of this requirement</summary>\n<ul>\n",
               number_text(count, page->arena).data, count == 1 ? "" : "s");
    for (size_t i = 0; i < finding->count; i++) {
        if (told[i])
            continue;
        if (page->out->size < HTML_MOST)
            by_name(page, finding->results[i]);
        else
            left++;
    }
    if (left)
        buf_printf(page->out, "<li>%zu of them are left out, because the page would be too long: --json has all</li>\n",
                   left);
    html(page, "</ul></details>\n");
}

static void cases(struct page *page, const struct finding *finding)
{
    bool *told = arena_alloc_zero(page->arena, finding->count, sizeof *told);
    for (size_t i = 0, full = 0; i < finding->count; i++)
        if (is_full(page, finding, i, full)) {
            in_full(page, finding->results[i]);
            told[i] = true;
            full++;
        }
    others(page, finding, told);
}

/* Names the cases of a requirement that fails only together with this one. `id` begins its anchor, and those below. */
static void follower(struct page *page, const char *id, const struct finding *finding)
{
    const struct requirement *requirement = finding->requirement;
    const char *key = html_escaped(page, requirement->key);
    buf_printf(page->out,
               "<details class=\"more\" id=\"%s-%s\"><summary>Failed through the same exchanges only: <code>%s</code>",
               id, key, key);
    buf_printf(page->out, " <span class=\"times\">%s case%s</span>", number_text(finding->count, page->arena).data,
               finding->count == 1 ? "" : "s");
    html_element(page, "span class=\"why\"", requirement->says);
    html(page, "</summary>\n<ul>\n");
    for (size_t i = 0; i < finding->count && page->out->size < HTML_MOST; i++)
        by_name(page, finding->results[i]);
    html(page, "</ul></details>\n");
}

static void followers(struct page *page, const char *id, const struct findings *findings, size_t leader)
{
    for (size_t i = 0; i < findings->follower_count; i++)
        if (findings->followers[i].leader == leader)
            follower(page, id, &findings->followers[i]);
}

static void show(struct page *page, const char *id, const struct findings *findings, size_t index, bool open)
{
    const struct finding *finding = &findings->items[index];
    const struct requirement *requirement = finding->requirement;
    buf_printf(page->out, "<details class=\"finding\" id=\"%s-%s\"%s>\n<summary>", id,
               html_escaped(page, requirement->key), open ? " open=\"open\"" : "");
    html_level(page, requirement->level);
    html_element(page, "code", requirement->key);
    buf_printf(page->out, "<span class=\"times\">%s case%s</span>", number_text(finding->count, page->arena).data,
               finding->count == 1 ? "" : "s");
    html_element(page, "span class=\"says\"", requirement->says);
    html(page, "</summary>\n<p class=\"source\">");
    html_sources(page, requirement);
    html(page, "</p>\n");
    cases(page, finding);
    followers(page, id, findings, index);
    html(page, "</details>\n");
}

/* Shows the findings of these layers. A few of the documents alone are unfolded. */
static void show_all(struct page *page, const char *id, const struct findings *findings, enum layer first,
                     enum layer last)
{
    bool open = last == LAYER_REFUSALS && findings->count - findings->layer_count[LAYER_TRANSPORT] <= OPEN_FINDINGS;
    for (size_t i = 0; i < findings->count; i++) {
        enum layer layer = findings->items[i].requirement->layer;
        bool begins = i == 0 || findings->items[i - 1].requirement->layer != layer;
        if (layer < first || layer > last)
            continue;
        if (begins && first != last)
            html_element(page, "h3", str_of(headings[layer]));
        show(page, id, findings, i, open);
    }
}

void html_failures(struct page *page)
{
    html(page, "<p class=\"lead\">Fix them in this order: an earlier one may cause a later one.</p>\n");
    show_all(page, "fail", &page->summary->failures, LAYER_ANSWERS, LAYER_REFUSALS);
}

void html_transport(struct page *page)
{
    html(page, "<p class=\"lead\">What HTTP, HTTP/2, gRPC, JSON and proto3 demand. A library or a proxy often decides "
               "it for the server, so it does not count for the conclusion (--transport must makes it count). An "
               "application can still fix many of these before its handlers."
               "</p>\n");
    show_all(page, "fail", &page->summary->failures, LAYER_TRANSPORT, LAYER_TRANSPORT);
}

void html_warnings(struct page *page)
{
    html(page, "<p class=\"lead\">A broken SHOULD does not fail the server (--strict makes it fail).</p>\n");
    if (page->summary->claim_count)
        html(page, "<ul class=\"remarks\">\n");
    for (size_t i = 0; i < page->summary->claim_count; i++)
        html_element(page, "li", claim_sentence(&page->summary->claims[i], page->arena));
    if (page->summary->claim_count)
        html(page, "</ul>\n");
    show_all(page, "warn", &page->summary->warnings, LAYER_ANSWERS, LAYER_TRANSPORT);
}

void html_waived(struct page *page)
{
    html(page,
         "<p class=\"lead\">These fail. Their owner knows it and excuses them until the day that is named.</p>\n");
    show_all(page, "waive", &page->summary->waived, LAYER_ANSWERS, LAYER_TRANSPORT);
}
