/* Kinds of questions. Two requests are of one kind if they ask the same of different models: what an endpoint does not
 * answer about one model it may not answer about any, while other kinds are answered. Counts which kinds stay
 * unanswered, so that one of them can be given up, and not all that is asked at the address. */
#pragma once

#include "base/arena.h"

#define KINDS_MAX          128 /* kinds that are told apart at one address; further ones are never given up */
#define KINDS_SILENT_TO_BE 3   /* so many different kinds in a row say that nothing answers there */

struct kind {
    uint64_t key;
    size_t silent;       /* questions in a row that got no answer */
    bool answered;       /* one was */
    bool counted;        /* it is one of `different` */
    struct str given_up; /* why the caller has given it up; or empty */
};

struct kinds {
    struct kind list[KINDS_MAX];
    size_t count;
    size_t different; /* kinds that got no answer since the last answer of any */
};

/* Returns the key of a question: its verb (a method, or empty), and its path without the segments that name the model
 * or are numbers (versions), and without its query. `model` stands as it is, or percent-encoded; empty: none. */
uint64_t kind_key(struct str verb, struct str path, struct str model, struct arena *scratch);

/* Returns the kind of that key, which is added if it is new. */
struct kind *kinds_find(struct kinds *kinds, uint64_t key);

void kinds_note_answer(struct kinds *kinds, struct kind *kind);
void kinds_note_silence(struct kinds *kinds, struct kind *kind);
