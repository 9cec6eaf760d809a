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

/* An inference to be sent. */
struct meaning {
    const struct profile *profile;
    const struct form *form;    /* in which it is written */
    const struct tree *act;     /* with infer, id, parameters, inputs, outputs */
    const struct tree *base;    /* the act whose datatypes and shapes pack the data; in a base it is `act` itself */
    struct str version;         /* the version that is asked for; empty: none */
    const struct tree *outputs; /* the outputs of the model, by its metadata, as 000 lists them; NULL: not known */
    const struct tree *details; /* details of the model, in the protocol's own words (struct inquiry); NULL: none */
};

/* How inferences are written in one encoding. */
struct form {
    const char *encoding;
    const char *rpc; /* over gRPC: the rpc, of the profile's service; else NULL */
    bool streams;    /* the rpc has any number of messages in both directions */
    /* Fills the request, except for its endpoint; texts lie in the arena. UNIMPLEMENTED: this encoding cannot say that.
     * Every other failure is a fault of the case. */
    struct status (*encode)(const struct meaning *meaning, struct arena *arena, struct request *request);
    int way; /* a number of the protocol's own, if its `encode` serves several forms */
};

/* An inquiry: how discovery asks a target about itself, under one profile. Results use the words of 000: metadata of
 * the server {name, version, extensions} and of a model {name, versions, platform, inputs, outputs}; lists of models
 * hold names, or objects with a name. Everything returned lies in the prober's arena. NULL: the answer was no success;
 * the prober's `evidence` says what came. If the protocol does not have a question, its function is NULL here;
 * inquiry_server and the other functions below then answer like a target that knows nothing. */
