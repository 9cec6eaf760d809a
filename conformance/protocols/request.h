/* Makes the request that a case describes: an inference by its encoding, or the bytes of an act. */
#pragma once

#include "client/client.h"
#include "suite/registry.h"

struct sending {
    const struct encoding *encoding;
    const struct profile *profile;
    const struct tree *act;        /* resolved: infer, http, grpc or tcp with their members */
    const struct tree *base;       /* the act whose datatypes and shapes pack the data of an inference; NULL: `act` */
    const struct tree *bytes_edit; /* the change `bytes` of a neighbour, or NULL */
    struct str model;              /* the target's name for the case's model; empty: none */
    struct str version;            /* the version that is asked for if the act names none; empty: none */
    const struct tree *outputs;    /* the outputs of the model, by its metadata; NULL: not known */
    const struct tree *details;    /* of the model, by the profile's side (protocol.h); NULL: none */
};

/* Makes the request, in the arena. Tensors are packed by the datatypes and shapes of the base, so that a changed name,
 * datatype or shape changes only what is declared. UNIMPLEMENTED: the encoding cannot say it (FP16 in typed contents,
 * bytes that are no UTF-8 in JSON, ...); the message says what. Every other failure is a fault of the case. */
struct status request_make(const struct sending *sending, struct arena *arena, struct request *request);

/* Makes the right answer that a case has (`answer`, resolved), in the arena: over HTTP {status, headers,
 * json or body} with Content-Length, over gRPC {code, details, message}, where OK is meant without a code.
 * INVALID_ARGUMENT says what is wrong with it. */
struct status request_right_answer(const struct sending *sending, const struct tree *right, struct arena *arena,
                                   struct answer *answer);

/* Returns the path of an rpc, "/package.Service/Rpc", in the arena. One without a service belongs to the profile's. */
struct str request_rpc(struct str rpc, const struct profile *profile, struct arena *arena);

/* Whether request_make would succeed; nothing is kept. */
struct status request_check(const struct sending *sending, struct arena *arena);
