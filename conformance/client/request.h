/* What users of the client give it: the addresses of a target, and requests. This header knows nothing of
 * connections. */
#pragma once

#include "base/arena.h"
#include "client/endpoint.h"
#include "support/secrets.h"
#include "support/values.h"

/* The address of an endpoint: "http://127.0.0.1:8000" without a slash at the end, or for gRPC "127.0.0.1:8001", which
 * may have "grpc://" or "grpcs://" before it. */
struct address {
    const struct endpoint *endpoint; /* NULL: there is no such endpoint */
    struct str at;                   /* empty: the endpoint is not asked */
};

struct client_options {
    struct address addresses[ENDPOINTS_MAX]; /* by the endpoint's index */
    double timeout;                          /* seconds that a whole exchange may take */
    size_t max_message;                      /* the most bytes of an answer that are read if the request is marked
                                                `large` */
    struct values headers;                   /* "K: V", sent with every request, over gRPC as metadata */
    const struct secrets *secrets;           /* the secrets in their values; NULL: none */
    const char *ca, *cert, *key;             /* names of PEM files; or NULL. Without a CA, the system's are trusted */
    struct trust *trust;                     /* trusted authorities (client/trust.h); NULL: libcurl reads `ca` itself */
    bool insecure;                           /* certificates of servers are not checked */
    struct tape *tape;   /* records the exchanges, or plays recorded ones (client/tape.h); NULL: neither */
    bool one_connection; /* the target serves one connection at a time: an exchange over HTTP/1 leaves none open */
};

struct header {
    struct str name, value;
};

/* A list of headers that grows in an arena. */
struct header_list {
    struct header *entries;
    size_t count;
};

struct tree;

struct request {
    const struct endpoint *endpoint;
    struct str name;            /* the name of the exchange on a tape; or empty */
    const struct tree *details; /* for the reader of the answer; the client ignores it */
    bool has_body;              /* for HTTP */
    bool framed;                /* for gRPC: `message` is the whole request stream, frames included; it has a
                                   connection of its own */
    bool http2_raw;             /* for gRPC: `preface` and `message` are all bytes of an HTTP/2 connection of its own */
    bool large; /* up to max_message bytes of the answer are read; else ANSWER_SMALL and a multiple of the request's
                   size */
    /* For HTTP: */
    struct str method, path;    /* path with query, sent as it is, not normalised */
    struct str http_version;    /* "HTTP/1.0"; empty: HTTP/1.1 */
    struct header_list headers; /* only these and Host are sent; Content-Length is made from the body unless it is
                               given; a header of null value is suppressed */
    struct str body;
    /* For gRPC: */
    struct str rpc; /* "/inference.GRPCInferenceService/ModelInfer" */
    struct header_list metadata;
    struct str message; /* without its 5-byte prefix, unless framed */
    bool streams;       /* any number of messages is sent and received: `messages` instead of `message` */
    struct str *messages;
    size_t message_count;
    struct str preface; /* if http2_raw */
    double deadline;    /* seconds; 0: the client's timeout */
    bool cancel;        /* the call is cancelled as soon as it is sent */
    /* For bytes on a bare connection to an HTTP endpoint: */
    struct str *writes; /* the bytes of each write */
    size_t write_count;
};

static inline struct str client_address(const struct client_options *options, const struct endpoint *endpoint)
{
    return options->addresses[endpoint->index].at;
}

static inline bool request_is_http(const struct request *request)
{
    return request->endpoint->transport == TRANSPORT_HTTP;
}

/* In "http://127.0.0.1:8000/models/one" the authority is "127.0.0.1:8000", and the prefix is "/models/one". An address
 * may lack its scheme; without a path the prefix is empty. */
struct str address_authority(struct str address);
struct str address_prefix(struct str address);

/* Whether the endpoint speaks TLS: the scheme of its address is https or grpcs, or there is none and the options say
 * something about certificates. */
bool address_is_secure(const struct client_options *options, struct str address);

/* Returns the URL of a gRPC address, in the arena: https if it speaks TLS, else http. */
struct str address_url(const struct client_options *options, struct str address, struct arena *arena);

/* Splits "K: V" as given with --header; blanks around the value are dropped. The value may be a secret, and many people
 * read reports: whatever is printed or written has SECRET_HIDDEN in its place. */
struct header header_of_line(const char *line);

void header_list_add(struct header_list *list, struct header entry, struct arena *arena);

/* Returns the first value of that name, case ignored; a null str if there is none. */
struct str header_value(const struct header_list *list, const char *name);

/* Whether there is a header of that name, case ignored. */
bool headers_have(const struct header_list *list, const char *name);
