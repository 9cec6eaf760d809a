/* The words that mean an observation in every case (fixtures/README.md); all others are patterns or choices. */
#pragma once

#include "tree/tree.h"

enum word {
    WORD_NONE,     /* no word */
    WORD_REFUSED,  /* a refusal, as the profile has it */
    WORD_SAME,     /* the answer of the base */
    WORD_AGREES,   /* an answer like that over the first encoding that is offered */
    WORD_ANSWERED, /* any complete answer, as the profile has it */
    WORDS
};

enum word word_named(struct str text);

/* Returns the word of an observation, if it is a string. NULL is no observation. */
enum word word_of(const struct tree *observation);

/* Returns the named choices of an observation; NULL if it is no $any. */
struct tree *observation_choices(const struct tree *observation);

/* Whether it is "agrees", or a choice ($any) one of which is. */
bool word_agrees(const struct tree *observation);
