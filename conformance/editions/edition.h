/* An edition of a document, and what became in it of the units that the fixtures know.
 *
 * Units are searched by their fingerprints, all of them and in their order, so every word of the edition belongs to a
 * unit or is new. It does not matter where the edition breaks its lines, or whether it breaks them at all. */
#ifndef EDITIONS_EDITION_H
#define EDITIONS_EDITION_H

#include "editions/text.h"
#include "editions/words.h"

struct edition {
    struct str text;
    struct words words;
    bool has_angles; /* something stands in angle brackets, so this form of the text has not lost them */
};

enum finding { UNIT_STANDS, UNIT_MOVED, UNIT_CHANGED, UNIT_GONE, TEXT_NEW };

/* One unit, or a stretch of the edition that belongs to none. */
struct found {
    enum finding finding;
    size_t unit;   /* index in the text; NO_UNIT: new */
    size_t behind; /* the unit that stands before it in the edition (of a unit that is gone: stood); NO_UNIT: none */
    size_t begin, end; /* words of the edition; of a unit that is gone: equal, the place where it stood */
};

struct comparison {
    struct found *items; /* one for each unit and each new stretch, in the order of the edition; an optional unit that
                            is missing has none */
    size_t count;
    size_t counts[TEXT_NEW + 1]; /* how many of each finding */
    double share;                /* words in units that stand in their order, of all words of the text; 0 to 1 */
};

struct edition edition_read(struct str text, struct arena *arena);

/* Compares the edition with the text. The result lies in the arena. */
struct comparison edition_compare(const struct edition *edition, const struct text *text, struct arena *arena);

/* Returns the words from `begin` to before `end` as they stand in the edition, on one line, in the arena; the middle of
 * a long stretch is left out. */
struct str edition_quote(const struct edition *edition, size_t begin, size_t end, struct arena *arena);

#endif
