/* Failures and warnings for a person, by requirement: each cause once, at most FULL_BLOCKS of them, and then how many
 * more there are, and the names of the first MORE_NAMED of these. */
#include "report/console.h"

#include "base/count.h"
#include "report/findings.h"
#include "support/printable.h"
#include "support/wrap.h"

#include <stdlib.h>

#define FULL_BLOCKS   3  /* failures of one requirement that are printed in full */
#define MORE_NAMED    8  /* failures of one requirement that are printed by name alone */
#define MEMBER_INDENT 12 /* columns before what stands behind the label of a member */

static void member(struct console *console, const char *label, struct str text)
{
    if (!text.size)
        return;
    buf_printf(console->out, "  %-10s", label);
    console_text(console, text, MEMBER_INDENT);
    buf_append_byte(console->out, '\n');
}

/* Appends a command that can be copied with all its lines. */
static void command(struct console *console, const char *label, struct str text)
{
    if (!text.size)
        return;
    struct buf printable = {0};
    append_printable(&printable, text, (size_t)-1);
    buf_printf(console->out, "  %-10s", label);
    append_wrapped_command(console->out, buf_str(&printable), MEMBER_INDENT);
    buf_append_byte(console->out, '\n');
    buf_free(&printable);
}

static void heading(struct console *console, const char *colour, const struct result *result)
{
    console_paint(console, colour);
    const char *name = verdict_name(result->verdict);
    for (const char *c = name; *c; c++)
        buf_append_byte(console->out, *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c);
    console_paint(console, "0");
    buf_append_byte(console->out, ' ');
    append_printable(console->out, result->assertion->id, CONSOLE_TEXT);
    buf_append_byte(console->out, '\n');
}

static void block(struct console *console, const char *colour, const struct result *result)
{
    const struct requirement *requirement = result->assertion->requirement;
    buf_append_byte(console->out, '\n');
    heading(console, colour, result);
    member(console, level_name(requirement->level), requirement->says);
    member(console, "source", requirement->cites);
    member(console, "case", result->assertion->play->says);
    member(console, "sent", result->sent);
    member(console, "expected", result->expected);
    member(console, "received", result->received);
    member(console, "because", result->why);
    member(console, "refused by", result->refused_by);
    command(console, "reproduce", result->command);
    command(console, "or", result->grpcurl);
}

/* How one kind of results is told. */
struct telling {
    enum finding_kind kind;
    const char *colour;
    size_t full; /* results of one requirement that are printed in full */
};

/* Tells all results of one requirement. */
static void tell_requirement(struct console *console, const struct telling *telling, const struct finding *finding)
{
    size_t full = 0, more = 0;
    const struct result *named[MORE_NAMED];
    for (size_t i = 0; i < finding->count; i++) {
        if (full < telling->full && !finding_repeats(finding, i)) {
            block(console, telling->colour, finding->results[i]);
            full++;
        } else if (more++ < MORE_NAMED) {
            named[more - 1] = finding->results[i];
        }
    }
    if (more)
        buf_printf(console->out, "  and %zu more of this requirement%s\n", more, more > MORE_NAMED ? ", such as" : "");
    for (size_t i = 0; i < more && i < MORE_NAMED; i++) {
        buf_append_literal(console->out, "            ");
        append_printable(console->out, named[i]->assertion->play->id, CONSOLE_TEXT);
        buf_append_byte(console->out, '\n');
    }
}

static const struct telling tellings[] = {{FINDING_FAILURE, "1;31", FULL_BLOCKS}, {FINDING_WARNING, "33", 1}};

static bool is_cited(const struct findings *findings, struct str text)
{
    for (size_t i = 0; i < findings->count; i++)
        if (requirement_cites(findings->items[i].requirement, text))
            return true;
    return false;
}

/* Writes title and address of each text that what was told cites. `told` has the findings of each telling. */
static void documents(struct console *console, const struct findings *told)
{
    const struct tree *all = console->report->suite->documents;
    const char *before = "\nThe documents that are cited above\n";
    for (const struct tree *document = all ? all->first : NULL; document; document = document->next) {
        bool cited = false;
        for (size_t i = 0; i < COUNT_OF(tellings); i++)
            cited = cited || is_cited(&told[i], document->name);
        if (!cited)
            continue;
        struct str title = tree_text(document, "title"), address = tree_text(document, "address");
        buf_printf(console->out, "%s  %-18.*s ", before, STR_ARG(document->name));
        console_text(
            console,
            arena_printf(&console->arena, "%.*s%s%.*s", STR_ARG(title), address.size ? ", " : "", STR_ARG(address)),
            21);
        buf_append_byte(console->out, '\n');
        before = "";
    }
}

void console_failures(struct console *console)
{
    struct findings told[COUNT_OF(tellings)];
    for (size_t i = 0; i < COUNT_OF(tellings); i++) {
        told[i] = findings_of(console->report, tellings[i].kind, &console->arena);
        for (size_t k = 0; k < told[i].count; k++)
            tell_requirement(console, &tellings[i], &told[i].items[k]);
    }
    documents(console, told);
}

/* --- The table of requirements --- */

static int most_first(const void *a, const void *b)
{
    const struct finding *left = a, *right = b;
    if (left->is_below != right->is_below)
        return left->is_below ? 1 : -1;
    if (left->count != right->count)
        return left->count < right->count ? 1 : -1;
    return str_compare(left->requirement->key, right->requirement->key);
}

void console_failed_rows(struct console *console)
{
    struct findings rows = findings_of(console->report, FINDING_FAILURE, &console->arena);
    if (!rows.count)
        return;
    qsort(rows.items, rows.count, sizeof(*rows.items), most_first);
    buf_append_literal(console->out, "\ntimes  level   what failed, and where it did first\n");
    for (size_t i = 0; i < rows.count; i++) {
        const struct requirement *requirement = rows.items[i].requirement;
        buf_printf(console->out, "%5zu  %-6s  %.*s\n%15s", rows.items[i].count, level_name(requirement->level),
                   STR_ARG(requirement->key), "");
        append_printable(console->out, rows.items[i].results[0]->assertion->play->id, CONSOLE_TEXT);
        buf_append_byte(console->out, '\n');
    }
    console_text(console,
                 STR("`oip-conformance explain KEY` tells more of a requirement, `explain CASE` what a case sends; "
                     "--filter KEY plays the cases of a requirement alone."),
                 0);
    buf_append_byte(console->out, '\n');
}
