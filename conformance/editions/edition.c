#include "editions/edition.h"

#include "support/memory.h"

#include <math.h>
#include <stdlib.h>

#define MOST       0.5 /* share of a sentence's weight that must remain for a changed one */
#define SHOWN_MAX  400 /* bytes of a changed sentence that are shown */
#define INSERT_FEE 0.3 /* cost of a new word inside the sentence, in weights of an average word */

struct edition edition_read(struct str text, struct arena *arena)
{
    return (struct edition){text, words_of(text, arena)};
}

/* --- Word by word --- */

static int compare_sentences(const void *a, const void *b)
{
    return str_compare((*(struct sentence *const *)a)->fingerprint, (*(struct sentence *const *)b)->fingerprint);
}

/* Marks every sentence with that fingerprint. `sorted` is sorted by fingerprint. */
static void mark_standing(struct sentence **sorted, size_t count, struct str fingerprint)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_compare(sorted[middle]->fingerprint, fingerprint) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && str_equal(sorted[low]->fingerprint, fingerprint); low++)
        sorted[low]->finding = SENTENCE_STANDS;
}

/* Marks the lengths, in words, that are searched for: those of the sketches; all lengths if a sentence has no
 * sketch. */
static void wanted_lengths(const struct sentence *sentences, size_t count, bool wanted[SENTENCE_WORDS_MAX + 1])
{
    for (size_t i = 0; i < count; i++) {
        size_t words = sentences[i].sketch.size / 2;
        for (size_t n = 1; n <= SENTENCE_WORDS_MAX; n++)
            wanted[n] = wanted[n] || words == 0 || words == n;
    }
}

size_t edition_find(const struct edition *edition, struct sentence *sentences, size_t count, struct arena *arena)
{
    struct sentence **sorted = arena_alloc_zero(arena, count + 1, sizeof(struct sentence *));
    bool wanted[SENTENCE_WORDS_MAX + 1] = {false};
    const struct words *words = &edition->words;
    size_t standing = 0;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &sentences[i];
        sentences[i].finding = SENTENCE_GONE;
    }
    qsort(sorted, count, sizeof(struct sentence *), compare_sentences);
    wanted_lengths(sentences, count, wanted);
    struct arena scratch = memory_arena();
    for (size_t from = 0; from < words->count; from++) {
        for (size_t n = 1; n <= SENTENCE_WORDS_MAX && from + n <= words->count; n++)
            if (wanted[n])
                mark_standing(sorted, count, fingerprint_of(words->items + from, n, &scratch));
        arena_reset(&scratch, ARENA_NO_BUDGET);
    }
    arena_free(&scratch);
    for (size_t i = 0; i < count; i++)
        standing += sentences[i].finding == SENTENCE_STANDS;
    return standing;
}

/* --- Most of the words --- */

/* The edition as a sketch, and the weight of each possible sketch byte: rare ones weigh more. */
struct sketch {
    unsigned char *words;
    size_t count;
    double weights[256], average;
};

static struct sketch sketch_edition(const struct edition *edition, struct arena *arena)
{
    struct sketch sketch = {arena_alloc(arena, edition->words.count + 1), edition->words.count, {0}, 0};
    size_t counts[256] = {0};
    for (size_t i = 0; i < sketch.count; i++)
        counts[sketch.words[i] = sketch_word(edition->words.items[i].text)]++;
    for (int i = 0; i < 256; i++) {
        sketch.weights[i] = log(1.0 + (double)(sketch.count + 1) / (double)(counts[i] + 1));
        sketch.average += sketch.weights[i] / 256;
    }
    return sketch;
}

/* The best alignment of the first i words of a sentence that ends at one word of the edition. */
struct cell {
    double score, kept;
    size_t begin, end; /* words of the edition: the first, and one behind the last, that belong to the sentence */
};

/* Finds the stretch of the edition that keeps most of the sentence's weight. Words of the sentence may be missing, and
 * words of the edition between them cost a little. It keeps one row of cells, one cell for each word of the sentence,
 * and updates it for each word of the edition. */
static struct cell align(const struct sketch *sketch, const unsigned char *sentence, size_t count, struct arena *arena)
{
    struct cell *row = arena_alloc_zero(arena, count + 1, sizeof *row), best = {0};
    double fee = INSERT_FEE * sketch->average;
    for (size_t at = 0; at < sketch->count; at++) {
        struct cell diagonal = row[0];
        for (size_t i = 1; i <= count; i++) {
            struct cell here = row[i - 1], above = row[i];
            if (here.score < above.score - fee) {
                here = above;
                here.score -= fee;
            }
            double weight = sketch->weights[sentence[i - 1]];
            if (sentence[i - 1] == sketch->words[at] && diagonal.score + weight > here.score)
                here = (struct cell){diagonal.score + weight, diagonal.kept + weight,
                                     diagonal.kept > 0 ? diagonal.begin : at, at + 1};
            diagonal = above;
            row[i] = here;
        }
        if (row[count].score > best.score)
            best = row[count];
    }
    return best;
}

static bool ends_sentence(struct str text, size_t at)
{
    bool last = at + 1 >= text.size || strchr(" \t\r\n)\"*", text.data[at + 1]) != NULL;
    return (strchr(".:;?!", text.data[at]) != NULL && last) ||
           (text.data[at] == '\n' && at + 1 < text.size && text.data[at + 1] == '\n');
}

/* Returns the words from `begin` to before `end`, with the rest of their sentence, on one line. */
static struct str shown(const struct edition *edition, size_t begin, size_t end, struct arena *arena)
{
    struct str text = edition->text;
    size_t from = edition->words.items[begin].begin, to = edition->words.items[end - 1].end;
    size_t first = from > SHOWN_MAX / 4 ? from - SHOWN_MAX / 4 : 0;
    size_t start = from;
    while (start > first && !ends_sentence(text, start - 1))
        start--;
    from = start > first || first == 0 ? start : from;
    while (to < text.size && to - from < SHOWN_MAX && !ends_sentence(text, to))
        to++;
    struct buf line = {0};
    for (size_t i = from; i < to && line.size < SHOWN_MAX; i++) {
        bool comment = i + 2 < to && memcmp(text.data + i, "// ", 3) == 0;
        bool blank = comment || strchr(" \t\r\n", text.data[i]) != NULL;
        i += comment ? 2 : 0;
        if (!blank)
            buf_append_byte(&line, text.data[i]);
        else if (line.size && line.data[line.size - 1] != ' ')
            buf_append_byte(&line, ' ');
    }
    struct str copy = arena_copy(arena, buf_str(&line));
    buf_free(&line);
    return copy;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0;
}

void edition_find_changed(const struct edition *edition, struct sentence *sentences, size_t count, struct arena *arena)
{
    struct sketch sketch = sketch_edition(edition, arena);
    for (size_t i = 0; i < count; i++) {
        unsigned char words[SENTENCE_WORDS_MAX];
        size_t length = sentences[i].sketch.size / 2;
        double whole = 0;
        if (sentences[i].finding != SENTENCE_GONE || length == 0 || length > SENTENCE_WORDS_MAX)
            continue;
        for (size_t k = 0; k < length; k++) {
            const char *digits = sentences[i].sketch.data + 2 * k;
            words[k] = (unsigned char)(hex_digit(digits[0]) << 4 | hex_digit(digits[1]));
            whole += sketch.weights[words[k]];
        }
        struct cell best = align(&sketch, words, length, arena);
        if (best.score < MOST * whole)
            continue;
        sentences[i].finding = SENTENCE_CHANGED;
        sentences[i].now = shown(edition, best.begin, best.end, arena);
    }
}
