/* One request and its answer, over HTTP (libcurl) or gRPC (C core), as bytes. A client is one job's: one connection
 * each. */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"
#include "client/endpoint.h"

/* The address of an endpoint: "http://127.0.0.1:8000" without a trailing slash, or "127.0.0.1:8001" for gRPC. */
struct address {
    const struct endpoint *endpoint; /* NULL: there is no such endpoint */
    struct str at;                   /* empty: it is not asked */
};

struct client_options {
    struct address addresses[ENDPOINTS_MAX]; /* by the endpoint's index */
    double timeout;                          /* seconds a whole exchange may take */
    size_t max_message;                      /* bytes of an answer that are read, where it may be large */
    const char *const *headers;              /* "K: V", sent with every request and as gRPC metadata */
    size_t header_count;
    const char *ca, *cert, *key; /* files; NULL */
};

struct header {
    struct str name, value;
};

struct request {
    const struct endpoint *endpoint;
    bool has_body; /* HTTP */
    bool framed;   /* gRPC: the message is the whole stream of the request, with its frames */
    bool large;    /* the answer may be as long as max_message; else ANSWER_SMALL and some times the request */
    /* Over HTTP: */
    struct str method, path; /* path as sent, not normalised; with query */
    struct str http_version; /* "HTTP/1.0", "HTTP/2"; empty: 1.1 */
    struct header *headers;  /* exactly these, beside Host; Content-Length is made from the body unless given; a header
                                of  null data is suppressed */
    size_t header_count;
    struct str body;
    /* Over gRPC: */
    struct str rpc; /* "/inference.GRPCInferenceService/ModelInfer" */
    struct header *metadata;
    size_t metadata_count;
    struct str message; /* without the 5-byte frame */
    double deadline;    /* seconds; 0: the client's timeout */
    bool cancel;        /* the call is cancelled as soon as it is begun */
    /* On a bare connection to an HTTP endpoint: */
    struct str *writes; /* one each */
    size_t write_count;
};

/* Bytes of an answer for which no model has to compute much: metadata, a refusal, a small inference. */
#define ANSWER_SMALL ((size_t)1 << 20)

enum outcome {
    OUTCOME_ANSWERED,
    OUTCOME_TIMEOUT,     /* nothing, or not all of it, within the timeout */
    OUTCOME_UNREACHABLE, /* no connection */
    OUTCOME_CLOSED,      /* the connection ended before a whole answer */
    OUTCOME_GARBLED,     /* what came is no HTTP, or no gRPC */
};

struct answer {
    enum outcome outcome;
    struct str trouble; /* a sentence, when not ANSWERED */
    /* HTTP */
    int status;
    struct header *headers; /* in order, names as sent */
    size_t header_count;
    struct str body;
    bool closed;    /* tcp: the end of the connection was seen behind it */
    bool large;     /* was asked for as such: so many elements are decoded */
    bool truncated; /* longer than it may be: the body or message is only the beginning */
    /* gRPC */
    int code;                /* grpc-status */
    struct str details;      /* grpc-message */
    struct header *trailers; /* initial and trailing metadata */
    size_t trailer_count;
    struct str message;
    bool has_message;
    double seconds;
};

/* Whether an HTTP answer has at least begun (it may have ended too soon, or not at all), or a whole one came. */
bool answer_begins(const struct answer *answer);

static inline struct str client_address(const struct client_options *options, const struct endpoint *endpoint)
{
    return options->addresses[endpoint->index].at;
}

static inline bool request_is_http(const struct request *request)
{
    return request->endpoint->transport == TRANSPORT_HTTP;
}

/* "127.0.0.1:8000" of "http://127.0.0.1:8000"; an address without a scheme is one. */
struct str address_authority(struct str address);

struct client;
struct status client_create(const struct client_options *options, struct arena *arena, struct client **client);
void client_destroy(struct client *client);

/* Sends and waits. Everything in the answer is copied into the arena. Never fails otherwise than by the outcome.
 * `extra` (may be NULL) is one more header or metadata entry. */
void client_exchange(struct client *client, const struct request *request, const struct header *extra,
                     struct arena *arena, struct answer *answer);

/* "K: V" as given with --header; blanks around the value are dropped. The value may be a secret, and reports are read
 * by many: whatever is told or written has HEADER_HIDDEN in its place. */
#define HEADER_HIDDEN "***"
struct header header_of_line(const char *line);

/* A shell command that sends the same request again (curl; unary gRPC by --http2-prior-knowledge), for reports. Bodies
 * that do not fit a line are written to `directory` (made when it is needed) as a file that the command names; without
 * a directory (NULL) they are in the command as a printf. */
struct str client_command(const struct client_options *options, const struct request *request, const char *directory,
                          struct str name, struct arena *arena);

#endif
