/* Describes expectations and answers in words for a person. Everything that a target sends is hostile: it is printed as
 * one line of printable text, and cut if it is long. */
#ifndef JUDGE_DESCRIBE_H
#define JUDGE_DESCRIBE_H

#include "client/client.h"
#include "suite/registry.h"

/* Describes an observation, in the arena: "a refusal ({...})", "the same answer as before the change", "one of refused,
 * ignored", or the pattern itself. */
struct str describe_observation(const struct tree *observation, const struct profile *profile, struct arena *arena);

/* Describes an answer, in the arena: "HTTP 400, application/json: {...}", "INVALID_ARGUMENT: input 'x' ...", or why
 * there is no answer. */
struct str describe_answer(enum transport transport, const struct answer *answer, const struct tree *tree,
                           struct arena *arena);

#endif
