#include "support/nearest.h"

#include "base/buf.h"

#define LETTERS_MAX 256
#define EDITS_MAX   4    /* of names that are spelt alike */
#define LAST_PART   10   /* is added to the distance of a last part */
#define HOLDS_WORD  1000 /* distance of a name that only holds the word: after all that are spelt alike */

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

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Whether the word is in the name, and no letter before or after it. */
static bool holds(struct str name, struct str word)
{
    for (size_t i = 0; word.size > 1 && i + word.size <= name.size; i++) {
        bool begins = i == 0 || !is_letter(name.data[i - 1]);
        bool ends = i + word.size == name.size || !is_letter(name.data[i + word.size]);
        if (begins && ends && memcmp(name.data + i, word.data, word.size) == 0)
            return true;
    }
    return false;
}

static struct str last_part(struct str name)
{
    size_t at = name.size;
    while (at > 0 && name.data[at - 1] != '.' && name.data[at - 1] != '/')
        at--;
    return str_from(name, at);
}

/* Returns how far the name is from the word; SIZE_MAX: too far. */
static size_t distance_of(struct str word, struct str name)
{
    struct str last = last_part(name);
    size_t whole = distance(word, name), part = distance(word, last);
    if (whole <= EDITS_MAX && whole <= 1 + name.size / 3)
        return whole;
    if (part <= last.size / 4)
        return LAST_PART + part;
    return holds(name, word) ? HOLDS_WORD : SIZE_MAX;
}

void nearest_try(struct nearest *nearest, struct str name)
{
    size_t edits = distance_of(nearest->word, name), at = nearest->count;
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
    return arena_take(arena, &text);
}
