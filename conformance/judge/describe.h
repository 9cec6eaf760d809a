/* What was expected and what came, in words for a person. Everything from a target is hostile: it is shown as one line
 * of printable text, cut where it gets long. */
#ifndef JUDGE_DESCRIBE_H
#define JUDGE_DESCRIBE_H

#include "client/client.h"
#include "suite/registry.h"

/* An observation in words: "a refusal ({...})", "the same answer as before the change", "one of refused, ignored", a
 * pattern as it is. */
struct str describe_observation(const struct tree *observation, const struct profile *profile, struct arena *arena);

/* "HTTP 400, application/json: {...}", "INVALID_ARGUMENT: input 'x' ...", or why there is no answer. */
struct str describe_answer(enum transport transport, const struct answer *answer, const struct tree *tree,
                           struct arena *arena);

#endif
