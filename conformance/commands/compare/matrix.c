/* `matrix`: how several servers stand to each requirement, side by side, by their reports. */
#include "commands/commands.h"
#include "commands/forms.h"
#include "commands/past_run.h"

#include "base/embed.h"
#include "base/search.h"
#include "report/escape.h"

#include <stdlib.h>

#define DAY   strlen("2026-11-28")
#define SHOWN 300 /* bytes of a text of a report that are shown */

EMBED(matrix_style, "commands/compare/matrix.css")

struct line {
    struct str key;
    const struct past_row *any;          /* of the first server that has it */
    const struct past_row *const *cells; /* by server; NULL: its report does not have the row */
    bool is_broken, differs;
};

struct matrix {
    const struct past_run *servers;
    size_t server_count;
    struct line *lines; /* in the order of their keys */
    size_t count;
    struct arena *arena;
};

/* How a stand is shown. A sign for each, so that no meaning is in a colour alone. */
static const struct {
    const char *class, *sign, *says;
} shown[STANDS] = {
    [STAND_FAILS] = {"bad", "\xe2\x9c\x97", "broken"},     [STAND_WAIVED] = {"part", "~", "broken and waived"},
    [STAND_WARNS] = {"part", "!", "not met, but no MUST"}, [STAND_HOLDS] = {"good", "\xe2\x9c\x93", "holds"},
    [STAND_UNKNOWN] = {"none", "\xc2\xb7", "not judged"},
};

static void append_legend(struct buf *out)
{
    for (size_t i = 0; i < STANDS; i++)
        buf_printf(out, "%s%s %s", i ? ", " : "", shown[i].sign, shown[i].says);
}

/* --- Side by side --- */

static enum stand stand_in(const struct line *line, size_t server)
{
    return line->cells[server] ? line->cells[server]->stand : STAND_UNKNOWN;
}

static void look_at(struct line *line, size_t servers)
{
    enum stand first = STAND_UNKNOWN;
    for (size_t i = 0; i < servers; i++) {
        enum stand stand = stand_in(line, i);
        line->is_broken |= stand == STAND_FAILS || stand == STAND_WAIVED;
        line->differs |= first != STAND_UNKNOWN && stand != STAND_UNKNOWN && stand != first;
        first = first == STAND_UNKNOWN ? stand : first;
    }
}

