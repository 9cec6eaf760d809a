/* What the judge must know about a protocol in code: how the meaning of an inference becomes a request, how an answer
 * is read, and how a target is asked about itself. Everything else about a protocol is data (fixtures/encodings.json,
 * the ledger, the cases). A protocol is a folder below this one and a row in ../protocols.c.
 *
 * The folder protocols/ names no protocol itself; ci/neutral checks that. It uses suite/ (the registry), pattern/,
 * notation/, client/ and support/; it may not include probe/, plan/, judge/ or a folder of a protocol.
 *
 * The meaning of an inference is written as the act `infer` of a case, which is the inference request of 000 with flat
 * data. */
#pragma once

#include "client/client.h"
#include "suite/registry.h"
#include "tensor/datatype.h"

#include <protobuf-c/protobuf-c.h>

struct prober;

/* An inference that is to be sent. */
struct meaning {
    const struct profile *profile;
    const struct form *form;    /* in which it is written */
    const struct tree *act;     /* with infer, id, parameters, inputs, outputs */
    const struct tree *base;    /* the act whose datatypes and shapes pack the data; in a base it is `act` itself */
    struct str version;         /* the version that is asked for; empty: none */
    const struct tree *outputs; /* the outputs of the model, by its metadata, as 000 lists them; NULL: not known */
    const struct tree *details; /* what the profile's side says of the model in its own words; NULL: nothing */
};

/* How inferences are written in one encoding. */
struct form {
    const char *encoding;
    const char *rpc; /* over gRPC: the rpc, of the profile's service; else NULL */
    bool streams;    /* the rpc has any number of messages in both directions */
    /* Fills the request, except for its endpoint; texts lie in the arena. UNIMPLEMENTED: this encoding cannot say that.
     * Every other failure is a fault of the case. */
    struct status (*encode)(const struct meaning *meaning, struct arena *arena, struct request *request);
    int way; /* in which `encode` writes it, if it knows several: a number of the protocol's own */
};

/* How discovery asks a target over one endpoint. Results use the words of 000: metadata of the server {name, version,
 * extensions} and of a model {name, versions, platform, inputs, outputs}; lists of models hold names, or objects with a
 * name. Everything returned lies in the prober's arena. NULL: the answer was no success; `evidence` says what came. A
 * function that is NULL stands for a question that the protocol does not have; side_server and the others below answer
 * it as a target would that knows nothing. */
struct side {
    const char *profile;
    /* Whether the target speaks the profile at all, where it shares its endpoint with other protocols; it is asked
     * nothing more if not. An answer that is wrong must count as spoken: only the absence of the protocol, or of the
     * right to use it, may not. NULL: whoever answers at the endpoint is held to the profile. */
    bool (*is_spoken)(struct prober *prober, const struct profile *profile, struct str *evidence);
    struct str root;     /* over HTTP: where all paths of the profile begin; people add it to the address by mistake */
    bool wants_versions; /* an inference without a version may be refused; it is then asked with one */
    struct tree *(*server)(struct prober *prober, const struct profile *profile, struct str *evidence);
    struct tree *(*metadata)(struct prober *prober, const struct profile *profile, struct str model, struct str version,
                             struct str *evidence);
    bool (*is_up)(struct prober *prober, const struct profile *profile); /* the server says that it is ready */
    bool (*is_ready)(struct prober *prober, const struct profile *profile, struct str model);
    struct tree *(*models)(struct prober *prober, const struct profile *profile, struct str *evidence);
    /* What must be known of models before their inferences can be written, or their answers be read, and what metadata
     * in the words of 000 does not say: {MODEL: details}, in words that only the protocol's own code reads. It is asked
     * once. NULL: metadata says all. */
    struct tree *(*details)(struct prober *prober, const struct profile *profile);
    /* The details of a model that those of all models lack, although it is served; NULL: it is not. It is asked once
     * for each model. NULL: what `details` lacks is not served. */
    struct tree *(*details_left_out)(struct prober *prober, const struct profile *profile, struct str model);
    /* Whether a model that the target hosts is served under this profile too, where its endpoint may be another
     * server's. NULL: a model is served under all profiles. */
    bool (*hosts)(struct prober *prober, const struct profile *profile, struct str model, struct str *evidence);
    /* An inference that is answered shows that a model is served, although `hosts` says no: of a profile that refuses
     * models it does not serve. */
    bool answer_shows_host;
    /* The largest batch that the model's configuration allows; 0: it does not say. NULL: nothing says it. */
    int64_t (*largest_batch)(struct prober *prober, const struct profile *profile, struct str model);
    /* The index of the model repository: a list of {name, version, state}. */
    struct tree *(*index)(struct prober *prober, const struct profile *profile, struct str *evidence);
    /* Loads the model, or unloads it. Returns whether the target says that it did. */
    bool (*order)(struct prober *prober, const struct profile *profile, struct str model, bool load,
                  struct str *evidence);
};

