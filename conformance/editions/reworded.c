/* Finds the place of a unit whose words changed, by the best alignment of its words. */
#include "editions/compare.h"

/* Shares of a unit's weight that must remain for a changed one: in its place, and elsewhere. */
#define MOST_NEAR 0.34
#define MOST_FAR  0.5

#define INSERT_FEE 0.3 /* cost of a new word inside a unit, in weights of an average word */
#define FAR_WORDS  5   /* shorter units are not searched for outside of their place: a few words stand everywhere */

/* The best alignment of the first i words of a unit that ends at one word of the edition. */
struct cell {
    double score, kept;
    size_t begin, end; /* words of the edition: the first, and one after the last, that belong to the unit */
};

/* Finds the stretch of free words from `from` to before `to` that keeps most of the unit's weight. Words of the unit
 * may be missing, and words of the edition between them cost a little. It keeps one row of cells, one cell for each
 * word of the unit, and updates it for each word of the edition. */
static struct cell align(const struct comparing *comparing, const struct unit *unit, size_t from, size_t to,
                         struct cell *row)
{
    struct cell best = {0};
    double fee = INSERT_FEE * comparing->average;
    memset(row, 0, (unit->count + 1) * sizeof *row);
    for (size_t at = from; at < to; at++) {
        unsigned char digest = comparing->edition->words.items[at].digest;
        if (comparing->owners[at] != NO_UNIT) {
            memset(row, 0, (unit->count + 1) * sizeof *row);
            continue;
        }
        struct cell diagonal = row[0];
        for (size_t i = 1; i <= unit->count; i++) {
            struct cell here = row[i - 1], above = row[i];
            if (here.score < above.score - fee) {
                here = above;
                here.score -= fee;
            }
            double weight = comparing->weights[digest];
            if (unit->words[i - 1] == digest && diagonal.score + weight > here.score)
                here = (struct cell){diagonal.score + weight, diagonal.kept + weight,
                                     diagonal.kept > 0 ? diagonal.begin : at, at + 1};
            diagonal = above;
            row[i] = here;
        }
        if (row[unit->count].score > best.score)
            best = row[unit->count];
    }
    return best;
}

static double whole(const struct comparing *comparing, const struct unit *unit)
{
    double weight = 0;
    for (size_t i = 0; i < unit->count; i++)
        weight += comparing->weights[unit->words[i]];
    return weight;
}

/* A search for units that are gone, among the words from `from` to before `to`. */
struct search {
    size_t first, last; /* units: from `first` to before `last` */
    size_t least;       /* words of a unit; shorter ones are left out */
    double most;        /* share of a unit's weight that must remain */
    size_t from, to;
};

/* Returns the unit with the largest share of its weight in its cell; NO_UNIT: none has enough. */
static size_t most_similar(const struct comparing *comparing, const struct search *search, const struct cell *cells)
{
    size_t chosen = NO_UNIT;
    double most = search->most;
    for (size_t i = search->first; i < search->last; i++) {
        double share = cells[i - search->first].score / whole(comparing, &comparing->text->units[i]);
        if (comparing->units[i].finding != UNIT_GONE || share < most)
            continue;
        most = share;
        chosen = i;
    }
    return chosen;
}

/* The most similar units take their words first. */
static void reword(struct comparing *comparing, const struct search *search)
{
    struct arena scratch = memory_arena();
    const struct unit *units = comparing->text->units;
    size_t longest = 0, chosen;
    for (size_t i = search->first; i < search->last; i++)
        longest = units[i].count > longest ? units[i].count : longest;
    struct cell *row = arena_alloc_zero(&scratch, longest + 1, sizeof *row);
    struct cell *cells = arena_alloc_zero(&scratch, search->last - search->first + 1, sizeof *cells);
    struct cell taken = {.end = comparing->edition->words.count};
    do {
        for (size_t i = search->first; i < search->last; i++) {
            struct cell *cell = &cells[i - search->first];
            bool lost = cell->end == 0 || (cell->begin < taken.end && taken.begin < cell->end);
            if (comparing->units[i].finding == UNIT_GONE && units[i].count >= search->least && lost)
                *cell = align(comparing, &units[i], search->from, search->to, row);
        }
        chosen = most_similar(comparing, search, cells);
        if (chosen != NO_UNIT) {
            taken = cells[chosen - search->first];
            comparing_take(comparing, chosen, UNIT_CHANGED, taken.begin, taken.end);
        }
    } while (chosen != NO_UNIT);
    arena_free(&scratch);
}

void find_reworded(struct comparing *comparing)
{
    const struct text *text = comparing->text;
    size_t count = comparing->edition->words.count;
    for (size_t first = 0; first < text->count;) {
        size_t last = first;
        while (last < text->count && comparing->units[last].finding != UNIT_STANDS)
            last++;
        size_t from = first ? comparing->units[first - 1].end : 0;
        size_t to = last < text->count ? comparing->units[last].begin : count;
        if (last > first && from < to)
            reword(comparing, &(struct search){first, last, 1, MOST_NEAR, from, to});
        first = last + 1;
    }
    reword(comparing, &(struct search){0, text->count, FAR_WORDS, MOST_FAR, 0, count});
}
