/* `diff`: what changed between two runs, by their reports; and how `compare` tells what differs between two targets. */
#include "commands/compare/diff.h"
#include "commands/commands.h"
#include "commands/forms.h"

#include "base/search.h"
#include "report/escape.h"
#include "support/printable.h"

#define SHOWN      400 /* bytes of a text of a report that are shown */
#define PLACES_MAX 60  /* places that are told to a person */

enum change {
    CHANGE_BROKEN,
    CHANGE_MENDED,
    CHANGE_EASED,
    CHANGE_WAIVED,
    CHANGE_JUDGED,
    CHANGE_UNJUDGED,
    CHANGE_OTHER,
    CHANGES
};

static const struct {
    const char *name;    /* in JSON */
    const char *says[2]; /* of two runs; of two targets */
} changes[CHANGES] = {
    [CHANGE_BROKEN] = {"broken", {"Newly broken", "Broken only by the second"}},
    [CHANGE_MENDED] = {"mended", {"Mended", "Broken only by the first"}},
    [CHANGE_EASED] = {"eased",
                      {"Failed before, and is now only a warning",
                       "Failed by the first, and only a warning for the second"}},
    [CHANGE_WAIVED] = {"waived", {"Broken, and now waived", "Broken, and waived for the second"}},
    [CHANGE_JUDGED] = {"judged", {"Newly judged, and holds", "Judged only for the second, and holds"}},
    [CHANGE_UNJUDGED] = {"unjudged", {"No longer judged", "Judged only for the first"}},
    [CHANGE_OTHER] = {"other",
                      {"Different answers where the documents are silent",
                       "Different answers where the documents are silent"}},
};

/* What the two sides are called: of two runs; of two targets. */
static const char *const sides[2][2] = {{"before", "now"}, {"first", "second"}};

struct changed_row {
    enum change change;
    const struct past_row *old, *new; /* at least one of them */
};

struct difference {
    struct past_run old, new;
    struct changed_row *rows; /* in the order of their keys */
    size_t count, still_broken;
    bool fails;                        /* a MUST is newly broken, or with --strict a SHOULD */
    const struct contrasts *contrasts; /* of two targets; NULL: there are two runs */
    struct arena *arena;
};

static const char *side(const struct difference *difference, int number)
{
    return sides[difference->contrasts != NULL][number];
}

/* --- Comparing --- */

static bool is_broken(const struct past_row *row)
{
    return row && (row->stand == STAND_FAILS || row->stand == STAND_WARNS);
}

/* What else a requirement is met by is no matter of the server. */
static bool has_other_answers(const struct past_row *old, const struct past_row *new)
{
    const struct list *before = &old->observed, *now = &new->observed;
    if (!str_is(new->level, "open") && !str_is(new->level, "may"))
        return false;
    return before->count != now->count ||
           !ALL(i, now->count, ANY(k, before->count, str_equal(list_str(before, k), list_str(now, i))));
}

/* Returns what changed; CHANGES if nothing did. */
static enum change change_of(const struct past_row *old, const struct past_row *new)
{
    enum stand was = old ? old->stand : STAND_UNKNOWN, is = new ? new->stand : STAND_UNKNOWN;
    if (is == STAND_FAILS)
        return was == STAND_FAILS || was == STAND_WAIVED ? CHANGES : CHANGE_BROKEN;
    if (is == STAND_WARNS)
        return was == STAND_FAILS ? CHANGE_EASED : was == STAND_WARNS || was == STAND_WAIVED ? CHANGES : CHANGE_BROKEN;
    if (is == STAND_WAIVED)
        return was == STAND_WAIVED ? CHANGES : CHANGE_WAIVED;
    if (is == STAND_UNKNOWN)
        return was == STAND_UNKNOWN ? CHANGES : CHANGE_UNJUDGED;
    if (was == STAND_UNKNOWN)
        return CHANGE_JUDGED;
    if (is_broken(old) || was == STAND_WAIVED)
        return CHANGE_MENDED;
    return has_other_answers(old, new) ? CHANGE_OTHER : CHANGES;
}

