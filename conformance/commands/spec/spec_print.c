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
        size_t took = append_group(out, findings, (enum spec_group)group, most);
        room -= all ? 0 : took;
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

static struct tree *if_any(struct str text, struct arena *arena)
{
    return text.size ? tree_string(arena, text) : NULL;
}

static struct tree *tree_of(const struct spec_finding *finding, struct arena *arena)
{
    static const char *const names[SPEC_GROUPS] = {"changed", "lost", "new", "other"};
    struct tree *rows = tree_new(arena, TREE_ARRAY);
    for (size_t i = 0; i < finding->row_count; i++)
        tree_append(rows, tree_string(arena, finding->rows[i]->key));
    return tree_object(arena, {"group", tree_string(arena, str_of(names[finding->group]))},
                       {"what", tree_string(arena, str_of(finding->what))}, {"text", if_any(finding->text, arena)},
                       {finding->is_behind ? "behind" : "section", if_any(finding->place, arena)},
                       {"requirements", rows}, {"why", if_any(finding->why, arena)},
                       {"was", if_any(finding->was, arena)}, {"now", if_any(finding->now, arena)},
                       {"still", if_any(finding->beside, arena)}, {"file", if_any(finding->file, arena)},
                       {"line", finding->line ? tree_uint(arena, finding->line) : NULL});
}

void spec_print_json(const void *what, struct buf *out)
{
    const struct spec_findings *findings = what;
    static const char *const sums[] = {"stands", "moved", "changed", "gone", "new"};
    struct arena arena = memory_arena();
    struct tree *list = tree_new(&arena, TREE_ARRAY), *counts = tree_new(&arena, TREE_OBJECT);
    for (size_t i = 0; i < COUNT_OF(sums); i++)
        tree_add(counts, str_of(sums[i]), tree_uint(&arena, findings->counts[i]));
    FOR_EACH(finding, findings->items, findings->count)
        tree_append(list, tree_of(finding, &arena));
    tree_write(
        tree_object(&arena, {"edition", if_any(findings->title, &arena)}, {"counts", counts}, {"findings", list}), out);
    buf_append_byte(out, '\n');
    arena_free(&arena);
}
