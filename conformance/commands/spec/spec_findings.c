#include "commands/spec/spec.h"

#include "base/search.h"
#include "support/expression.h"
#include "support/printable.h"

#define QUOTE_MAX  ((size_t)2000) /* bytes of words that are shown */
#define BESIDE_MIN ((size_t)6)    /* words of a sentence that is worth naming beside another */

static const struct marks of_was = {"[-", "-]", NULL}, of_now = {"{+", "+}", NULL},
                          of_unknown = {"{+", "+}", "[-%zu word%s-] "};

struct finder {
    const struct suite *suite;
    const struct text *text;
    const struct spec_edition *edition, *old;
    const struct comparison *comparison;
    struct arena *arena;
};

void spec_add(struct spec_findings *findings, const struct spec_finding *finding, struct arena *arena)
{
    findings->items = arena_room(findings->items, findings->count, sizeof *findings->items, arena);
    findings->items[findings->count++] = *finding;
}

struct spec_edition spec_edition_of(const struct edition_files *files, struct arena *arena)
{
    struct spec_edition made = {0};
    struct str *texts = arena_alloc_zero(arena, files->count + 1, sizeof *texts);
    made.files.items = arena_alloc_zero(arena, files->count + 1, sizeof *made.files.items);
    made.starts = arena_alloc_zero(arena, files->count + 1, sizeof *made.starts);
    for (size_t i = 0; i < files->count; i++)
        if (files->items[i].kind == EDITION_PROSE) {
            texts[made.files.count] = files->items[i].text;
            made.files.items[made.files.count++] = files->items[i];
        }
    made.edition = edition_join(texts, made.files.count, made.starts, arena);
    return made;
}

/* --- What a finding says --- */

static const struct requirement **rows_on(const struct finder *finder, const struct unit *unit, size_t *count)
{
    const struct ledger *ledger = &finder->suite->ledger;
    const struct requirement **rows = NULL;
    *count = 0;
    for (int level = LEVEL_MUST; level <= LEVEL_OPEN; level++)
        for (size_t i = 0; i < ledger->count; i++) {
            if ((int)ledger->rows[i].level != level || !row_stands_on(&ledger->rows[i], finder->text, unit))
                continue;
            rows = rows ? rows : arena_alloc_zero(finder->arena, ledger->count, sizeof *rows);
            rows[(*count)++] = &ledger->rows[i];
        }
    return rows;
}

static void place_of(const struct finder *finder, size_t word, struct spec_finding *finding)
{
    const struct spec_edition *edition = finder->edition;
    size_t at = edition->edition.words.items[word].begin, file = 0;
    while (file + 1 < edition->files.count && edition->starts[file + 1] <= at)
        file++;
    finding->file = edition->files.items[file].name;
    finding->line = 1;
    for (size_t i = edition->starts[file]; i < at; i++)
        finding->line += edition->edition.text.data[i] == '\n';
}

static struct str printable(const struct finder *finder, struct str text)
{
    struct buf out = {0};
    append_printable(&out, text, QUOTE_MAX);
    return arena_take(finder->arena, &out);
}

/* Sets what the words were, if an earlier edition says it, and what they are now. */
static void quote(const struct finder *finder, const struct found *found, const struct unit *unit,
                  struct spec_finding *finding)
{
    const struct edition *edition = &finder->edition->edition;
    struct wording was = {.digests = unit ? unit->words : NULL, .count = unit ? unit->count : 0};
    struct wording now = {.words = edition->words.items + found->begin, .count = found->end - found->begin};
    bool is_old_known = finder->old && found->was_begin < found->was_end;
    if (is_old_known) {
        const struct edition *old = &finder->old->edition;
        was =
            (struct wording){.words = old->words.items + found->was_begin, .count = found->was_end - found->was_begin};
        finding->was = found->finding == UNIT_CHANGED
                           ? edition_marked(old, found->was_begin, found->was_end, &now, &of_was, finder->arena)
                           : edition_quote(old, found->was_begin, found->was_end, finder->arena);
    }
    finding->now = found->finding == UNIT_CHANGED ? edition_marked(edition, found->begin, found->end, &was,
                                                                   is_old_known ? &of_now : &of_unknown, finder->arena)
                                                  : edition_quote(edition, found->begin, found->end, finder->arena);
    finding->was = printable(finder, finding->was);
    finding->now = printable(finder, finding->now);
}

static const struct found *found_of(const struct finder *finder, size_t unit)
{
    return unit != NO_UNIT ? FIND(finder->comparison->items, i, finder->comparison->count,
                                  finder->comparison->items[i].unit == unit)
                           : NULL;
}

