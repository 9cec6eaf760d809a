/* Finds the longest chain of units that are in an edition in the order of the document. */
#include "editions/compare.h"

#include "base/search.h"
#include "editions/fingerprint.h"

#define WORD_WEIGHT 8 /* of a word of the unit, against 1 for a neighbouring word that is the right one */

/* A place where a unit stands word by word. */
struct place {
    size_t unit, begin;
    size_t weight;          /* of the unit here, by its words and neighbours */
    size_t total;           /* weight of the best chain of units that ends here */
    struct place *previous; /* the place before it in that chain */
};

void comparing_take(struct comparing *comparing, size_t unit, enum finding finding, size_t begin, size_t end)
{
    comparing->units[unit].finding = finding;
    comparing->units[unit].begin = begin;
    comparing->units[unit].end = end;
    for (size_t i = begin; i < end; i++)
        comparing->owners[i] = unit;
}

static bool stands_at(const struct comparing *comparing, const struct unit *unit, size_t begin, struct arena *scratch)
{
    const struct word *words = comparing->edition->words.items + begin;
    return str_equal(fingerprint_of(words, unit->count, scratch), unit->sentence) &&
           ALL(i, unit->count, words[i].digest == unit->words[i]);
}

static size_t weigh(const struct comparing *comparing, size_t unit, size_t begin)
{
    const struct words *words = &comparing->edition->words;
    const struct text *text = comparing->text;
    size_t count = text->units[unit].count, end = begin + count, weight = WORD_WEIGHT * count;
    if (unit && begin)
        weight += words->items[begin - 1].digest == text->units[unit - 1].words[text->units[unit - 1].count - 1];
    if (unit + 1 < text->count && end < words->count)
        weight += words->items[end].digest == text->units[unit + 1].words[0];
    return weight;
}

/* The best chain that ends at or before each word: a Fenwick tree over the words, whose nodes hold places. */
struct chains {
    struct place **best;
    size_t count;
};

static struct place *best_before(const struct chains *chains, size_t end)
{
    struct place *best = NULL;
    for (size_t i = end + 1; i; i &= i - 1)
        if (chains->best[i] && (!best || chains->best[i]->total > best->total))
            best = chains->best[i];
    return best;
}

static void add_chain(const struct chains *chains, size_t end, struct place *place)
{
    for (size_t i = end + 1; i <= chains->count; i += i & (~i + 1))
        if (!chains->best[i] || place->total > chains->best[i]->total)
            chains->best[i] = place;
}

/* Appends every place of the unit, with the best chain that ends there. */
static void chain_unit(const struct comparing *comparing, const struct chains *chains, size_t index,
                       struct list *places, struct arena *scratch)
{
    const struct unit *unit = &comparing->text->units[index];
    const struct words *words = &comparing->edition->words;
    struct arena fingerprints = memory_arena();
    for (size_t begin = 0; begin + unit->count <= words->count; begin++) {
        if (words->items[begin].digest != unit->words[0] || !stands_at(comparing, unit, begin, &fingerprints))
            continue;
        struct place *place = arena_new_of(scratch, struct place);
        *place = (struct place){index, begin, weigh(comparing, index, begin), 0, best_before(chains, begin)};
        place->total = place->weight + (place->previous ? place->previous->total : 0);
        list_append(places, place, scratch);
    }
    arena_free(&fingerprints);
}

/* What is in angle brackets counts, unless this form of the text has lost all of it, or the unit's was lost. */
static enum finding finding_at(const struct comparing *comparing, const struct unit *unit, size_t begin,
                               enum finding unchanged)
{
    const struct word *words = comparing->edition->words.items + begin;
    struct str angles = fingerprint_of_angles(words, unit->count, comparing->arena);
    bool lost = unit->lost_angles || (unit->angles.size && !comparing->edition->has_angles);
    return lost || str_equal(angles, unit->angles) ? unchanged : UNIT_CHANGED;
}

static void take_whole(struct comparing *comparing, size_t index, size_t begin, enum finding unchanged)
{
    const struct unit *unit = &comparing->text->units[index];
    comparing_take(comparing, index, finding_at(comparing, unit, begin, unchanged), begin, begin + unit->count);
}

void find_in_order(struct comparing *comparing)
{
    struct arena scratch = memory_arena();
    size_t count = comparing->edition->words.count;
    struct chains chains = {arena_alloc_zero(&scratch, count + 2, sizeof(struct place *)), count + 1};
    for (size_t i = 0; i < comparing->text->count; i++) {
        struct list places = {0};
        chain_unit(comparing, &chains, i, &places, &scratch);
        for (size_t p = 0; p < places.count; p++) {
            struct place *place = places.items[p];
            add_chain(&chains, place->begin + comparing->text->units[i].count, place);
        }
    }
    for (const struct place *place = best_before(&chains, count); place; place = place->previous)
        take_whole(comparing, place->unit, place->begin, UNIT_STANDS);
    arena_free(&scratch);
}

void find_moved(struct comparing *comparing)
{
    struct arena scratch = memory_arena();
    const struct words *words = &comparing->edition->words;
    for (size_t i = 0; i < comparing->text->count; i++) {
        const struct unit *unit = &comparing->text->units[i];
        for (size_t at = 0; comparing->units[i].finding == UNIT_GONE && at + unit->count <= words->count; at++)
            if (words->items[at].digest == unit->words[0] &&
                ALL(k, unit->count, comparing->owners[at + k] == NO_UNIT) && stands_at(comparing, unit, at, &scratch))
                take_whole(comparing, i, at, UNIT_MOVED);
    }
    arena_free(&scratch);
}
