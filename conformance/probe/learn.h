/* Learns one model of the target: makes a request from its metadata, sees whether the model takes it, tries other sizes
 * for dimensions of variable size if not, and asks twice to see whether the answers are alike.
 *
 * What is learned is an object, which a case of the model "*" reads by ${found:/probe/...}:
 * - name: the model's
 * - metadata: as discovery found it
 * - promised: the inputs of the request made from the metadata (the one that was taken, else the first)
 * - unusable: why no request could be made from the metadata (then `promised` is empty); absent if one could
 * - refused: why there is no request that the model takes; absent if there is one
 * - inputs: of the request that is played: the example's (--example), else those promised
 * - parameters: the example's, if it has some
 * - outputs: {names, datatypes, shapes: lists of patterns over outputs, from the metadata, else from the answer;
 *   first, last: {"name": ...}, {} without outputs}
 * - versions: as the metadata lists them; version: the last of them, else "1"
 * - other-case: {input, output, datatype}: the names of the first input, of the last output and of the first input's
 *   datatype with the case of their letters swapped
 * - other-datatype: one of the same size as the first input's
 * - json: whether REST can carry the inputs as a plain list
 * - alike: whether two answers to the request were alike (judge/match.h, LIKENESS_CLOSE); else only their form is
 *   compared
 * - large: whether the request or its answer is so large that its groups are played one at a time
 * - huge: whether it is so large that no neighbours are played */
#ifndef PROBE_LEARN_H
#define PROBE_LEARN_H

#include "protocols/prober.h"

/* `example` is {inputs, parameters?} or NULL. Lies in the prober's arena. */
struct tree *learn_model(struct prober *prober, struct str name, const struct tree *metadata,
                         const struct tree *example, uint64_t seed);

/* The same of a model that does not exist, for plans without a target (list, lint): two inputs of INT32, two outputs.
 */
struct tree *learn_nothing(struct arena *arena);

#endif
