/* The registry (fixtures/encodings.json): what a target can be asked, and what its answers mean.
 *
 *   endpoint   an address of the target, with the transport that is used there: "http", "grpc"
 *   profile    a protocol over one endpoint, such as "v2-rest". A target can claim it as a whole. Its name is a prefix
 *              of requirement keys, and it defines what success and refusal are.
 *   encoding   either a form in which an inference is written ("rest-flat"), which belongs to a profile; or an act
 *              whose bytes are the point ("http", "grpc", "tcp"), which belongs to the profile of its case
 *   text       a document that several profiles build on; its name is a prefix of requirement keys: "http", "proto3"
 *
 * Everything lies in the suite's arena and does not change after loading. */
#pragma once

#include "client/endpoint.h"
#include "suite/faults.h"
#include "suite/ledger.h"

/* One more assertion that "refused" adds beside the key of the case: a rule for every refusal of the profile. */
struct refusal_row {
    struct str key;            /* "v2-rest.error-body" */
    const struct tree *expect; /* pattern over the answer */
    bool blames;               /* only for refusals that a row about refusals expects: these must blame the request */
};

struct profile {
    struct str name;     /* "v2-rest" */
    struct str says;     /* what it is, for people; a phrase */
    struct str protocol; /* "predict-v2": the name of the protocol in protocols/ that reads and writes it */
    const struct endpoint *endpoint;
    struct str service; /* over gRPC: the service of an rpc that is named without one */
    /* requests that change nothing when they are repeated: rpcs, or "POST /path"; NULL: none is known */
    const struct tree *reads;
    const struct tree *orders; /* requests that load or unload models: rpcs, or how "POST /path" begins; NULL: none */
    const struct tree *proofs; /* {word: [cases]}: `control` names the list by the word, and one of its cases must hold;
                                  or the name of a profile whose lists these are; or NULL */
    const struct tree *guide;  /* {says: text that the exchanges do not show, cases: cases with an `answer`, at least
                                  one for each endpoint, in the order in which one builds a server}; NULL: there is no
                                  guide */
    const struct profile *beside; /* the profile of another transport that steps of its cases may ask too; or NULL */
    struct str claim;            /* the extension by which a server claims it; empty: a server claims it by answering */
    const struct tree *by_model; /* not NULL: single models may refuse the extension. The parameters of outputs in a
                                    request that asks for it; {} if its encoding is enough */
    const struct tree *shown_by; /* an act, and a pattern over its answer: a server that lists no extensions shows by it
                                    that it has this one; NULL: nothing would show it */
    struct str outcome;          /* pointer to the place in an answer that tells success from failure: "/status" */
    struct str error;            /* pointer to the message of a refusal: "/json/error" */
    const struct tree *succeeded; /* pattern over an answer that is a success */
    const struct tree *refused;   /* pattern over a refusal: the meaning of "refused" */
    const struct tree *answered;  /* pattern over any complete, well-formed answer */
    const struct tree *too_large; /* pattern over the refusal of a request that is larger than the target takes */
    struct refusal_row *rows;
    size_t row_count;
    size_t index; /* index in the registry */
};

enum act { ACT_INFER, ACT_HTTP, ACT_GRPC, ACT_TCP };

struct encoding {
    struct str name; /* "rest-flat"; for an act that is no inference, the act's name */
    enum act act;    /* ACT_INFER if inferences are written in it */
    enum transport transport;
    /* for inferences: the profile whose prefix completes bare slugs; NULL for the other acts */
    const struct profile *profile;
    /* another extension that this form uses: the encoding is offered only if that is claimed too; or NULL */
    const struct profile *also;
    const struct profile *inherits; /* the profile whose row a bare slug means if `profile` has no such row; or NULL */
    const struct tree *lacks;       /* for inferences: slugs and keys that mean nothing in it; NULL: none */
    /* for inferences: a folder of cases that are played in it, in addition to the folder of its profile */
    struct str cases;
    size_t index; /* index in the registry */
};

struct registry {
    struct endpoint *endpoints;
    size_t endpoint_count; /* at most ENDPOINTS_MAX */
    struct profile *profiles;
    size_t profile_count;
    struct encoding *encodings; /* encodings of inferences in the file's order, then the acts */
    size_t encoding_count;
    const struct tree *texts;    /* {prefix: name of a transport} */
    const struct tree *editions; /* {NAME: {says, documents: [name of a text], profile, shown_by}}; a server follows the
                                    first one unless it shows another. NULL: there are none */
};

/* Whether the act, "POST /path" or "package.Service/Rpc", loads or unloads models under any profile. */
bool registry_is_order(const struct registry *registry, struct str act);

/* Reads encodings.json. INVALID_ARGUMENT says what is missing or unknown, and where. */
struct status registry_read(const struct tree *file, struct arena *arena, struct registry *registry);

/* Whether a requirement with these sources belongs to the edition: if a source is a document of any edition, one must
 * be of this one. `edition` is a name of `editions`; empty: every requirement belongs to it. */
bool registry_in_edition(const struct registry *registry, const struct tree *sources, struct str edition);

/* The name of the edition that stands last; empty if there are none. */
struct str registry_newest_edition(const struct registry *registry);

/* Each of these returns the object of that name, or NULL if there is none. */
const struct endpoint *registry_endpoint(const struct registry *registry, struct str name);
const struct profile *registry_profile(const struct registry *registry, struct str name);
const struct encoding *registry_encoding(const struct registry *registry, struct str name);
const struct encoding *registry_act(const struct registry *registry, enum act act);

/* Returns the profile in whose folder a case lies ("v2-rest/health/live"); NULL: the folder is of several. */
const struct profile *registry_profile_of_case(const struct registry *registry, struct str path);

/* Whether an inference case at that path is played in the encoding: it lies in the folder of the encoding's profile, or
 * in the encoding's folder `cases`. */
bool encoding_plays(const struct encoding *encoding, struct str path);

/* Whether a bare slug means nothing in the encoding, because its protocol has no such thing. */
bool encoding_lacks(const struct encoding *encoding, struct str slug);

/* Whether requirements of that prefix apply to a play of that encoding and profile. A text applies to every play of its
 * transport. A profile applies to plays of its own transport and protocol. */
bool registry_binds(const struct registry *registry, struct str prefix, const struct profile *profile);

/* Whether the prefix of a key is a text that profiles build on, such as "http". */
bool registry_is_text(const struct registry *registry, struct str prefix);
