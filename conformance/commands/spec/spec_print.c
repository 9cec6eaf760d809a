/* The report of `spec-check` in its three forms. For a person it fits on a few screens: what is no requirement is only
 * counted, and so is what comes after the most that a group may show. */
#include "commands/spec/spec.h"

#include "base/search.h"

#define LINES_MAX ((size_t)90) /* of all groups together, in the short form; the heads and the sum come on top */

#define ROWS_MAX ((size_t)4) /* requirements that are told of a sentence */

static const struct {
    const char *says; /* the head of the group */
    size_t lines;     /* that it may take before the next one gets its share */
} groups[SPEC_GROUPS] = {
    [SPEC_CHANGED] = {"Requirements whose sentence changed", 48},
    [SPEC_LOST] = {"Requirements that lost a sentence", 18},
    [SPEC_NEW] = {"What may be new requirements, or may no longer be requirements", 24},
    [SPEC_OTHER] = {"What only moved, and lines on which no requirement stands", 0},
};

static size_t count_of(const struct spec_findings *findings, enum spec_group group)
{
    return SUM(i, findings->count, findings->items[i].group == group);
}

static void append_part(struct buf *out, const char *label, struct str text)
{
    if (text.size)
        buf_printf(out, "         %s: %.*s\n", label, STR_ARG(text));
}

static void append_line(struct buf *out, const struct spec_finding *finding)
{
    if (finding->line)
        buf_printf(out, "         line: %.*s:%zu\n", STR_ARG(finding->file), finding->line);
}

/* The block of one finding, without a line break after it. */
static void append_finding(struct buf *out, const struct spec_finding *finding)
{
    bool is_changed = strcmp(finding->what, "changed") == 0, is_gone = strcmp(finding->what, "gone") == 0;
    buf_printf(out, "%-8s %.*s, %s\"%.*s\"\n", finding->what, STR_ARG(finding->text),
               finding->is_behind ? "behind " : "", STR_ARG(finding->place));
    for (size_t i = 0; i < finding->row_count && i < ROWS_MAX; i++)
        buf_printf(out, "         %.*s (%s): %.*s\n", STR_ARG(finding->rows[i]->key),
                   level_name(finding->rows[i]->level), STR_ARG(finding->rows[i]->says));
    if (finding->row_count > ROWS_MAX)
        buf_printf(out, "         and %zu more\n", finding->row_count - ROWS_MAX);
    if (finding->why.size)
        append_part(out, "no row, because", finding->why);
    else if (!finding->row_count)
        buf_append_literal(out, "         no row: check whether one is needed\n");
    append_part(out, "was", finding->was);
    append_part(out, is_changed ? "now" : "text", finding->now);
    append_line(out, finding);
    append_part(out, is_gone ? "it stood after" : "behind", finding->neighbour);
    append_part(out, "still there", finding->beside);
}

static void append_sum(const struct spec_findings *findings, struct buf *out)
{
    const size_t *counts = findings->counts;
    size_t known = counts[UNIT_STANDS] + counts[UNIT_CHANGED] + counts[UNIT_GONE] + counts[UNIT_MOVED];
    buf_printf(out, "%.*s: %zu of %zu sentences and lines stand, %zu changed, %zu gone, %zu moved, %zu new\n",
               STR_ARG(findings->title), counts[UNIT_STANDS], known, counts[UNIT_CHANGED], counts[UNIT_GONE],
               counts[UNIT_MOVED], counts[TEXT_NEW]);
}

/* Says how many findings of the group were left out. */
static void append_rest(struct buf *out, enum spec_group group, size_t left)
{
    if (left && group == SPEC_OTHER)
        buf_printf(out, "%zu more only moved, or no requirement stands on them: --all shows them\n", left);
    else if (left)
        buf_printf(out, "... and %zu more: --all shows them\n", left);
}

/* Appends the findings of a group, as many as fit on the lines, and returns how many lines they took. */
static size_t append_group(struct buf *out, const struct spec_findings *findings, enum spec_group group, size_t most)
{
    size_t count = count_of(findings, group), lines = 0, left = 0;
    if (count && most)
        buf_printf(out, "%s: %zu\n", groups[group].says, count);
    for (size_t i = 0; i < findings->count; i++) {
        struct buf block = {0};
        if (findings->items[i].group != group)
            continue;
        append_finding(&block, &findings->items[i]);
        size_t size = SUM(k, block.size, block.data[k] == '\n');
        if (left || lines + size > most) {
            left++;
        } else {
            buf_append_str(out, buf_str(&block));
            lines += size;
        }
        buf_free(&block);
    }
    append_rest(out, group, left);
    if (count && most)
        buf_append_byte(out, '\n');
    return lines;
}

