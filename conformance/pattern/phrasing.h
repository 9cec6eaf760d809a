/* Internal to pattern/: what the files behind phrase.h share. */
#pragma once

#include "base/buf.h"
#include "pattern/phrase.h"

struct phrase {
    struct buf *out;
    size_t most; /* bytes from which on nothing more is needed */
};

bool phrase_is_full(const struct phrase *p);
bool phrase_is_scalar(const struct tree *tree);

/* These append any pattern; one over a whole answer or, where a matcher leads deeper, over a part of it; a list as an
 * answer has it. */
void phrase_value(const struct phrase *p, const struct tree *pattern);
void phrase_answer(const struct phrase *p, const struct tree *pattern);
void phrase_list(const struct phrase *p, const struct tree *elements);

/* Appends the patterns of a list or an object of them. */
void phrase_several(const struct phrase *p, const struct tree *patterns, const char *between);

/* These append what a matcher says, for its row in matchers.c. */
void phrase_any(const struct phrase *p, const struct tree *argument);
void phrase_not(const struct phrase *p, const struct tree *argument);
void phrase_type(const struct phrase *p, const struct tree *argument);
void phrase_range(const struct phrase *p, const struct tree *argument);
void phrase_expression(const struct phrase *p, const struct tree *argument);
void phrase_form(const struct phrase *p, const struct tree *argument);
void phrase_only(const struct phrase *p, const struct tree *argument);
void phrase_ulps(const struct phrase *p, const struct tree *argument);
