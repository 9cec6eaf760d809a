/* What the judge has to know of a protocol beyond data: how the meaning of an inference becomes a request, how an
 * answer is read, and how a target is asked about itself. A protocol is a folder below this one and a row in
 * ../protocols.c; everything else of it is data (fixtures/encodings.json, the ledger, the cases).
 *
 * The meaning is written as the act `infer` of a case, which is the inference request of 000 with flat data. */
#ifndef PROTOCOLS_PROTOCOL_H
#define PROTOCOLS_PROTOCOL_H

#include "client/client.h"
#include "suite/registry.h"

#include <protobuf-c/protobuf-c.h>

struct prober;

/* An inference that is to be sent. */
struct meaning {
    const struct tree *act;  /* infer, id, parameters, inputs, outputs */
    const struct tree *base; /* the act whose datatypes and shapes pack the data; `act` itself for a base */
    struct str version;      /* that is asked for; empty: none */
};

/* How inferences are written in one encoding (of fixtures/encodings.json, by its name). */
struct form {
    const char *encoding;
    const char *rpc; /* over gRPC: the rpc, of the profile's service; else NULL */
    /* Fills the request but for its endpoint. UNIMPLEMENTED: this encoding cannot say that. Every other failure is a
     * fault of the case. */
    struct status (*encode)(const struct meaning *meaning, const struct profile *profile, struct arena *arena,
                            struct request *request);
};

/* How discovery asks a target over one endpoint. What is found is in the words of 000: metadata of the server {name,
 * version, extensions} and of a model {name, versions, platform, inputs, outputs}, lists of models as names or objects
 * with a name. Everything returned lies in the prober's arena; NULL: it was not answered with success, and `evidence`
 * says what came. */
struct side {
    const char *profile;
    bool wants_versions; /* an inference without a version may be refused: then it is asked with one */
    struct tree *(*server)(struct prober *prober, const struct profile *profile, struct str *evidence);
    struct tree *(*metadata)(struct prober *prober, const struct profile *profile, struct str model, struct str version,
                             struct str *evidence);
    bool (*is_ready)(struct prober *prober, const struct profile *profile, struct str model);
    struct tree *(*models)(struct prober *prober, const struct profile *profile);
};

/* An answer while it is read. */
struct answer_reading {
    const struct answer *answer;
    struct arena *arena;
    bool is_inference;   /* played in an encoding of inferences, not as an act */
    bool is_success;     /* by the profile's `succeeded` */
    size_t element_room; /* of tensors, that may still be decoded */
    struct str no_json;  /* over HTTP: why the body is no JSON; empty if it is */
    struct str *trouble; /* the first thing that does not decode; empty */
};

/* Notes what does not decode, if nothing was noted before. */
void reading_note(struct answer_reading *reading, struct str sentence);

struct protocol {
    const char *name;         /* as profiles name it */
    const struct form *forms; /* in the order in which they are tried on an unknown model: the likeliest first */
    size_t form_count;
    const struct side *sides;
    size_t side_count;

    /* Adds to the tree of an answer (answer.h) what it says of an inference: `outputs` with flat data, and if
     * is_inference id, model_name, model_version and parameters. */
    void (*read)(struct answer_reading *reading, const struct profile *profile, struct tree *tree);

    /* A message that does not decode as its type, without what known editions of the schema have otherwise; NULL: the
     * protocol knows none. */
    struct str (*mend)(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena);

    /* The path of an act http with the model's version in it; the path itself if it names one or is of something else.
     * For targets that refuse requests without a version. NULL: paths have no versions. */
    struct str (*versioned_path)(struct str path, struct str model, struct str version, struct arena *arena);
};

/* All protocols; NULL behind the last. In ../protocols.c, so that this folder names none. */
extern const struct protocol *const protocols[];

/* NULL if there is none. */
const struct protocol *protocol_named(struct str name);
const struct form *protocol_form(const struct encoding *encoding);
const struct side *protocol_side(const struct profile *profile);

#endif
