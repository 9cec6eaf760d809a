/* An edition of a document, compared with the units that the fixtures know.
 *
 * Units are searched by their fingerprints, all of them and in their order, so every word of the edition belongs to a
 * unit or is new. It does not matter where the edition breaks its lines, or whether it breaks them at all. */
#pragma once

#include "editions/text.h"
#include "editions/words.h"

struct edition {
    struct str text;
    struct words words;
    bool has_angles; /* something is in angle brackets, so this form of the text has not lost them */
};

enum finding { UNIT_STANDS, UNIT_MOVED, UNIT_CHANGED, UNIT_GONE, TEXT_NEW };

/* One unit, or a stretch of the edition that belongs to none. */
struct found {
    enum finding finding;
    size_t unit;       /* index in the text; NO_UNIT: new */
    size_t behind;     /* the unit before it in the edition (for a unit that is gone: before the place where it was);
                          NO_UNIT: none */
    size_t begin, end; /* words of the edition; for a unit that is gone both are the place where it was */
    size_t was_begin, was_end; /* words of the earlier edition (edition_since); else 0 */
};

struct comparison {
    struct found *items; /* one for each unit and each new stretch, in the order of the edition; an optional unit that
                            is missing has none */
    size_t count;
    size_t counts[TEXT_NEW + 1]; /* how many of each finding */
    double share;                /* words in units that are in their order, of all words of the text; 0 to 1 */
};

struct edition edition_read(struct str text, struct arena *arena);

/* Reads an edition from several files. Each is read alone, and `text` has them one after the other; `starts` gets the
 * place of each in it. */
struct edition edition_join(const struct str *files, size_t count, size_t *starts, struct arena *arena);

/* Compares the edition with the text. The result lies in the arena. */
struct comparison edition_compare(const struct edition *edition, const struct text *text, struct arena *arena);

/* Returns what changed between two editions, each of which was compared with the text. Words that both have in common
 * stand. Words of the earlier one alone that belong to no unit are UNIT_GONE without a unit. */
struct comparison edition_since(const struct edition *old, const struct comparison *before, const struct edition *new,
                                const struct comparison *after, struct arena *arena);

/* Other words that a stretch is held against: themselves, or only the first byte of the digest of each. */
struct wording {
    const struct word *words;     /* NULL: not known */
    const unsigned char *digests; /* used if they are not */
    size_t count;
};

/* What is put around words that the other wording does not have, and a format for how many of its words are missing
 * ("%zu" and a plural "s", "%s"); NULL: nothing. */
struct marks {
    const char *open, *close, *gap;
};

/* Returns a stretch as edition_quote does, with marks. In a long stretch, words far from any mark are left out. */
struct str edition_marked(const struct edition *edition, size_t begin, size_t end, const struct wording *other,
                          const struct marks *marks, struct arena *arena);

/* Returns the words from `begin` to before `end` as the edition has them, on one line, in the arena; the middle of
 * a long stretch is left out. */
struct str edition_quote(const struct edition *edition, size_t begin, size_t end, struct arena *arena);