void spec_print_text(const void *what, struct buf *out)
{
    const struct spec_findings *findings = what;
    bool all = findings->shows_all;
    size_t room = LINES_MAX, behind = LINES_MAX;
    for (size_t group = 0; group < SPEC_GROUPS; group++) {
        behind -= groups[group].lines;
        size_t most = all ? SIZE_MAX : group == SPEC_OTHER ? 0 : room - behind;
        room -= all ? 0 : append_group(out, findings, (enum spec_group)group, most);
        if (all)
            append_group(out, findings, (enum spec_group)group, most);
    }
    append_sum(findings, out);
}

/* --- Markdown --- */

static void append_code(struct buf *out, const char *label, struct str text)
{
    if (!text.size)
        return;
    size_t fence = str_has(text, '`') ? 2 : 1;
    buf_printf(out, "  - %s: %.*s%s%.*s%s%.*s\n", label, (int)fence, "``", fence > 1 ? " " : "", STR_ARG(text),
               fence > 1 ? " " : "", (int)fence, "``");
}

void spec_print_markdown(const void *what, struct buf *out)
{
    const struct spec_findings *findings = what;
    bool all = findings->shows_all;
    for (size_t group = 0; group < SPEC_GROUPS; group++) {
        size_t count = count_of(findings, (enum spec_group)group);
        if (!count)
            continue;
        buf_printf(out, "### %s: %zu\n\n", groups[group].says, count);
        for (size_t i = 0; i < findings->count && (all || group != SPEC_OTHER); i++) {
            const struct spec_finding *finding = &findings->items[i];
            if ((size_t)finding->group != group)
                continue;
            buf_printf(out, "- **%s** %s`%.*s`", finding->what, finding->is_behind ? "behind " : "",
                       STR_ARG(finding->place));
            if (finding->line)
                buf_printf(out, " (`%.*s`, line %zu)", STR_ARG(finding->file), finding->line);
            buf_append_byte(out, '\n');
            for (size_t r = 0; r < finding->row_count; r++)
                buf_printf(out, "  - `%.*s` (%s): %.*s\n", STR_ARG(finding->rows[r]->key),
                           level_name(finding->rows[r]->level), STR_ARG(finding->rows[r]->says));
            append_code(out, "was", finding->was);
            append_code(out, "now", finding->now);
            append_code(out, "still there", finding->beside);
        }
        buf_append_literal(out, "\n");
    }
    append_sum(findings, out);
}

/* --- JSON --- */

static void add_text(struct tree *to, const char *name, struct str text, struct arena *arena)
{
    if (text.size)
        tree_add(to, str_of(name), tree_string(arena, text));
}

void spec_print_json(const void *what, struct buf *out)
{
    const struct spec_findings *findings = what;
    static const char *const names[SPEC_GROUPS] = {"changed", "lost", "new", "other"};
    static const char *const sums[] = {"stands", "moved", "changed", "gone", "new"};
    struct arena arena = memory_arena();
    struct tree *report = tree_new(&arena, TREE_OBJECT), *list = tree_new(&arena, TREE_ARRAY),
                *counts = tree_new(&arena, TREE_OBJECT);
    add_text(report, "edition", findings->title, &arena);
    for (size_t i = 0; i < COUNT_OF(sums); i++)
        tree_add(counts, str_of(sums[i]), tree_uint(&arena, findings->counts[i]));
    tree_add(report, STR("counts"), counts);
    tree_add(report, STR("findings"), list);
    FOR_EACH(finding, findings->items, findings->count) {
        struct tree *one = tree_new(&arena, TREE_OBJECT), *rows = tree_new(&arena, TREE_ARRAY);
        for (size_t r = 0; r < finding->row_count; r++)
            tree_append(rows, tree_string(&arena, finding->rows[r]->key));
        add_text(one, "group", str_of(names[finding->group]), &arena);
        add_text(one, "what", str_of(finding->what), &arena);
        add_text(one, "text", finding->text, &arena);
        add_text(one, finding->is_behind ? "behind" : "section", finding->place, &arena);
        tree_add(one, STR("requirements"), rows);
        add_text(one, "why", finding->why, &arena);
        add_text(one, "was", finding->was, &arena);
        add_text(one, "now", finding->now, &arena);
        add_text(one, "still", finding->beside, &arena);
        add_text(one, "file", finding->file, &arena);
        if (finding->line)
            tree_add(one, STR("line"), tree_uint(&arena, finding->line));
        tree_append(list, one);
    }
    tree_write(report, out);
    buf_append_byte(out, '\n');
    arena_free(&arena);
}