/* An answer while it is read. */
struct answer_reading {
    const struct answer *answer;
    const struct request *request; /* what was asked; its `details` are those of the model, as in struct meaning */
    struct arena *arena;
    enum transport transport;
    bool is_inference;   /* it was played in an encoding of inferences, not as an act */
    bool is_success;     /* by the profile's `succeeded` */
    bool of_request;     /* a request is read (request_tree): `answer` has its headers and its body */
    size_t element_room; /* number of tensor elements that may still be decoded */
    struct str no_json;  /* over HTTP: why the body is no JSON; empty if it is */
    struct str *trouble; /* the first thing that does not decode; empty: nothing */
};

/* Records what does not decode, unless something was recorded before. */
void reading_note(struct answer_reading *reading, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Records why `what`, such as "the body", is no message of that type, or that it holds more than is read. */
void reading_note_unread(struct answer_reading *reading, const char *what, const char *type, struct status why);

/* Returns an arena that is full before a message of too many values is read. */
struct arena reading_scratch(const struct answer_reading *reading);

/* Reads raw bytes, which live as long as the arena, into a list of elements. NULL if they are no such elements, which
 * is noted of `where`. */
struct tree *reading_raw(struct answer_reading *reading, struct str bytes, enum datatype datatype, struct str where);

struct protocol {
    const char *name; /* as profiles name it */
    /* In the order in which they are tried on an unknown model: the one that works most often first. */
    const struct form *forms;
    size_t form_count;
    const struct side *sides;
    size_t side_count;

    /* Over HTTP: adds to the tree of an answer (answer.h) the message that its body is, if bodies have a binary form.
     * NULL: they have none. */
    void (*decode)(struct answer_reading *reading, struct tree *tree);

    /* Returns what the binary body of a request says, in the arena; NULL if it is no message. NULL: bodies have no such
     * form. */
    struct tree *(*request_of)(struct str body, struct arena *arena);

    /* Adds to the tree of an answer (answer.h) what it says about an inference: `outputs` with flat data, and if
     * is_inference also id, model_name, model_version and parameters. */
    void (*read)(struct answer_reading *reading, struct tree *tree);

    /* Adds to the tree of a request (answer.h) its `inputs` with flat data. NULL: they are not read. */
    void (*read_inputs)(struct answer_reading *reading, struct tree *tree);

    /* Returns the part of an HTTP body that is JSON. NULL: always the whole body. */
    struct str (*json_part)(const struct answer *answer);

    /* Removes from a message that does not decode what other known editions of the schema have in it, and returns the
     * rest, in the arena. NULL: the protocol knows no such edition. */
    struct str (*mend)(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena);

    /* Returns the path of an act http with the model's version in it; the path itself if it names a version or is not a
     * model's. For targets that refuse requests without a version. NULL: the paths of the protocol have no versions. */
    struct str (*versioned_path)(struct str path, struct str model, struct str version, struct arena *arena);
    const char *below_model; /* what is in such a path between the model and the version; NULL: as above */
};

/* All protocols, NULL behind the last. They are listed in ../protocols.c, so that this folder names none. */
extern const struct protocol *const protocols[];

/* Each of these returns NULL if there is none. */
const struct protocol *protocol_named(struct str name);
const struct form *protocol_form(const struct encoding *encoding);
const struct side *protocol_side(const struct profile *profile);

/* Fails with INVALID_ARGUMENT if a profile of the registry has no protocol or no side, or an encoding of inferences no
 * form: rows without code. */
struct status protocols_check(const struct registry *registry, struct arena *arena);

/* The functions of a profile's side. */
bool side_is_spoken(struct prober *prober, const struct profile *profile, struct str *evidence);
struct tree *side_server(struct prober *prober, const struct profile *profile, struct str *evidence);
struct tree *side_metadata(struct prober *prober, const struct profile *profile, struct str model, struct str version,
                           struct str *evidence);
bool side_is_up(struct prober *prober, const struct profile *profile);
bool side_is_ready(struct prober *prober, const struct profile *profile, struct str model);
bool side_hosts(struct prober *prober, const struct profile *profile, struct str model, struct str *evidence);
struct tree *side_models(struct prober *prober, const struct profile *profile, struct str *evidence);
struct tree *side_details(struct prober *prober, const struct profile *profile);
struct tree *side_details_left_out(struct prober *prober, const struct profile *profile, struct str model);
int64_t side_largest_batch(struct prober *prober, const struct profile *profile, struct str model);
struct tree *side_index(struct prober *prober, const struct profile *profile, struct str *evidence);
/* Whether an entry of an index has that state, which servers write in different words ("READY", "State.READY"). */
bool index_says(const struct tree *entry, const char *state);

bool side_order(struct prober *prober, const struct profile *profile, struct str model, bool load,
                struct str *evidence);
