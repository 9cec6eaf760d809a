/* An endpoint of a target: an address, which is asked over one transport. fixtures/encodings.json lists them all. */
#pragma once

#include "base/str.h"

#define ENDPOINTS_MAX 8

struct tree;

enum transport { TRANSPORT_HTTP, TRANSPORT_GRPC };

struct endpoint {
    struct str name; /* "http"; also the scheme in --state NAME=grpc://HOST:PORT */
    enum transport transport;
    struct str called; /* "REST": its name in messages for a person */
    struct str flag;   /* "--target http://HOST:PORT": how the user gives its address */
    /* "http.in-step": the row that a server breaks which loses its place on a connection; or empty */
    struct str in_step;
    const struct tree *too_large; /* pattern over the refusal of a request that is too large; or NULL */
    size_t index;                 /* in the registry */
};
