/* An infer act to a request, one function an encoding; and what the encodings share. */
#ifndef CLIENT_ENCODE_H
#define CLIENT_ENCODE_H

#include "client/exchange.h"
#include "tensor/datatype.h"
#include "tree/tree.h"

/* The meaning to be sent. */
struct meaning {
    const struct tree *act;  /* infer, id, parameters, inputs, outputs */
    const struct tree *base; /* the act whose datatypes and shapes pack the data; `act` itself for a base */
    struct str version;      /* that is asked for; empty: none */
};

/* INVALID_ARGUMENT: this encoding cannot say that. */
struct status encode_rest(const struct meaning *meaning, bool nested, struct arena *arena, struct request *request);
struct status encode_grpc(const struct meaning *meaning, bool raw, struct arena *arena, struct request *request);

/* The base's input that packs the data of the act's input number `index`: the one of the same name; for an input that
 * was renamed, the base's at that place; else the input itself. */
const struct tree *packing_input(const struct meaning *meaning, const struct tree *input, size_t index);

/* Datatype that packs; DATATYPE_NONE if the base declares none that is known. */
enum datatype packing_datatype(const struct tree *packing);

#endif