static void add_row(struct difference *difference, const struct past_row *old, const struct past_row *new, bool strict)
{
    enum change change = change_of(old, new);
    const struct past_row *row = new ? new : old;
    if (!row)
        return;
    difference->still_broken += is_broken(old) && is_broken(new);
    if (change == CHANGES)
        return;
    difference->rows[difference->count++] = (struct changed_row){change, old, new};
    difference->fails |=
        change == CHANGE_BROKEN && (str_is(row->level, "must") || (strict && str_is(row->level, "should")));
}

static void compare_runs(struct difference *difference, bool strict)
{
    const struct past_run *old = &difference->old, *new = &difference->new;
    size_t i = 0, k = 0;
    difference->rows = arena_alloc_zero(difference->arena, old->count + new->count + 1, sizeof *difference->rows);
    while (i < old->count || k < new->count) {
        int order = i == old->count ? 1 : k == new->count ? -1 : str_compare(old->rows[i].key, new->rows[k].key);
        add_row(difference, order <= 0 ? &old->rows[i] : NULL, order >= 0 ? &new->rows[k] : NULL, strict);
        i += order <= 0;
        k += order >= 0;
    }
}

/* --- What is said of it --- */

/* What makes the two runs hard to compare; a line for each. */
static void append_doubts(const struct difference *difference, const char *before, struct buf *out)
{
    static const struct {
        const char *object, *member, *says;
    } compared[] = {
        {"suite", "fixtures", "the suites differ, so a change may come from the suite and not from the server"},
        {"discovery", "edition", "the runs were judged by different editions of the documents"},
    };
    for (size_t i = 0; i < COUNT_OF(compared); i++) {
        struct str old = tree_text(tree_member(difference->old.report, compared[i].object), compared[i].member);
        struct str new = tree_text(tree_member(difference->new.report, compared[i].object), compared[i].member);
        if (old.size && new.size && !str_equal(old, new))
            buf_printf(out, "%s%s\n", before, compared[i].says);
    }
    const struct past_run *both[] = {&difference->old, &difference->new};
    for (int i = 0; i < 2; i++)
        if (str_is(both[i]->conclusion, "not judged"))
            buf_printf(out, "%sof the %s nothing was judged: %.*s\n", before, i ? "second" : "first",
                       STR_ARG(tree_text(both[i]->report, "reason")));
}

static size_t count_of(const struct difference *difference, enum change change)
{
    return SUM(i, difference->count, difference->rows[i].change == change);
}

static void append_names(const struct past_row *row, struct buf *out)
{
    for (size_t i = 0; i < row->observed.count; i++) {
        if (i)
            buf_append_literal(out, ", ");
        append_printable(out, list_str(&row->observed, i), SHOWN);
    }
}

static void append_line(struct buf *out, const char *before, const char *label, struct str text)
{
    if (!text.size)
        return;
    buf_printf(out, "%s%s: ", before, label);
    append_printable(out, text, SHOWN);
    buf_append_byte(out, '\n');
}

/* Appends what the reports say of the change, each line after `before`. */
static void append_row(const struct difference *difference, const struct changed_row *row, const char *before,
                       struct buf *out)
{
    const struct past_row *shown = row->change == CHANGE_MENDED || row->change == CHANGE_UNJUDGED ? row->old : row->new;
    if (row->change == CHANGE_OTHER) {
        buf_printf(out, "%s%s: ", before, side(difference, 0));
        append_names(row->old, out);
        buf_printf(out, "\n%s%s: ", before, side(difference, 1));
        append_names(row->new, out);
        buf_append_byte(out, '\n');
        return;
    }
    if (row->change != CHANGE_BROKEN && row->change != CHANGE_WAIVED)
        return;
    if (!row->old || row->old->stand == STAND_UNKNOWN)
        buf_printf(out, "%s%s: not judged\n", before, side(difference, 0));
    buf_printf(out, "%scase: %.*s", before, STR_ARG(tree_text(shown->first, "id")));
    if (shown->counts[shown->stand] > 1)
        buf_printf(out, " and %zu more", shown->counts[shown->stand] - 1);
    buf_append_byte(out, '\n');
    append_line(out, before, "because", tree_text(shown->first, "why"));
    append_line(out, before, "reproduce", tree_text(shown->first, "command"));
}

static const struct past_row *any_of(const struct changed_row *row)
{
    return row->new ? row->new : row->old;
}

