/* Describes expectations and answers in words for a person. Everything that a target sends is hostile: it is printed as
 * one line of printable text, and cut if it is long. */
#pragma once

#include "client/client.h"
#include "plan/plan.h"

/* Describes what the assertion expects, in words and in the arena: "a refusal (status: a number from 400 to 599)", "the
 * same answer as without the change", "status 200; JSON: an object with `id` "42"". */
struct str describe_expected(const struct assertion *assertion, const struct profile *profile, struct arena *arena);

/* Returns the pattern as the case has it, on one line, in the arena; empty if it is a word. */
struct str describe_pattern(const struct tree *observation, struct arena *arena);

/* What an answer is described for. */
struct described {
    const struct tree *observation;
    struct str why; /* the difference */
};

/* Describes an answer, in the arena: "HTTP 400, application/json: {...}", "INVALID_ARGUMENT: input 'x' ...", or why
 * there is no answer. Headers and trailers are told as far as the observation looks at them, and all headers where the
 * difference is that a message is missing. */
struct str describe_answer(const struct described *what, enum transport transport, const struct answer *answer,
                           const struct tree *tree, struct arena *arena);
