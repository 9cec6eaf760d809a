#include "support/nearest.h"

#include "base/buf.h"

#include <stdint.h>
#include <string.h>

#define LETTERS_MAX 256
#define HOLDS_WORD  1000 /* distance of a name that only holds the word: behind all that are spelt alike */

/* Counts the edits that turn one text into the other (Levenshtein). */
static size_t distance(struct str a, struct str b)
{
    size_t row[LETTERS_MAX];
    if (b.size >= LETTERS_MAX || a.size >= LETTERS_MAX)
        return SIZE_MAX;
    for (size_t k = 0; k <= b.size; k++)
        row[k] = k;
    for (size_t i = 0; i < a.size; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t k = 0; k < b.size; k++) {
            size_t replaced = diagonal + (a.data[i] != b.data[k]);
            diagonal = row[k + 1];
            size_t least = row[k] < diagonal ? row[k] : diagonal;
            row[k + 1] = replaced < least + 1 ? replaced : least + 1;
        }
    }
    return row[b.size];
}

void nearest_try(struct nearest *nearest, struct str name)
{
    size_t edits = distance(nearest->word, name), at = nearest->count;
    if (edits > 1 + name.size / 3)
        edits = nearest->word.size > 1 && memmem(name.data, name.size, nearest->word.data, nearest->word.size)
                    ? HOLDS_WORD
                    : SIZE_MAX;
    for (size_t i = 0; i < nearest->count; i++)
        if (str_equal(nearest->best[i], name))
            return;
    while (at > 0 && nearest->distance[at - 1] > edits)
        at--;
    if (edits == SIZE_MAX || at == NEAREST_MAX)
        return;
    nearest->count += nearest->count < NEAREST_MAX;
    for (size_t i = nearest->count - 1; i > at; i--) {
        nearest->best[i] = nearest->best[i - 1];
        nearest->distance[i] = nearest->distance[i - 1];
    }
    nearest->best[at] = name;
    nearest->distance[at] = edits;
}

struct str nearest_hint(const struct nearest *nearest, size_t most, const char *otherwise, struct arena *arena)
{
    struct buf text = {0};
    for (size_t i = 0; i < nearest->count && i < most; i++)
        buf_printf(&text, "%s%.*s", i ? ", " : "did you mean ", STR_ARG(nearest->best[i]));
    if (!text.size)
        return str_of(otherwise);
    buf_append_byte(&text, '?');
    struct str copy = arena_copy(arena, buf_str(&text));
    buf_free(&text);
    return copy;
}
