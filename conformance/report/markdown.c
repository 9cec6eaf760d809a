/* A short summary for the page that a CI shows of a job: the verdict, the profiles, and each requirement that failed
 * with one case, which can be repeated. GitHub takes 1 MiB of it, so it is kept far below that. */
#include "report/escape.h"
#include "report/headline.h"
#include "report/remarks.h"
#include "support/printable.h"
#include "support/version.h"

#define TEXT    600                 /* bytes of a text that are shown */
#define ALSO    12                  /* keys that are named beside a finding */
#define COMMAND 4000                /* bytes of a command; a longer one is left to the other reports */
#define MOST    ((size_t)256 << 10) /* bytes from which on requirements are only counted */

static void plain(struct buf *out, struct str text)
{
    append_markdown(out, text, TEXT);
}

/* Returns the length of the longest row of backticks. */
static size_t longest_fence(struct str text)
{
    size_t longest = 0, now = 0;
    for (size_t i = 0; i < text.size; i++) {
        now = text.data[i] == '`' ? now + 1 : 0;
        longest = now > longest ? now : longest;
    }
    return longest;
}

/* Appends a block that shows the command as it is. */
static void block(struct buf *out, struct str text)
{
    struct buf printable = {0};
    append_printable(&printable, text, COMMAND);
    size_t fence = longest_fence(buf_str(&printable)) + 1;
    fence = fence < 3 ? 3 : fence;
    for (size_t i = 0; i < fence; i++)
        buf_append_byte(out, '`');
    buf_append_literal(out, "sh\n");
    buf_append_str(out, buf_str(&printable));
    buf_append_byte(out, '\n');
    for (size_t i = 0; i < fence; i++)
        buf_append_byte(out, '`');
    buf_append_literal(out, "\n\n");
    buf_free(&printable);
}

static void head(const struct report *report, const struct headline *headline, struct buf *out)
{
    buf_printf(out, "## %s %s", headline->look.mark, headline->words);
    const char *separator = ": ";
    for (size_t i = 0; i < ENDPOINTS_MAX; i++)
        if (report->addresses[i].at.size) {
            buf_append_str(out, str_of(separator));
            plain(out, report->addresses[i].at);
            separator = ", ";
        }
    buf_append_literal(out, "\n\n");
    plain(out, headline->sentences);
    buf_append_literal(out, "\n\n");
    if (headline->transport.size) {
        plain(out, headline->transport);
        buf_append_literal(out, "\n\n");
    }
    buf_append_literal(out, "**Next:** ");
    plain(out, headline->next);
    buf_append_literal(out, "\n\n");
    if (headline->server.size) {
        plain(out, headline->server);
        buf_append_literal(out, ", ");
    }
    buf_printf(out, "%.*s, oip-conformance " PROGRAM_VERSION ", seed %zu, exit code %d: ", STR_ARG(headline->when),
               report->seed, report->exit_code);
    plain(out, report->reason);
    buf_append_literal(out, "\n\n");
}

static void cells(const struct rows *rows, struct str under, struct buf *out)
{
    const struct rows_column *columns[ROWS_COLUMNS];
    size_t count = rows_columns(rows, columns);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, " %zu |", rows_count(rows, columns[i], under));
    buf_append_byte(out, '\n');
}

static void profiles(const struct summary *summary, struct buf *out)
{
    const struct rows *rows = &summary->rows;
    static const char *const levels[] = {
        [LEVEL_MUST] = "MUST", [LEVEL_SHOULD] = "SHOULD", [LEVEL_MAY] = "open", [LEVEL_OPEN] = "open"};
    const struct rows_column *columns[ROWS_COLUMNS];
    size_t count = rows_columns(rows, columns);
    if (!rows->count)
        return;
    buf_append_literal(out, "| profile | stands |");
    for (size_t i = 0; i < count; i++)
        buf_printf(out, " %s %s |", levels[columns[i]->first], columns[i]->heading);
    buf_append_literal(out, "\n|:--|:--|");
    for (size_t i = 0; i < count; i++)
        buf_append_literal(out, "--:|");
    buf_append_byte(out, '\n');
    for (int below = 0; below < 2; below++)
        for (const struct row *row = rows_next_name(rows, NULL, below); row; row = rows_next_name(rows, row, below)) {
            buf_append_literal(out, "| ");
            plain(out, row->requirement->under);
            buf_printf(out, " | %s |",
                       below ? "" : conclusion_name(summary_conclusion(summary, row->requirement->under)));
            cells(rows, row->requirement->under, out);
        }
    buf_printf(out, "| **all profiles** | **%s** |", conclusion_name(summary->conclusion));
    cells(rows, (struct str){0}, out);
    buf_append_byte(out, '\n');
}

static void failure(const struct finding *finding, struct arena *arena, struct buf *out)
{
    const struct requirement *requirement = finding->requirement;
    const struct result *first = finding->witness;
    buf_append_literal(out, "**");
    plain(out, requirement->key);
    buf_printf(out, "** (%s, %s, %s case%s): ", level_name(requirement->level), layer_name(requirement->layer),
               number_text(finding->count, arena).data, finding->count == 1 ? "" : "s");
    plain(out, requirement->says);
    buf_append_literal(out, "\\\n");
    plain(out, first->assertion->play->id);
    buf_append_literal(out, ": ");
    plain(out, first->why);
    for (size_t i = 0; i < finding->also_count && i < ALSO; i++) {
        buf_append_str(out, i ? STR(", ") : STR("; also "));
        plain(out, finding->also[i]->key);
    }
    buf_append_literal(out, "\n\n");
    if (first->command.size && first->command.size <= COMMAND)
        block(out, first->command);
}

/* What is broken of the transport is told in full only if it counts. */
static void failed(const struct summary *summary, struct buf *out)
{
    const struct findings *failures = &summary->failures;
    bool demands_transport = summary->report->demands.layers[LAYER_TRANSPORT];
    size_t count = failures->count - (demands_transport ? 0 : failures->layer_count[LAYER_TRANSPORT]);
    if (count)
        buf_printf(out, "### Findings (%zu)\n\n", count);
    for (size_t i = 0; i < count; i++) {
        if (out->size > MOST) {
            buf_printf(out, "and %zu more requirements\n", count - i);
            return;
        }
        failure(&failures->items[i], summary->arena, out);
    }
}

static void claims(const struct summary *summary, struct buf *out)
{
    for (size_t i = 0; i < summary->claim_count; i++) {
        buf_append_literal(out, "warning: ");
        plain(out, claim_sentence(&summary->claims[i], summary->arena));
        buf_append_literal(out, "\n\n");
    }
}

void report_markdown(const struct summary *summary, struct buf *out)
{
    struct headline headline = headline_of(summary);
    head(summary->report, &headline, out);
    profiles(summary, out);
    failed(summary, out);
    claims(summary, out);
}
