/* The client: sends one request and returns its answer, over HTTP (libcurl) or gRPC (C core), as bytes. Each thread has
 * a client of its own, with one connection for each endpoint.
 *
 * The folder client/ moves bytes and knows no protocol above HTTP and gRPC: it decodes no inference and judges nothing.
 * It uses support/; it may include no other folder of conformance/. */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"
#include "client/endpoint.h"
#include "support/secrets.h"

/* The address of an endpoint: "http://127.0.0.1:8000" without a slash at the end, or for gRPC "127.0.0.1:8001", which
 * may have "grpc://" or "grpcs://" before it. */
struct address {
    const struct endpoint *endpoint; /* NULL: there is no such endpoint */
    struct str at;                   /* empty: the endpoint is not asked */
};

struct client_options {
    struct address addresses[ENDPOINTS_MAX]; /* by the endpoint's index */
    double timeout;                          /* seconds that a whole exchange may take */
    size_t max_message;                      /* bytes that are read of an answer to a request marked `large` */
    const char *const *headers;              /* "K: V", sent with every request, over gRPC as metadata */
    size_t header_count;
    const struct secrets *secrets; /* what of their values nobody may read; NULL: nothing */
    const char *ca, *cert, *key;   /* names of PEM files; or NULL. Without a CA, the system's are trusted */
    bool insecure;                 /* certificates of servers are not checked */
    bool lone; /* the target serves one connection at a time: an exchange over HTTP/1 leaves none open */
};

struct header {
    struct str name, value;
};

struct tree;

struct request {
    const struct endpoint *endpoint;
    const struct tree *details; /* for whoever reads the answer; the client does not look at it */
    bool has_body;              /* for HTTP */
    bool framed;                /* for gRPC: `message` is the whole request stream, frames included */
    bool by_curl;               /* for gRPC: a call with one message is sent as the command of client_command does */
    bool bare;                  /* for gRPC: `preface` and `message` are all bytes of an HTTP/2 connection of its own */
    bool large; /* up to max_message bytes of the answer are read; else ANSWER_SMALL and a multiple of the request's
                   size */
    /* For HTTP: */
    struct str method, path; /* path with query, sent as it is, not normalised */
    struct str http_version; /* "HTTP/1.0", "HTTP/2"; empty: HTTP/1.1 */
    struct header *headers;  /* only these and Host are sent; Content-Length is made from the body unless it is given; a
                                header of null value is suppressed */
    size_t header_count;
    struct str body;
    /* For gRPC: */
    struct str rpc; /* "/inference.GRPCInferenceService/ModelInfer" */
    struct header *metadata;
    size_t metadata_count;
    struct str message; /* without its 5-byte prefix, unless framed */
    bool streams;       /* any number of messages is sent and received: `messages` in the place of `message` */
    struct str *messages;
    size_t message_count;
    struct str preface; /* if bare */
    double deadline;    /* seconds; 0: the client's timeout */
    bool cancel;        /* the call is cancelled as soon as it is sent */
    /* For bytes on a bare connection to an HTTP endpoint: */
    struct str *writes; /* the bytes of each write */
    size_t write_count;
};

/* Bytes that suffice for an answer with little data: metadata, a refusal, an inference on the model kit, whose numbers
 * a server may spell at length and indent. */
#define ANSWER_SMALL ((size_t)16 << 20)

#define CAME_MAX ((size_t)16 << 10) /* bytes of an answer that are kept as they came */

enum outcome {
    OUTCOME_ANSWERED,
    OUTCOME_TIMEOUT,     /* no answer, or not all of it, came within the timeout */
    OUTCOME_UNREACHABLE, /* no connection could be made */
    OUTCOME_CLOSED,      /* the connection ended before the answer was complete */
    OUTCOME_GARBLED,     /* what came is no HTTP, or no gRPC */
    OUTCOME_LIMITED,     /* the target limits requests (limit.h), and would have to be waited for too long */
};

