/* An edition of a document (000-004 or another text of the ledger), in which the sentences are searched that the ledger
 * knows by fingerprint.
 *
 * The folder editions/ handles text only. It uses support/; it may include no other folder of conformance/. */
#ifndef EDITIONS_EDITION_H
#define EDITIONS_EDITION_H

#include "editions/fingerprint.h"

enum finding { SENTENCE_STANDS, SENTENCE_CHANGED, SENTENCE_GONE };

struct sentence {
    struct str fingerprint, sketch; /* the members `sentence` and `words` of a source; the second may be empty */
    enum finding finding;           /* set by edition_find and edition_find_changed */
    struct str
        now; /* if CHANGED: the sentence of the edition that has most of its words in the same order, on one line */
};

struct edition {
    struct str text;
    struct words words;
};

struct edition edition_read(struct str text, struct arena *arena);

/* Counts the sentences that stand in the edition word by word. Sets their finding to STANDS or GONE. */
size_t edition_find(const struct edition *edition, struct sentence *sentences, size_t count, struct arena *arena);

/* Searches again for sentences that are GONE. A sentence becomes CHANGED if a stretch of the edition has most of its
 * words in the same order; a rare word counts more than a common one. */
void edition_find_changed(const struct edition *edition, struct sentence *sentences, size_t count, struct arena *arena);

#endif
