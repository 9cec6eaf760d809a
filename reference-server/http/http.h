/* The HTTP transport: civetweb behind requests and answers. It knows no protocol: services are rows of a table given at
 * the start, each with a path prefix on a listener, and a request goes to one of them.
 *
 * Ours, because civetweb leaves it to the handler: the body limit (413), a deadline for the whole body (408), `Expect:
 * 100-continue`, HEAD, short bodies (400), contradicting lengths (400), a missing Host (400), keep-alive after errors,
 * more headers than it keeps (431), gzip and deflate bodies (inflated up to the limit; another Content-Encoding is
 * 415). These faults, and those that civetweb finds itself, are answered in the words of the service that the request
 * would have gone to.
 *
 * Each connection holds a worker thread while it is open, with 100 KiB of stack: no recursion that follows input, no
 * stack buffer above 4 KB. What a worker needs again and again (arena, buffers, `kept`) stays with it from request to
 * request. */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"

struct http_service;
struct tree;

struct http_header {
    struct str name, value;
};

#define HTTP_ANSWER_HEADERS 16

/* What becomes of the answer and its connection; other than SEND only by deviations. */
enum http_ending { HTTP_SEND, HTTP_CLOSE, HTTP_HANG };

struct http_request {
    struct arena *arena; /* emptied after the answer is sent */
    struct str method;   /* "GET", as sent */
    struct str path;     /* raw, not decoded, without the query: "/v2/models/a%2Fb" */
    struct str query;    /* without "?"; empty if none */
    const struct http_header *headers;
    size_t header_count;
    const struct http_service *service; /* that answers it */
    void *context;                      /* the service's, from its mount */
    void **kept; /* the service's, one a worker, NULL at first: what is costly to make; see worker_end below */

    /* The answer, set by http_answer. */
    int status;
    struct str content_type;            /* empty: no such header */
    struct http_header *answer_headers; /* room for HTTP_ANSWER_HEADERS */
    size_t answer_header_count;
    struct str answer_body;    /* used when answer_buf is empty */
    struct buf answer_buf;     /* a body written here is the worker's: kept for the next request, or freed */
    struct str content_length; /* null: as long as the body is (always, but for deviations) */
    bool no_content_length;    /* the end of the connection ends the body (deviations) */
    enum http_ending ending;
    const struct switches
        *switches;          /* duties that are off for this request: set by `begin` (deviations), read by handlers */
    const char *refused_by; /* the requirement that refused (its slug, or its whole key), or NULL */
    const void *deviation;  /* deviations/ keeps its choice here */
};

/* Answers with what is set in the request plus Content-Type (if not NULL), Content-Length, Date and Connection. May be
 * called inside the handler or later from another thread, exactly once; the worker waits. From then on the request is
 * not the caller's any more. `content_type` is static. */
void http_answer(struct http_request *request, int status, const char *content_type);

/* Adds a header to the answer. Values must hold no CR or LF; static or arena memory. More than HTTP_ANSWER_HEADERS are
 * lost. */
void http_answer_header(struct http_request *request, struct str name, struct str value);

/* First header of that name (case ignored); empty str with null data if there is none. */
struct str http_header_value(const struct http_request *request, const char *name);

/* Reads the whole body, inflated, followed by JSON_PADDING bytes (json/reader.h), into memory that lives as long as the
 * request. RESOURCE_EXHAUSTED above the limit, INVALID_ARGUMENT when it is short or no gzip, DEADLINE_EXCEEDED when it
 * is slow, UNIMPLEMENTED for an unknown encoding. Once a request; a body that is not read is discarded or the
 * connection closed. */
struct status http_read_body(struct http_request *request, struct str *body);

/* --- Services --- */

/* How deviations read the body of an answer into a tree, and write it again. */
struct http_form {
    const char *member; /* of the answer's tree, beside "status" and "headers": "json" */
    /* The body of the answer as a tree, in the request's arena. A failure: the body is not of this form. */
    struct status (*read)(const struct http_request *answered, struct str body, struct tree **tree);
    /* Appends the tree as a body to `out`. A failure: the tree is none. */
    struct status (*write)(const struct tree *tree, struct buf *out, struct arena *arena);
};

/* A protocol on this transport, as its folder gives it. It gets the requests of its listener whose path is the prefix,
 * or goes on behind it with a slash; where two prefixes fit, the longer one counts. A path under no prefix goes to the
 * first service of the listener. */
struct http_service {
    const char *listener; /* "http" */
    const char *prefix;   /* "/v2"; "": every path */
    const char *profile;  /* under which its requests are judged, in front of the keys of requirements: "v2-rest" */

    void (*handle)(struct http_request *request); /* must answer, now or later */
    /* Appends the body of a refusal to request->answer_buf, adds the headers that go with it, and returns its content
     * type (static; NULL: none). Called for faults that the handler never sees: a bad request line, too many headers,
     * no memory. */
    const char *(*write_refusal)(struct http_request *request, int status, const char *message);
    void (*worker_end)(void *kept); /* frees *request->kept when a worker ends or has read a large body; may be NULL */

    /* For deviations. */
    struct str (*model_of)(struct str path); /* the model that a request is for, as it is spelt; NULL: never one */
    const struct http_form *form;            /* of its answers; NULL: JSON where the Content-Type says so */
};

struct http_mount {
    const struct http_service *service;
    void *context;
};

/* --- The server --- */

struct http_listener {
    const char *name;    /* services refer to it */
    const char *address; /* "127.0.0.1:8000", IPv4; port 0: any */
};

#define HTTP_LISTENERS_MAX 8

/* What it points to lives as long as the server. */
struct http_options {
    const struct http_listener *listeners; /* no two on one port */
    size_t listener_count;
    const struct http_mount *mounts; /* of each listener one at least; a listener that is not there is never asked */
    size_t mount_count;
    size_t threads;                              /* connections served at once, on all listeners together */
    size_t max_message;                          /* bytes of a body, before and after inflating */
    double body_timeout;                         /* seconds for a whole body, and for the head before it */
    double idle_timeout;                         /* seconds that a connection may wait for its next request */
    void (*begin)(struct http_request *request); /* before the handler; may be NULL; may set switches */
    void (*finish)(
        struct http_request *request); /* after the answer is set, before it is sent; may alter it; may be NULL */
};

struct http_server;

/* Opens the ports and starts the workers. UNAVAILABLE with the reason when an address cannot be had. */
struct status http_start(const struct http_options *options, struct arena *arena, struct http_server **server);
int http_port(const struct http_server *server, const char *listener);
void http_stop(struct http_server *server); /* cuts what is still running: drain first */

/* Requests between begin and the last byte of their answer, in the whole process. */
size_t http_in_flight(void);

/* From now on every answer says that its connection ends, so that nobody sends what a stop would cut. http_drained: how
 * many requests were begun since. */
void http_drain(void);
size_t http_drained(void);

#endif