static void append_head(const struct difference *difference, struct buf *out)
{
    const struct past_run *both[] = {&difference->old, &difference->new};
    for (int i = 0; i < 2; i++)
        buf_printf(out, "%s%s%.*s: %.*s\n", difference->contrasts ? side(difference, i) : "",
                   difference->contrasts ? ": " : "", STR_ARG(both[i]->name), STR_ARG(both[i]->conclusion));
}

static void append_sum(const struct difference *difference, struct buf *out)
{
    if (!difference->count)
        buf_printf(out, difference->contrasts ? "no verdict differs" : "nothing changed");
    for (size_t change = 0, told = 0; change < CHANGES; change++) {
        size_t count = count_of(difference, (enum change)change);
        if (count)
            buf_printf(out, "%s%zu %s", told++ ? ", " : "", count, changes[change].name);
    }
    buf_printf(out, difference->contrasts ? "; %zu broken by both\n" : "; %zu still broken\n",
               difference->still_broken);
}

/* Appends how else the answers of two targets differ, a line for each place, after `before`. */
static void append_contrasts(const struct difference *difference, const char *before, struct buf *out)
{
    const struct contrasts *contrasts = difference->contrasts;
    for (size_t i = 0; i < contrasts->count && i < PLACES_MAX; i++) {
        const struct contrast *contrast = &contrasts->items[i];
        buf_printf(out, "%s%.*s: %.*s | %.*s\n%s    ", before, STR_ARG(contrast->place), STR_ARG(contrast->first),
                   STR_ARG(contrast->second), before);
        append_printable(out, contrast->request, SHOWN);
        buf_printf(out, " (%.*s)", STR_ARG(contrast->play));
        if (contrast->count > 1)
            buf_printf(out, " and %zu more", contrast->count - 1);
        buf_append_byte(out, '\n');
    }
    if (contrasts->count > PLACES_MAX)
        buf_printf(out, "%s... and %zu more places, which --json lists\n", before, contrasts->count - PLACES_MAX);
}

static void append_requests(const struct difference *difference, struct buf *out)
{
    const struct contrasts *contrasts = difference->contrasts;
    buf_printf(out, "%zu requests were answered by both; %zu were sent only to the first, %zu only to the second\n",
               contrasts->both, contrasts->first_alone, contrasts->second_alone);
    if (contrasts->judged)
        buf_printf(out, "%zu answers differ together with a verdict\n", contrasts->judged);
    if (contrasts->unsteady)
        buf_printf(out, "%zu places are left out, because one target answers differently there each time\n",
                   contrasts->unsteady);
}

static void print_text(const void *what, struct buf *out)
{
    const struct difference *difference = what;
    append_head(difference, out);
    append_doubts(difference, "note: ", out);
    buf_append_byte(out, '\n');
    for (size_t change = 0; change < CHANGES; change++) {
        size_t count = count_of(difference, (enum change)change);
        if (count)
            buf_printf(out, "%s: %zu\n", changes[change].says[difference->contrasts != NULL], count);
        for (size_t i = 0; i < difference->count; i++) {
            const struct past_row *row = any_of(&difference->rows[i]);
            if ((size_t)difference->rows[i].change != change)
                continue;
            buf_printf(out, "%.*s (%.*s, %.*s): %.*s\n", STR_ARG(row->key), STR_ARG(row->level), STR_ARG(row->layer),
                       STR_ARG(row->says));
            append_row(difference, &difference->rows[i], "         ", out);
        }
        if (count)
            buf_append_byte(out, '\n');
    }
    if (difference->contrasts) {
        buf_printf(out, "Answers that differ although no verdict does: %zu places\n", difference->contrasts->count);
        append_contrasts(difference, "  ", out);
        buf_append_byte(out, '\n');
        append_requests(difference, out);
    }
    append_sum(difference, out);
}

