/* What changed between two editions of a text: of the findings of the later one, those that the earlier one does not
 * have in the same words. */
#include "base/search.h"
#include "editions/edition.h"

struct pair {
    const struct edition *old, *new;
    const struct comparison *before, *after;
    struct arena *arena;
};

static bool has_same_words(const struct pair *pair, const struct found *was, const struct found *is)
{
    const struct word *old = pair->old->words.items + was->begin, *new = pair->new->words.items + is->begin;
    bool same = was->end - was->begin == is->end - is->begin;
    for (size_t i = 0; same && i < is->end - is->begin; i++)
        same = str_equal(old[i].text, new[i].text) && str_equal(old[i].angles, new[i].angles);
    return same;
}

/* The first stretch that belongs to no unit, has these words, and was not met by an earlier one. */
static const struct found *find_stretch(const struct pair *pair, const struct found *is, bool *is_met)
{
    for (size_t i = 0; i < pair->before->count; i++) {
        const struct found *was = &pair->before->items[i];
        if (was->finding == TEXT_NEW && !is_met[i] && has_same_words(pair, was, is)) {
            is_met[i] = true;
            return was;
        }
    }
    return NULL;
}

/* Returns what became of a unit, or of a stretch that belongs to none. */
static struct found since(const struct pair *pair, const struct found *is, bool *is_met)
{
    struct found found = *is;
    const struct found *was = is->unit == NO_UNIT ? find_stretch(pair, is, is_met)
                                                  : FIND(pair->before->items, i, pair->before->count,
                                                         pair->before->items[i].unit == is->unit);
    bool was_there = was && was->begin < was->end, is_there = is->begin < is->end;
    if (was) {
        found.was_begin = was->begin;
        found.was_end = was->end;
    }
    if (!was_there)
        found.finding = is_there ? TEXT_NEW : UNIT_STANDS; /* gone already, or there again */
    else if (!is_there)
        found.finding = UNIT_GONE;
    else if (!has_same_words(pair, was, is))
        found.finding = UNIT_CHANGED;
    else if (is->finding != UNIT_MOVED || was->finding == UNIT_MOVED)
        found.finding = UNIT_STANDS;
    return found;
}

struct comparison edition_since(const struct edition *old, const struct comparison *before, const struct edition *new,
                                const struct comparison *after, struct arena *arena)
{
    struct pair pair = {old, new, before, after, arena};
    struct comparison comparison = {.share = after->share};
    bool *is_met = arena_alloc_zero(arena, before->count + 1, sizeof *is_met);
    comparison.items = arena_alloc_zero(arena, before->count + after->count + 1, sizeof *comparison.items);
    for (size_t i = 0; i < after->count; i++)
        comparison.items[comparison.count++] = since(&pair, &after->items[i], is_met);
    for (size_t i = 0; i < before->count; i++) {
        const struct found *was = &before->items[i];
        if (was->finding != TEXT_NEW || is_met[i])
            continue;
        comparison.items[comparison.count++] = (struct found){
            .finding = UNIT_GONE, .unit = NO_UNIT, .behind = was->behind, .was_begin = was->begin, .was_end = was->end};
    }
    for (size_t i = 0; i < comparison.count; i++)
        comparison.counts[comparison.items[i].finding]++;
    return comparison;
}