struct answer {
    enum outcome outcome;
    struct str trouble; /* a sentence if the outcome is not ANSWERED */
    /* For HTTP: */
    int status;
    struct header *headers; /* in order, with the names as sent */
    size_t header_count;
    struct str body;
    struct str version; /* tcp: of HTTP, as "1.1"; empty if there is no answer */
    bool reused;        /* over a connection that an earlier request had used */
    bool closed;        /* tcp: the end of the connection was seen behind the answer */
    bool large;         /* the request was marked `large`: more elements may be decoded */
    struct str came;    /* tcp, if what came is no HTTP, and bare: its first CAME_MAX bytes, as they came */
    bool truncated;     /* the answer is longer than the limit: body or message is only its beginning */
    /* For gRPC: */
    int code;                /* grpc-status */
    struct str details;      /* grpc-message */
    struct header *trailers; /* initial and trailing metadata */
    size_t trailer_count;
    struct str message;
    bool has_message;
    bool is_coded; /* the message came compressed */
    /* For gRPC, if the request was framed: `status`, `headers` and `body` as HTTP/2 has them, also of an answer that is
     * none of gRPC (GARBLED) or breaks off (CLOSED), and: */
    bool has_http;             /* these are known */
    struct header *end_fields; /* the fields behind the body */
    size_t end_field_count;
    /* For gRPC, if the request was bare; the outcome is then GARBLED, since no answer of gRPC is read: */
    const struct bare_answer *bare; /* NULL: nothing came that tells anything */
    bool streams;                   /* the request streams: `messages` in the place of `message` */
    bool open;                      /* the stream has not ended: there is no code yet */
    struct str *messages;
    size_t message_count;
    double seconds;
};

/* What an HTTP/2 server says of the frames that came on a connection. */
struct bare_answer {
    struct str goaway, reset;       /* names of the error codes in GOAWAY, in RST_STREAM; null: none came */
    bool is_closed;                 /* the server ended the connection */
    bool is_ended;                  /* the server ended a stream as an answer does */
    bool is_acknowledged, is_alive; /* SETTINGS were acknowledged, BARE_PING was answered */
    uint32_t frame_max;             /* the largest frame that its SETTINGS allow: SETTINGS_MAX_FRAME_SIZE */
    struct str data;                /* of all DATA frames */
};

/* The PING that a request ends with if it asks whether the connection survives what stands before it. Without, the
 * first stream that ends is waited for. */
#define BARE_PING "survives"

/* Whether a whole answer came, or one whose HTTP fields or first messages can be looked at. */
bool answer_is_seen(const struct answer *answer);

/* Whether a whole answer came, or the beginning of an HTTP answer (it may have broken off). */
bool answer_begins(const struct answer *answer);

static inline struct str client_address(const struct client_options *options, const struct endpoint *endpoint)
{
    return options->addresses[endpoint->index].at;
}

static inline bool request_is_http(const struct request *request)
{
    return request->endpoint->transport == TRANSPORT_HTTP;
}

/* Of "http://127.0.0.1:8000/models/one" the authority is "127.0.0.1:8000" and the prefix "/models/one". An address may
 * lack its scheme; without a path the prefix is empty. */
struct str address_authority(struct str address);
struct str address_prefix(struct str address);

/* Whether the endpoint speaks TLS: the scheme of its address is https or grpcs, or there is none and the options say
 * something about certificates. */
bool address_is_secure(const struct client_options *options, struct str address);

struct client;
struct status client_create(const struct client_options *options, struct arena *arena, struct client **client);
void client_destroy(struct client *client);

/* Sends the request and waits for the answer. It always returns; `outcome` says what happened. A target that limits
 * requests is asked again after a while (client/limit.h). Everything in the answer is copied into the arena. `extra`
 * (may be NULL) is one more header or metadata entry. */
void client_exchange(struct client *client, const struct request *request, const struct header *extra,
                     struct arena *arena, struct answer *answer);

/* Splits "K: V" as given with --header; blanks around the value are dropped. The value may be a secret, and many people
 * read reports: whatever is printed or written has SECRET_HIDDEN in its place. */
struct header header_of_line(const char *line);

/* Returns a shell command that sends the same request again, by curl, on a connection of its own, in the arena.
 * SECRET_HIDDEN stands for each secret: a reader puts in their own. It serves HTTP, and calls of gRPC with one message,
 * but no bytes of a connection (`bare`, `writes`). Empty, if there is none. A body that does not fit on a line is
 * written to a file in `directory` (which is made if it is missing) and the command names the file. If `directory` is
 * NULL, the command prints the body by printf. */
struct str client_command(const struct client_options *options, const struct request *request, const char *directory,
                          struct str name, struct arena *arena);

/* Whether that command holds the body of a request of HTTP itself: it is short, and text. */
bool client_shows_body(const struct request *request);

/* What grpcurl must be told of a call: its messages as JSON, one behind the other, and the .proto file that declares
 * the service, below a folder. If `folder` is NULL, grpcurl asks the server for the schema by reflection. */
struct grpcurl_call {
    struct str messages;
    const char *folder, *file;
};

/* Returns a grpcurl command that makes the same gRPC call again, in the arena. */
struct str client_grpcurl(const struct client_options *options, const struct request *request,
                          const struct grpcurl_call *call, struct arena *arena);

#endif
