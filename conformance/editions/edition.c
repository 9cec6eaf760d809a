#include "editions/edition.h"

#include "editions/compare.h"

#include <math.h>

struct edition edition_read(struct str text, struct arena *arena)
{
    struct edition edition = {.text = text, .words = words_of(text, arena)};
    for (size_t i = 0; i < edition.words.count; i++)
        edition.has_angles |= edition.words.items[i].angles.size != 0;
    return edition;
}

struct edition edition_join(const struct str *files, size_t count, size_t *starts, struct arena *arena)
{
    struct edition *parts = arena_alloc_zero(arena, count + 1, sizeof *parts), whole = {0};
    struct buf text = {0};
    for (size_t i = 0; i < count; i++) {
        starts[i] = text.size;
        buf_append_str(&text, files[i]);
        buf_append_literal(&text, "\n\n");
        parts[i] = edition_read(files[i], arena);
        whole.words.count += parts[i].words.count;
        whole.has_angles |= parts[i].has_angles;
    }
    whole.text = arena_take(arena, &text);
    whole.words.items = arena_alloc_zero(arena, whole.words.count + 1, sizeof *whole.words.items);
    struct word *to = whole.words.items;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < parts[i].words.count; k++, to++) {
            *to = parts[i].words.items[k];
            to->begin += starts[i];
            to->end += starts[i];
        }
    return whole;
}

static void weigh_words(struct comparing *comparing)
{
    const struct words *words = &comparing->edition->words;
    size_t counts[256] = {0};
    for (size_t i = 0; i < words->count; i++)
        counts[words->items[i].digest]++;
    for (int i = 0; i < 256; i++) {
        comparing->weights[i] = log(1.0 + (double)(words->count + 1) / (double)(counts[i] + 1));
        comparing->average += comparing->weights[i] / 256;
    }
}

static double share_in_order(const struct comparing *comparing)
{
    size_t all = 0, standing = 0;
    for (size_t i = 0; i < comparing->text->count; i++) {
        const struct unit *unit = &comparing->text->units[i];
        bool stands = comparing->units[i].end != 0;
        all += unit->optional ? 0 : unit->count;
        standing += stands && !unit->optional ? unit->count : 0;
    }
    return all ? (double)standing / (double)all : 0;
}

/* --- What is new --- */

static size_t owner_before(const struct comparing *comparing, size_t at)
{
    while (at && comparing->owners[at - 1] == NO_UNIT)
        at--;
    return at ? comparing->owners[at - 1] : NO_UNIT;
}

static void change(struct comparing *comparing, size_t unit, size_t begin, size_t end)
{
    struct found *found = &comparing->units[unit];
    found->finding = UNIT_CHANGED;
    found->begin = begin < found->begin ? begin : found->begin;
    found->end = end > found->end ? end : found->end;
}

/* A stretch that no end of a sentence or line divides from the unit before it, or after it, belongs to that unit: a
 * condition was added. If none divides it from both, nobody knows to which of the two it was added, and it is said of
 * both. Else the stretch is new. */
static void add_stretch(struct comparing *comparing, size_t begin, size_t end, struct list *found)
{
    size_t count = comparing->edition->words.count;
    bool before = begin && comparing->owners[begin - 1] != NO_UNIT && !ends_behind(comparing->edition, begin - 1);
    bool behind = end < count && comparing->owners[end] != NO_UNIT && !ends_behind(comparing->edition, end - 1);
    if (before)
        change(comparing, comparing->owners[begin - 1], begin, end);
    if (behind)
        change(comparing, comparing->owners[end], begin, end);
    if (before || behind)
        return;
    struct found *item = arena_new_of(comparing->arena, struct found);
    *item = (struct found){TEXT_NEW, NO_UNIT, owner_before(comparing, begin), begin, end, 0, 0};
    list_append(found, item, comparing->arena);
}

static void find_new(struct comparing *comparing, struct list *found)
{
    size_t count = comparing->edition->words.count;
    for (size_t begin = 0; begin < count;) {
        size_t end = begin;
        if (comparing->owners[begin] != NO_UNIT) {
            begin++;
            continue;
        }
        do
            end++;
        while (end < count && comparing->owners[end] == NO_UNIT && !ends_behind(comparing->edition, end - 1));
        add_stretch(comparing, begin, end, found);
        begin = end;
    }
}

/* --- The whole --- */

/* A unit that is gone stood after the last unit before it that is still in its place. */
static void place_gone(struct comparing *comparing)
{
    size_t behind = NO_UNIT, end = 0;
    for (size_t i = 0; i < comparing->text->count; i++) {
        struct found *found = &comparing->units[i];
        if (found->finding == UNIT_GONE) {
            found->begin = found->end = end;
            found->behind = behind;
            continue;
        }
        found->behind = owner_before(comparing, found->begin);
        if (found->finding != UNIT_MOVED) {
            behind = i;
            end = found->end;
        }
    }
}

static int compare_found(const void *a, const void *b)
{
    const struct found *left = a, *right = b;
    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    return (left->unit > right->unit) - (left->unit < right->unit);
}

struct comparison edition_compare(const struct edition *edition, const struct text *text, struct arena *arena)
{
    struct comparing comparing = {.edition = edition, .text = text, .arena = arena};
    struct list new = {0};
    comparing.owners = arena_alloc_zero(arena, edition->words.count + 1, sizeof *comparing.owners);
    comparing.units = arena_alloc_zero(arena, text->count + 1, sizeof *comparing.units);
    for (size_t i = 0; i <= edition->words.count; i++)
        comparing.owners[i] = NO_UNIT;
    for (size_t i = 0; i < text->count; i++)
        comparing.units[i] = (struct found){.finding = UNIT_GONE, .unit = i, .behind = NO_UNIT};
    weigh_words(&comparing);
    find_in_order(&comparing);
    struct comparison comparison = {.share = share_in_order(&comparing)};
    find_moved(&comparing);
    find_reworded(&comparing);
    find_new(&comparing, &new);
    place_gone(&comparing);
    comparison.items = arena_alloc_zero(arena, text->count + new.count + 1, sizeof *comparison.items);
    for (size_t i = 0; i < text->count; i++)
        if (comparing.units[i].finding != UNIT_GONE || !text->units[i].optional)
            comparison.items[comparison.count++] = comparing.units[i];
    for (size_t i = 0; i < new.count; i++)
        comparison.items[comparison.count++] = *(struct found *)new.items[i];
    array_sort(comparison.items, comparison.count, compare_found);
    for (size_t i = 0; i < comparison.count; i++)
        comparison.counts[comparison.items[i].finding]++;
    return comparison;
}