static int by_bytes(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

static void fill(struct matrix *matrix)
{
    size_t most = SUM(i, matrix->server_count, matrix->servers[i].count), count = 0;
    struct str *keys = arena_alloc_zero(matrix->arena, most + 1, sizeof *keys);
    matrix->lines = arena_alloc_zero(matrix->arena, most + 1, sizeof *matrix->lines);
    FOR_EACH(server, matrix->servers, matrix->server_count)
        for (size_t i = 0; i < server->count; i++)
            keys[count++] = server->rows[i].key;
    qsort(keys, count, sizeof *keys, by_bytes);
    for (size_t k = 0; k < count; k++) {
        if (k && str_equal(keys[k], keys[k - 1]))
            continue;
        const struct past_row **cells = arena_alloc_zero(matrix->arena, matrix->server_count + 1, sizeof *cells);
        struct line *line = &matrix->lines[matrix->count++];
        *line = (struct line){.key = keys[k], .cells = cells};
        for (size_t i = 0; i < matrix->server_count; i++) {
            cells[i] = past_run_row(&matrix->servers[i], keys[k]);
            line->any = line->any ? line->any : cells[i];
        }
        look_at(line, matrix->server_count);
    }
}

/* The day on which the server was judged. */
static struct str day_of(const struct past_run *server)
{
    struct str started = tree_text(server->report, "started");
    return (struct str){started.data, started.size < DAY ? started.size : DAY};
}

/* How many MUST requirements of a server stand so: those of the documents, and those about the transport. */
struct musts {
    size_t documents[STANDS], transport[STANDS];
};

static struct musts musts_of(const struct past_run *server)
{
    struct musts musts = {0};
    FOR_EACH(row, server->rows, server->count)
        if (str_is(row->level, "must"))
            (str_is(row->layer, "transport") ? musts.transport : musts.documents)[row->stand]++;
    return musts;
}

static bool is_open(const struct line *line)
{
    return str_is(line->any->level, "open") || str_is(line->any->level, "may");
}

/* --- Text and markdown --- */

static void print_text(const void *what, struct buf *out)
{
    const struct matrix *matrix = what;
    FOR_EACH(server, matrix->servers, matrix->server_count) {
        const struct musts musts = musts_of(server);
        buf_printf(out,
                   "%-32.*s %-20.*s MUST: %zu hold, %zu broken, %zu waived, %zu not judged; transport: %zu "
                   "broken\n",
                   STR_ARG(server->name), STR_ARG(server->conclusion), musts.documents[STAND_HOLDS],
                   musts.documents[STAND_FAILS], musts.documents[STAND_WAIVED], musts.documents[STAND_UNKNOWN],
                   musts.transport[STAND_FAILS]);
    }
    buf_append_literal(out, "\nMUST requirements that a server breaks:\n");
    FOR_EACH(line, matrix->lines, matrix->count) {
        size_t told = 0;
        if (!line->is_broken || !str_is(line->any->level, "must"))
            continue;
        buf_printf(out, "%.*s: %.*s\n         ", STR_ARG(line->key), STR_ARG(line->any->says));
        for (size_t k = 0; k < matrix->server_count; k++)
            if (stand_in(line, k) == STAND_FAILS || stand_in(line, k) == STAND_WAIVED)
                buf_printf(out, "%s%.*s%s", told++ ? ", " : "", STR_ARG(matrix->servers[k].name),
                           stand_in(line, k) == STAND_WAIVED ? " (waived)" : "");
        buf_append_byte(out, '\n');
    }
}

static void print_markdown(const void *what, struct buf *out)
{
    const struct matrix *matrix = what;
    buf_append_literal(
        out, "| server | conclusion | MUST that hold | broken | waived | not judged | of the transport broken |\n"
             "|---|---|---|---|---|---|---|\n");
    FOR_EACH(server, matrix->servers, matrix->server_count) {
        const struct musts musts = musts_of(server);
        buf_append_byte(out, '|');
        append_markdown_cell(out, server->name, SHOWN);
        append_markdown_cell(out, server->conclusion, SHOWN);
        buf_printf(out, " %zu | %zu | %zu | %zu | %zu |\n", musts.documents[STAND_HOLDS], musts.documents[STAND_FAILS],
                   musts.documents[STAND_WAIVED], musts.documents[STAND_UNKNOWN], musts.transport[STAND_FAILS]);
    }
    buf_append_byte(out, '\n');
    append_legend(out);
    buf_append_literal(out, "\n\n| requirement |");
    for (size_t i = 0; i < matrix->server_count; i++)
        append_markdown_cell(out, matrix->servers[i].name, SHOWN);
    buf_append_literal(out, "\n|---|");
    for (size_t i = 0; i < matrix->server_count; i++)
        buf_append_literal(out, "---|");
    FOR_EACH(line, matrix->lines, matrix->count) {
        if (!line->is_broken)
            continue;
        buf_printf(out, "\n| `%.*s` (%.*s) |", STR_ARG(line->key), STR_ARG(line->any->level));
        for (size_t k = 0; k < matrix->server_count; k++)
            buf_printf(out, " %s |", shown[stand_in(line, k)].sign);
    }
    buf_append_byte(out, '\n');
}

/* --- HTML --- */

static const char *shown_text(const struct matrix *matrix, struct str content)
{
    return escaped(matrix->arena, content, SHOWN);
}

static void html_summary(const struct matrix *matrix, struct buf *out)
{
    buf_append_literal(out, "<div class=\"wide\"><table class=\"profiles\"><thead><tr><th scope=\"col\">server</th>"
                            "<th scope=\"col\">conclusion</th><th scope=\"col\">edition</th>"
                            "<th scope=\"col\" class=\"n\">MUST that hold</th><th scope=\"col\" class=\"n\">broken</th>"
                            "<th scope=\"col\" class=\"n\">waived</th><th scope=\"col\" class=\"n\">not judged</th>"
                            "<th scope=\"col\" class=\"n\">of the transport broken</th>"
                            "<th scope=\"col\">judged</th></tr></thead><tbody>\n");
    FOR_EACH(server, matrix->servers, matrix->server_count) {
        buf_printf(out, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td>", shown_text(matrix, server->name),
                   shown_text(matrix, server->conclusion),
                   shown_text(matrix, tree_text(tree_member(server->report, "discovery"), "edition")));
        const struct musts musts = musts_of(server);
        buf_printf(out, "<td class=\"n\">%zu</td><td class=\"n%s\">%zu</td><td class=\"n\">%zu</td>",
                   musts.documents[STAND_HOLDS], musts.documents[STAND_FAILS] ? " bad" : "",
                   musts.documents[STAND_FAILS], musts.documents[STAND_WAIVED]);
        buf_printf(out, "<td class=\"n\">%zu</td><td class=\"n\">%zu</td><td>%s</td></tr>\n",
                   musts.documents[STAND_UNKNOWN], musts.transport[STAND_FAILS], shown_text(matrix, day_of(server)));
    }
    buf_append_literal(out, "</tbody></table></div>\n");
}

static void html_filters(struct buf *out)
{
    static const struct {
        const char *id, *says;
    } filters[] = {{"all", "all"},
                   {"broken", "broken by a server"},
                   {"differ", "servers differ"},
                   {"must", "MUST alone"},
                   {"open", "where the documents are silent"}};
    buf_append_literal(out, "<fieldset><legend>requirements</legend>\n");
    for (size_t i = 0; i < COUNT_OF(filters); i++)
        buf_printf(out, "<label><input type=\"radio\" name=\"show\" id=\"show-%s\"%s /> %s</label>\n", filters[i].id,
                   strcmp(filters[i].id, "broken") == 0 ? " checked=\"checked\"" : "", filters[i].says);
    buf_append_literal(out, "</fieldset>\n");
}

static void html_cell(const struct matrix *matrix, const struct line *line, size_t server, struct buf *out)
{
    const struct past_row *row = line->cells[server];
    enum stand stand = stand_in(line, server);
    bool tells = is_open(line) && stand == STAND_HOLDS && row->observed.count;
    buf_printf(out, "<td class=\"%s\" title=\"%s", tells ? "seen" : shown[stand].class, shown[stand].says);
    if (row && row->first && stand < STAND_HOLDS)
        buf_printf(out, " in %zu case%s: %s", row->counts[stand], row->counts[stand] == 1 ? "" : "s",
                   shown_text(matrix, tree_text(row->first, "why")));
    buf_append_literal(out, "\">");
    for (size_t i = 0; tells && i < row->observed.count; i++)
        buf_printf(out, "%s%s", i ? ", " : "", shown_text(matrix, list_str(&row->observed, i)));
    if (!tells)
        buf_printf(out, "%s", shown[stand].sign);
    buf_append_literal(out, "</td>");
}

static void html_line(const struct matrix *matrix, const struct line *line, struct buf *out)
{
    const char *level = is_open(line) ? "open" : str_is(line->any->level, "must") ? "must" : "should";
    buf_printf(out,
               "<tr class=\"row %s%s%s\"><th scope=\"row\"><code>%s</code> <span class=\"count\">%s</span>"
               "<span class=\"says\">%s</span></th>",
               level, line->is_broken ? " broken" : "", line->differs ? " differ" : "", shown_text(matrix, line->key),
               shown_text(matrix, line->any->level), shown_text(matrix, line->any->says));
    for (size_t i = 0; i < matrix->server_count; i++)
        html_cell(matrix, line, i, out);
    buf_append_literal(out, "</tr>\n");
}

static void html_lines(const struct matrix *matrix, struct buf *out)
{
    struct str prefix = {0};
    buf_append_literal(out, "<table class=\"matrix\"><caption>");
    append_legend(out);
    buf_append_literal(out, "</caption><thead><tr><th scope=\"col\">requirement</th>");
    for (size_t i = 0; i < matrix->server_count; i++)
        buf_printf(out, "<th scope=\"col\">%s</th>", shown_text(matrix, matrix->servers[i].name));
    buf_append_literal(out, "</tr></thead>\n");
    for (size_t i = 0; i < matrix->count; i++) {
        struct str next = str_before(matrix->lines[i].key, '.');
        if (!str_equal(next, prefix)) {
            buf_printf(out, "%s<tbody class=\"group\"><tr><th scope=\"rowgroup\" colspan=\"%zu\">%s</th></tr>\n",
                       i ? "</tbody>\n" : "", matrix->server_count + 1, shown_text(matrix, next));
            prefix = next;
        }
        html_line(matrix, &matrix->lines[i], out);
    }
    buf_printf(out, "%s</table>\n", matrix->count ? "</tbody>" : "<tbody></tbody>");
}

static void print_html(const void *what, struct buf *out)
{
    const struct matrix *matrix = what;
    append_html_head(out, STR("Servers and requirements"), matrix_style());
    buf_printf(out,
               "<body><main>\n<h1>Servers and requirements</h1>\n<p class=\"lead\">%zu servers "
               "beside %zu requirements of the Open Inference Protocol and its relatives.</p>\n",
               matrix->server_count, matrix->count);
    html_summary(matrix, out);
    html_filters(out);
    html_lines(matrix, out);
    buf_append_literal(out, "</main></body>\n</html>\n");
}

/* --- The command --- */

int command_matrix(const struct options *options)
{
    struct arena arena = memory_arena();
    struct past_run *servers;
    int code = EXIT_USAGE;
    if (!complain_of(past_runs_read(&options->operands, &arena, &servers))) {
        struct matrix matrix = {.servers = servers, .server_count = options->operands.count, .arena = &arena};
        const struct form_of forms[] = {{options->files.markdown, print_markdown}, {options->files.html, print_html}};
        fill(&matrix);
        code = forms_write(&matrix, print_text, forms, COUNT_OF(forms)) ? EXIT_CONFORMANT : EXIT_SUITE;
    }
    arena_free(&arena);
    return code;
}