/* A requirement may stand on several sentences: if one of them changed and another did not, the edition may contradict
 * itself. Names the first of these others that is long enough to say something. */
static void look_beside(const struct finder *finder, size_t unit, struct spec_finding *finding)
{
    struct spec_finding other = {0};
    for (size_t i = 0; i < finder->text->count && !finding->beside.size; i++) {
        const struct found *found = found_of(finder, i);
        bool is_on_it = false;
        if (i == unit || finder->text->units[i].count < BESIDE_MIN || !found || found->finding != UNIT_STANDS)
            continue;
        for (size_t r = 0; r < finding->row_count && !is_on_it; r++)
            is_on_it = row_stands_on(finding->rows[r], finder->text, &finder->text->units[i]);
        if (!is_on_it || found->begin >= found->end)
            continue;
        place_of(finder, found->begin, &other);
        finding->beside = printable(
            finder,
            arena_printf(finder->arena, "%.*s:%zu: %.*s", STR_ARG(other.file), other.line,
                         STR_ARG(edition_quote(&finder->edition->edition, found->begin, found->end, finder->arena))));
    }
}

/* Whether words look as if they demanded something: a verb of demand, a member, a path, a field. */
static bool demands(struct str words)
{
    return expression_meets(
        STR("(?i)(^|[^a-z])(must|shall|should|required|requires|may not|cannot|never)([^a-z]|$)|\"[a-z_]+\" *:|"
            "[a-z0-9_}>]/[a-z${<]|(^| )(GET|POST|PUT|DELETE) |= [0-9]+ *;?$|\\$[a-z_]+ *=|rpc |HTTP [0-9]"),
        words);
}

static enum spec_group group_of(const struct found *found, size_t rows, struct str now)
{
    if (found->finding == UNIT_MOVED)
        return SPEC_OTHER;
    if (found->finding == UNIT_GONE)
        return rows ? SPEC_LOST : SPEC_OTHER;
    if (found->finding == UNIT_CHANGED && rows)
        return SPEC_CHANGED;
    return demands(now) ? SPEC_NEW : SPEC_OTHER;
}

static struct spec_finding finding_of(const struct finder *finder, const struct found *found)
{
    static const char *const names[] = {"", "moved", "changed", "gone", "new"};
    const struct unit *unit = found->unit != NO_UNIT ? &finder->text->units[found->unit] : NULL;
    const struct unit *behind = found->behind != NO_UNIT ? &finder->text->units[found->behind] : NULL;
    struct spec_finding finding = {
        .what = names[found->finding],
        .text = finder->text->name,
        .place = unit     ? unit->section
                 : behind ? behind->section
                          : STR("the beginning"),
        .is_behind = !unit,
        .why = unit ? unit->why : STR(""),
    };
    if (unit)
        finding.rows = rows_on(finder, unit, &finding.row_count);
    quote(finder, found, unit, &finding);
    if (found->begin < found->end)
        place_of(finder, found->begin, &finding);
    finding.group = group_of(found, finding.row_count, finding.now);
    const struct found *before = found->finding != UNIT_CHANGED ? found_of(finder, found->behind) : NULL;
    if (before)
        finding.neighbour =
            printable(finder, edition_quote(&finder->edition->edition, before->begin, before->end, finder->arena));
    if (finding.row_count && found->finding != UNIT_MOVED)
        look_beside(finder, found->unit, &finding);
    return finding;
}

void spec_find(const struct suite *suite, const struct text *text, const struct spec_edition *edition,
               const struct spec_edition *old, const struct comparison *comparison, struct arena *arena,
               struct spec_findings *findings)
{
    struct finder finder = {suite, text, edition, old, comparison, arena};
    for (size_t i = 0; i < comparison->count; i++) {
        findings->counts[comparison->items[i].finding]++;
        if (comparison->items[i].finding == UNIT_STANDS)
            continue;
        struct spec_finding finding = finding_of(&finder, &comparison->items[i]);
        spec_add(findings, &finding, arena);
    }
}

/* --- Their order --- */

static int gravity(const struct spec_finding *finding)
{
    return finding->row_count ? (int)finding->rows[0]->level : LEVEL_OPEN + 1;
}

static bool stands_behind(const struct spec_finding *one, const struct spec_finding *other)
{
    return one->group != other->group ? one->group > other->group : gravity(one) > gravity(other);
}

void spec_sort(struct spec_findings *findings)
{
    struct spec_finding *items = findings->items;
    for (size_t i = 1; i < findings->count; i++) {
        struct spec_finding moved = items[i];
        size_t at = i;
        for (; at && stands_behind(&items[at - 1], &moved); at--)
            items[at] = items[at - 1];
        items[at] = moved;
    }
}