struct inquiry {
    const char *profile;
    /* For a profile that shares its endpoint with other protocols: whether the target speaks it at all; if not, nothing
     * more is asked. A wrong answer must count as spoken; only if the protocol, or the permission to use it, is
     * missing, may this return false. NULL: every target that answers at the endpoint is judged by the profile. */
    bool (*is_spoken)(struct prober *prober, const struct profile *profile);
    struct str root;     /* over HTTP: how all paths of the profile begin; people add it to the address by mistake */
    bool wants_versions; /* an inference without a version may be refused; it is then asked with one */
    struct tree *(*server)(struct prober *prober, const struct profile *profile);
    struct tree *(*metadata)(struct prober *prober, const struct profile *profile, struct str model,
                             struct str version);
    bool (*is_up)(struct prober *prober, const struct profile *profile); /* the server says that it is ready */
    bool (*is_ready)(struct prober *prober, const struct profile *profile, struct str model);
    struct tree *(*models)(struct prober *prober, const struct profile *profile);
    /* Returns {MODEL: details}: what must be known of models to write their inferences and read their answers, and what
     * metadata in the words of 000 does not say. Only the protocol's own code reads the details. It is called once.
     * NULL: metadata says everything. */
    struct tree *(*details)(struct prober *prober, const struct profile *profile);
    /* Returns the details of a model that is missing in `details` although it is served; returns NULL if it is not
     * served. It is called once for each model. NULL: a model that is missing in `details` is not served. */
    struct tree *(*details_left_out)(struct prober *prober, const struct profile *profile, struct str model);
    /* For an endpoint that may belong to another server: whether a model that the target hosts is served under this
     * profile too. NULL: each model is served under all profiles. */
    bool (*hosts)(struct prober *prober, const struct profile *profile, struct str model);
    /* Whether a successful inference shows that the model is served although `hosts` says no: servers refuse models
     * that they do not serve. */
    bool answer_shows_host;
    /* Returns the largest batch that the model's configuration allows; 0: it does not say. NULL: the protocol has no
     * configuration. */
    int64_t (*largest_batch)(struct prober *prober, const struct profile *profile, struct str model);
    /* Whether the model's configuration says that it takes sequences. NULL: the protocol has no configuration. */
    bool (*is_for_sequences)(struct prober *prober, const struct profile *profile, struct str model);
    /* The index of the model repository: a list of {name, version, state}. */
    struct tree *(*index)(struct prober *prober, const struct profile *profile);
    /* Loads the model, or unloads it. Returns whether the target says that it did. */
    bool (*order)(struct prober *prober, const struct profile *profile, struct str model, bool load);
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

/* Notes what does not decode, unless something was noted before. */
void reading_note(struct answer_reading *reading, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Notes why `what`, such as "the body", is no message of that type, or that it holds more than is read. */
void reading_note_unread(struct answer_reading *reading, const char *what, const char *type, struct status why);

/* Returns an arena whose budget is exceeded by a message with too many values. */
struct arena reading_scratch(const struct answer_reading *reading);

/* Reads raw bytes, which must live as long as the arena, into a list of elements. NULL if they are no such elements;
 * then that is noted, with `where`. */
struct tree *reading_raw(struct answer_reading *reading, struct str bytes, enum datatype datatype, struct str where);

struct protocol {
    const char *name; /* as profiles name it */
    /* In the order in which they are tried on an unknown model: the one that works most often first. */
    const struct form *forms;
    size_t form_count;
    const struct inquiry *inquiries; /* the last row names no profile */

    /* Over HTTP: adds to the tree of an answer (answer.h) the message that its body is, if bodies have a binary form.
     * NULL: they have none. */
    void (*decode)(struct answer_reading *reading, struct tree *tree);

    /* Returns the message in the binary body of a request, in the arena; NULL if it is none. NULL: bodies have no
     * binary form. */
    struct tree *(*request_of)(struct str body, struct arena *arena);

    /* Adds to the tree of an answer (answer.h) what it says about an inference: `outputs` with flat data, and if
     * is_inference also id, model_name, model_version and parameters. */
    void (*read)(struct answer_reading *reading, struct tree *tree);

    /* Adds to the tree of a request (answer.h) its `inputs` with flat data. NULL: they are not read. */
    void (*read_inputs)(struct answer_reading *reading, struct tree *tree);

    /* Returns the part of an HTTP body that is JSON. NULL: always the whole body. */
    struct str (*json_part)(const struct answer *answer);

    /* Removes from a message that does not decode the fields that other known editions of the schema have, and returns
     * the rest, in the arena. NULL: the protocol knows no other edition. */
    struct str (*mend)(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena);

    /* Returns the path of an act http with the model's version in it; the path itself if it names a version or is not a
     * model's. For targets that refuse requests without a version. NULL: the paths of the protocol have no versions. */
    struct str (*versioned_path)(struct str path, struct str model, struct str version, struct arena *arena);
    const char *below_model; /* the text between model and version in such a path; NULL: there are no versions */
};

/* All protocols; NULL follows the last one. ../protocols.c lists them, so that this folder names none. */
extern const struct protocol *const protocols[];

/* Each of these returns NULL if there is none. */
const struct protocol *protocol_named(struct str name);
const struct form *protocol_form(const struct encoding *encoding);

/* Returns an empty inquiry for a profile that has none: an extension whose target is asked under another profile. */
const struct inquiry *protocol_inquiry(const struct profile *profile);

/* Fails with INVALID_ARGUMENT if a profile of the registry has no protocol, or an encoding of inferences no form: rows
 * without code. */
struct status protocols_check(const struct registry *registry, struct arena *arena);

/* Ask by the profile's inquiry. */
bool inquiry_is_spoken(struct prober *prober, const struct profile *profile);
struct tree *inquiry_server(struct prober *prober, const struct profile *profile);
struct tree *inquiry_metadata(struct prober *prober, const struct profile *profile, struct str model,
                              struct str version);
bool inquiry_is_up(struct prober *prober, const struct profile *profile);
bool inquiry_is_ready(struct prober *prober, const struct profile *profile, struct str model);
bool inquiry_hosts(struct prober *prober, const struct profile *profile, struct str model);
struct tree *inquiry_models(struct prober *prober, const struct profile *profile);
struct tree *inquiry_details(struct prober *prober, const struct profile *profile);
struct tree *inquiry_details_left_out(struct prober *prober, const struct profile *profile, struct str model);
int64_t inquiry_largest_batch(struct prober *prober, const struct profile *profile, struct str model);
bool inquiry_is_for_sequences(struct prober *prober, const struct profile *profile, struct str model);
struct tree *inquiry_index(struct prober *prober, const struct profile *profile);
/* Whether an entry of an index has that state, which servers write in different words ("READY", "State.READY"). */
bool index_says(const struct tree *entry, const char *state);

bool inquiry_order(struct prober *prober, const struct profile *profile, struct str model, bool load);
