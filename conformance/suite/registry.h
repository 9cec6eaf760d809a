/* The registry (fixtures/encodings.json): what a target can be asked, and what its answers mean.
 *
 *   endpoint   an address of the target with its transport: "http", "grpc"
 *   profile    what a target can claim as a whole, and the prefix of requirement keys: a protocol over one endpoint, as
 *              "v2-rest". It says what success and refusal are there.
 *   encoding   a form in which the meaning of an inference is written ("rest-flat"), which belongs to a profile; or an
 *              act whose bytes are the point ("http", "grpc", "tcp"), which belongs to the profile of its case
 *   text       a document that profiles build on, and the prefix of its requirement keys: "http", "proto3"
 *
 * Everything is in the suite's arena and does not change. */
#ifndef SUITE_REGISTRY_H
#define SUITE_REGISTRY_H

#include "client/endpoint.h"
#include "suite/faults.h"
#include "suite/ledger.h"

/* A row that "refused" adds beside the key of the case: what a refusal must also be, there. */
struct refusal_row {
    struct str key;            /* "v2-rest.error-body" */
    const struct tree *expect; /* pattern over the answer */
};

struct profile {
    struct str name;     /* "v2-rest" */
    struct str protocol; /* "predict-v2": the folder of protocols/ that reads and writes it */
    const struct endpoint *endpoint;
    struct str service;           /* over gRPC: the service that an rpc without one belongs to */
    const struct tree *reads;     /* over gRPC: the rpcs that change nothing, a list of names; NULL: none is known */
    struct str claim;             /* the extension by which a server claims it; empty: it claims it by answering */
    struct str outcome;           /* pointer to what in an answer tells success from failure: "/status" */
    struct str error;             /* pointer to what a refusal says: "/json/error" */
    const struct tree *succeeded; /* patterns over the answer: a success, */
    const struct tree *refused;   /* a refusal (the meaning of "refused" itself), */
    const struct tree *answered;  /* a complete, well-formed answer, whatever it says */
    struct refusal_row *rows;
    size_t row_count;
    size_t index; /* in the registry */
};

enum act { ACT_INFER, ACT_HTTP, ACT_GRPC, ACT_TCP };

struct encoding {
    struct str name; /* "rest-flat"; of an act its name */
    enum act act;    /* ACT_INFER: of inferences */
    enum transport transport;
    const struct profile *profile;  /* of inferences: its prefix completes bare slugs; NULL for the other acts */
    const struct profile *inherits; /* whose row a bare slug means where the own profile has none; NULL */
    struct str cases; /* of inferences: the folder of cases that are played over it, beside its profile's */
    size_t index;     /* in the registry */
};

struct registry {
    struct endpoint *endpoints;
    size_t endpoint_count; /* at most ENDPOINTS_MAX */
    struct profile *profiles;
    size_t profile_count;
    struct encoding *encodings; /* those of inferences in the file's order, then the acts */
    size_t encoding_count;
    const struct tree *texts; /* {prefix: name of a transport} */
};

/* Reads encodings.json. INVALID_ARGUMENT says what is missing or not known, and where. */
struct status registry_read(const struct tree *file, struct arena *arena, struct registry *registry);

/* By name; NULL if there is none. */
const struct endpoint *registry_endpoint(const struct registry *registry, struct str name);
const struct profile *registry_profile(const struct registry *registry, struct str name);
const struct encoding *registry_encoding(const struct registry *registry, struct str name);
const struct encoding *registry_act(const struct registry *registry, enum act act);

/* The profile whose folder a case lies in ("v2-rest/health/live"); NULL for a folder of cases of several encodings. */
const struct profile *registry_profile_of_case(const struct registry *registry, struct str path);

/* Whether a case of that path, if it is an inference, is played over the encoding: it lies in the folder of the
 * encoding's profile, or in that of its `cases`. */
bool encoding_plays(const struct encoding *encoding, struct str path);

/* Whether requirements of that prefix bind what is played in an encoding under a profile: those of a text where they
 * have the same transport, those of a profile where they have the same protocol too. */
bool registry_binds(const struct registry *registry, struct str prefix, const struct profile *profile);

#endif
