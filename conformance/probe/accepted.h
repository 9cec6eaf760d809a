/* Tries requests until the model accepts one. Internal to probe/. */
#pragma once

#include "probe/model_facts.h"
#include "protocols/prober.h"

struct learner {
    struct prober *prober;
    struct str name;
    struct str absent;          /* why there is no metadata, if there is none */
    const struct tree *example; /* or NULL */
    uint64_t seed;
    const struct tree *of_outputs; /* parameters of each output of numbers, which are asked for then; or NULL */
    size_t taken;                  /* the number of the sizes with which the metadata's request was taken */
    const struct tree *other;      /* inputs that are tried beside those of the request */
    bool once;                     /* it is enough that a request is answered */
    struct learned learned;        /* so far; the answer lies in held memory */
    struct str evidence;           /* what the last refusal said */
};

/* Returns the model's outputs of numbers, with parameters. */
struct tree *outputs_asked(const struct learner *learner, struct arena *arena);

/* Copies what an infer act sends: parameters, inputs and outputs, as far as `from` has them. act_of makes it an act. */
struct tree *request_of(const struct tree *from, struct arena *arena);
struct tree *act_of(const struct learner *learner, const struct tree *request, struct arena *arena);

/* Makes the request for one try, by its number; NULL: there are no more tries. */
typedef const struct tree *make_act(struct learner *learner, size_t number, struct arena *arena);

/* Tries the requests in one encoding; `taken` is the number of the accepted one. A target that refuses all of them may
 * want a version; this is tried until it is known. */
enum inferred try_encoding(struct learner *learner, make_act *make, const struct encoding *encoding, size_t *taken);

/* Tries the encodings in order until a request is accepted. Those of claimed extensions are tried where no other can
 * say the request. If REST refuses the request and JSON cannot write the answer, the request is not used
 * (SPEC_NOTES.md, note 51). */
bool find_request(struct learner *learner, make_act *make, size_t *taken);