static void print_markdown(const void *what, struct buf *out)
{
    const struct difference *difference = what;
    buf_append_literal(out, "### Conformance: ");
    append_sum(difference, out);
    buf_append_literal(out, "\n| | server | conclusion |\n|---|---|---|\n");
    for (int i = 0; i < 2; i++) {
        const struct past_run *run = i ? &difference->new : &difference->old;
        buf_printf(out, "| %s |", side(difference, i));
        append_markdown_cell(out, run->name, SHOWN);
        append_markdown_cell(out, run->conclusion, SHOWN);
        buf_append_byte(out, '\n');
    }
    buf_append_byte(out, '\n');
    append_doubts(difference, "> ", out);
    for (size_t change = 0; change < CHANGES; change++) {
        if (!count_of(difference, (enum change)change))
            continue;
        buf_printf(out, "\n**%s**\n\n", changes[change].says[difference->contrasts != NULL]);
        for (size_t i = 0; i < difference->count; i++) {
            const struct past_row *row = any_of(&difference->rows[i]);
            struct buf more = {0};
            if ((size_t)difference->rows[i].change != change)
                continue;
            buf_printf(out, "* `%.*s` (%.*s): %.*s\n", STR_ARG(row->key), STR_ARG(row->level), STR_ARG(row->says));
            append_row(difference, &difference->rows[i], "      ", &more);
            if (more.size)
                buf_printf(out, "\n%.*s\n", STR_ARG(buf_str(&more)));
            buf_free(&more);
        }
    }
    if (!difference->contrasts)
        return;
    buf_printf(out, "\n**Answers that differ although no verdict does: %zu places**\n\n", difference->contrasts->count);
    append_contrasts(difference, "    ", out);
    buf_append_byte(out, '\n');
    append_requests(difference, out);
}

/* Adds how else the answers of two targets differ. */
static void add_contrasts(const struct contrasts *contrasts, struct arena *arena, struct tree *root)
{
    struct tree *places = tree_new(arena, TREE_ARRAY);
    FOR_EACH(contrast, contrasts->items, contrasts->count)
        tree_append(places, tree_object(arena, {"request", tree_string(arena, contrast->request)},
                                        {"place", tree_string(arena, contrast->place)},
                                        {"first", tree_string(arena, contrast->first)},
                                        {"second", tree_string(arena, contrast->second)},
                                        {"count", tree_uint(arena, contrast->count)},
                                        {"play", tree_string(arena, contrast->play)}));
    tree_add(root, STR("answers"), places);
    tree_add(root, STR("requests"),
             tree_object(arena, {"both", tree_uint(arena, contrasts->both)},
                         {"first_alone", tree_uint(arena, contrasts->first_alone)},
                         {"second_alone", tree_uint(arena, contrasts->second_alone)},
                         {"judged_differently", tree_uint(arena, contrasts->judged)}));
    tree_add(root, STR("unsteady_places"), tree_uint(arena, contrasts->unsteady));
}

static void print_json(const void *what, struct buf *out)
{
    const struct difference *difference = what;
    struct arena *arena = difference->arena;
    struct tree *root = tree_object(arena, {"old", tree_string(arena, difference->old.name)},
                                    {"new", tree_string(arena, difference->new.name)});
    for (size_t change = 0; change < CHANGES; change++) {
        struct tree *list = tree_new(arena, TREE_ARRAY);
        for (size_t i = 0; i < difference->count; i++)
            if ((size_t)difference->rows[i].change == change)
                tree_append(list, tree_string(arena, any_of(&difference->rows[i])->key));
        tree_add(root, str_of(changes[change].name), list);
    }
    tree_add(root, STR("still_broken"), tree_uint(arena, difference->still_broken));
    if (difference->contrasts)
        add_contrasts(difference->contrasts, arena, root);
    tree_write(root, out);
    buf_append_byte(out, '\n');
}

/* --- The command --- */

int diff_print(const struct options *options, const struct past_run *old, const struct past_run *new,
               const struct contrasts *contrasts, struct arena *arena)
{
    struct difference difference = {.old = *old, .new = *new, .contrasts = contrasts, .arena = arena};
    const struct form_of forms[] = {{options->files.markdown, print_markdown}, {options->files.json, print_json}};
    compare_runs(&difference, options->strict);
    bool saved = forms_write(&difference, print_text, forms, COUNT_OF(forms));
    return !saved ? EXIT_SUITE : difference.fails ? EXIT_NOT_CONFORMANT : EXIT_CONFORMANT;
}

int command_diff(const struct options *options)
{
    struct arena arena = memory_arena();
    struct past_run *runs;
    struct status status = past_runs_read(&options->operands, &arena, &runs);
    int code = complain_of(status) ? EXIT_USAGE : diff_print(options, &runs[0], &runs[1], NULL, &arena);
    arena_free(&arena);
    return code;
}
