/* Learns one model of the target. It makes a request from the metadata (000, "Model Metadata Response JSON Object") and
 * sends it; if the model refuses it, it tries other sizes for dimensions of variable size. It sends the accepted
 * request twice, to see whether the answers are alike.
 *
 * The result is an object, which a case of the model "*" reads by ${found:/probe/...}:
 * - name: the name of the model
 * - metadata: as discovery found it; absent if it found none
 * - promised: the inputs of the request that was made from the metadata (the accepted one, else the first)
 * - unusable: why no request could be made from the metadata (`promised` is then empty), or that the model takes only
 *   those of sequences; else absent
 * - refused: why no request is known that the model accepts; absent if there is one
 * - sequence: of such a model, the outputs of `promised` as a whole sequence; empty if it does not take that
 * - request: what is played: {parameters?, inputs, outputs?} of the example (--example), else {inputs} as `promised`
 * - answer: the outputs that the example must be answered with; null if it does not say
 * - outputs: {names, datatypes, shapes: lists of patterns over outputs, from the metadata, else from the answer; first,
 *   last: {"name": ...}, {} without outputs}
 * - versions: as the metadata lists them; version: the last of them, else "1"; same-version: the last of them whose
 *   metadata names the same tensors, empty if there is none; odd-version: the first of them that has no metadata, else
 *   the first, empty if there is none
 * - other-case: {input, output, datatype}: the names of the first input, of the last output and of the first input's
 *   datatype, with the case of their letters swapped; a name itself if another tensor has the swapped one
 * - other-datatype: a datatype of the same size as the first input's
 * - batch: inputs made from the metadata, with a batch of three; texts, integers, negatives: those of the request, with
 *   texts beyond ASCII instead of BYTES, with integers beyond 2^53, with negative ones; each null if there is none
 * that the model takes
 * - floats: those of the request, with large floats; null if it has none. Whether the model takes them is not known
 * - message: the request as a message has it: {parameters, inputs: without data, raw: their raw contents, outputs};
 *   without inputs if a message cannot say it
 * - binary: {inputs: without data, with the parameter binary_data_size, data: their bytes}; empty lists if an input has
 *   no raw form
 * - configured: the tensors as a configuration has them (probe/configured.h)
 * - json: whether REST can carry the inputs as plain lists; json-answer: whether it can carry the outputs so
 * - classes: those of the first output (probe/classes.h)
 * - alike: whether two answers to the request were alike (pattern/match.h, LIKENESS_CLOSE); if not, only their form is
 *   compared
 * - large: whether request or answer is so large that the groups of the model are played one at a time
 * - huge: whether request or answer is so large that no neighbours are played */
#pragma once

#include "protocols/prober.h"

/* `example` is what probe/example.h makes of a file, or NULL; `metadata` may be NULL, and
 * `absent` then says why there is none. The result lies in the prober's arena. */
struct tree *learn_model(struct prober *prober, struct str name, const struct tree *metadata, struct str absent,
                         const struct tree *example, uint64_t seed);

/* Whether the metadata lists neither inputs nor outputs. A model may have no inputs, but not nothing at all. */
bool names_no_tensors(const struct tree *metadata);

/* A model that is asked. */
struct subject {
    struct str name;
    const struct tree *metadata; /* or NULL */
    const struct tree *example;  /* a request that it accepts (probe/example.h); NULL: made from its metadata */
};

/* Asks for an inference in the encodings of the profile until one is answered with success. If the profile is an
 * extension, the request asks for it as `by_model` says. INFER_UNSAYABLE: nothing was sent. */
enum inferred learn_is_answered(struct prober *prober, const struct profile *profile, const struct subject *model);

/* Returns what learn_model does for a model that does not exist, for plans without a target (list, lint): two inputs
 * and two outputs of INT32. */
struct tree *learn_nothing(struct arena *arena);
