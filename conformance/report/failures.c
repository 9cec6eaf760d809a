/* Failures and warnings for a person. A server often breaks one requirement in many cases, so they are told by
 * requirement: each cause once, at most FULL_BLOCKS of them, and then how many more there are, and the names of the
 * first MORE_NAMED of these. What the profiles demand comes first: the rules of the texts below them, such as "http2",
 * are kept by a library or a proxy more often than by the server itself. */
#include "report/console.h"

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

static bool is_failure(const struct result *result, bool strict)
{
    return result_fails(result, strict) || result->verdict == VERDICT_ERROR || result->verdict == VERDICT_TIMEOUT;
}

static bool is_warning(const struct result *result, bool strict)
{
    (void)strict;
    return result->verdict == VERDICT_WARN;
}

/* One of the two kinds of results that are told. */
struct telling {
    bool (*tells)(const struct result *result, bool strict);
    const char *colour;
    size_t full; /* results of one requirement that are printed in full */
};

static bool tells(const struct console *console, const struct telling *telling, size_t index)
{
    return telling->tells(&console->report->run->results[index], console->report->strict);
}

/* Whether an earlier result of the same requirement is told too; with `alike`, one that failed for the same cause. */
static bool is_told_before(const struct console *console, const struct telling *telling, size_t index, bool alike)
{
    const struct result *results = console->report->run->results;
    for (size_t i = 0; i < index; i++)
        if (results[i].assertion->requirement == results[index].assertion->requirement &&
            (!alike || str_equal(results[i].why, results[index].why)) && tells(console, telling, i))
            return true;
    return false;
}

/* Tells all results of one requirement; `first` is the index of the first of them. */
static void tell_requirement(struct console *console, const struct telling *telling, size_t first)
{
    const struct run *run = console->report->run;
    size_t full = 0, more = 0;
    const struct result *named[MORE_NAMED];
    for (size_t i = first; i < run->result_count; i++) {
        if (run->results[i].assertion->requirement != run->results[first].assertion->requirement ||
            !tells(console, telling, i))
            continue;
        if (full < telling->full && !is_told_before(console, telling, i, true)) {
            block(console, telling->colour, &run->results[i]);
            full++;
        } else if (more++ < MORE_NAMED) {
            named[more - 1] = &run->results[i];
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

/* Whether the requirement is of a text that profiles build on, not of a profile. */
static bool is_below(const struct console *console, const struct requirement *requirement)
{
    return registry_is_text(&console->report->suite->registry, requirement->prefix);
}

static void tell_all(struct console *console, const struct telling *telling)
{
    const struct run *run = console->report->run;
    for (int below = 0; below < 2; below++)
        for (size_t i = 0; i < run->result_count; i++)
            if (is_below(console, run->results[i].assertion->requirement) == below && tells(console, telling, i) &&
                !is_told_before(console, telling, i, false))
                tell_requirement(console, telling, i);
}

static const struct telling failures = {is_failure, "1;31", FULL_BLOCKS};
static const struct telling warnings = {is_warning, "33", 1};

static bool cites(const struct requirement *requirement, struct str text)
{
    for (const struct tree *source = requirement->sources ? requirement->sources->first : NULL; source;
         source = source->next)
        if (str_equal(tree_text(source, "text"), text))
            return true;
    return false;
}

static bool is_cited(const struct console *console, struct str text)
{
    for (size_t i = 0; i < console->report->run->result_count; i++)
        if ((tells(console, &failures, i) || tells(console, &warnings, i)) &&
            cites(console->report->run->results[i].assertion->requirement, text))
            return true;
    return false;
}

/* Writes title and address of each text that what was told cites. */
static void documents(struct console *console)
{
    const struct tree *all = console->report->suite->documents;
    const char *before = "\nThe documents that are cited above\n";
    for (const struct tree *document = all ? all->first : NULL; document; document = document->next) {
        if (!is_cited(console, document->name))
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
    tell_all(console, &failures);
    tell_all(console, &warnings);
    documents(console);
}

/* --- The table of requirements --- */

struct failed_row {
    const struct result *first;
    size_t count;
    bool is_below;
};

static int most_first(const void *a, const void *b)
{
    const struct failed_row *left = a, *right = b;
    if (left->is_below != right->is_below)
        return left->is_below ? 1 : -1;
    if (left->count != right->count)
        return left->count < right->count ? 1 : -1;
    return str_compare(left->first->assertion->requirement->key, right->first->assertion->requirement->key);
}

void console_failed_rows(struct console *console)
{
    const struct run *run = console->report->run;
    struct failed_row *rows = arena_alloc_zero(&console->arena, run->result_count + 1, sizeof(*rows));
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        if (!tells(console, &failures, i))
            continue;
        size_t k = 0;
        while (k < count && rows[k].first->assertion->requirement != run->results[i].assertion->requirement)
            k++;
        if (k == count)
            rows[count++] = (struct failed_row){.first = &run->results[i],
                                                .is_below = is_below(console, run->results[i].assertion->requirement)};
        rows[k].count++;
    }
    if (!count)
        return;
    qsort(rows, count, sizeof(*rows), most_first);
    buf_append_literal(console->out, "\ntimes  level   what failed, and where it did first\n");
    for (size_t i = 0; i < count; i++) {
        const struct requirement *requirement = rows[i].first->assertion->requirement;
        buf_printf(console->out, "%5zu  %-6s  %.*s\n%15s", rows[i].count, level_name(requirement->level),
                   STR_ARG(requirement->key), "");
        append_printable(console->out, rows[i].first->assertion->play->id, CONSOLE_TEXT);
        buf_append_byte(console->out, '\n');
    }
    console_text(console,
                 STR("`oip-conformance explain KEY` tells more of a requirement, `explain CASE` what a case sends; "
                     "--filter KEY plays the cases of a requirement alone."),
                 0);
    buf_append_byte(console->out, '\n');
}
