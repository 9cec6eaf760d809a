/* An edition of a document, searched for the sentences that the ledger remembers by fingerprint. */
#ifndef EDITIONS_EDITION_H
#define EDITIONS_EDITION_H

#include "editions/fingerprint.h"

enum finding { SENTENCE_STANDS, SENTENCE_CHANGED, SENTENCE_GONE };

struct sentence {
    struct str fingerprint, sketch; /* members `sentence` and `words` of a source; the second may be empty */
    enum finding finding;           /* set by edition_search */
    struct str now;                 /* CHANGED: the sentence that has most of its words in the same order, one line */
};

struct edition {
    struct str text;
    struct words words;
};

struct edition edition_read(struct str text, struct arena *arena);

/* How many of the sentences stand in the edition word by word; sets their finding to STANDS or GONE. */
size_t edition_find(const struct edition *edition, struct sentence *sentences, size_t count, struct arena *arena);

/* Looks again for those that are gone: a stretch of the edition that has most of the sentence's words in its order,
 * where a rare word counts more than a common one, makes it CHANGED. */
void edition_find_changed(const struct edition *edition, struct sentence *sentences, size_t count, struct arena *arena);

#endif
