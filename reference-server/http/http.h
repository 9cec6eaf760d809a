/* The HTTP transport: civetweb behind requests and answers. It knows no protocol: one handler gets every request.
 *
 * Ours, because civetweb leaves it to the handler: the body limit (413), a deadline for the whole body (408), `Expect:
 * 100-continue`, HEAD, short bodies (400), keep-alive after errors, more headers than it keeps (431), gzip and deflate bodies
 * (inflated up to the limit; another Content-Encoding is 415). Faults that civetweb answers itself get the JSON error body. */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"

struct http_header {
    struct str name, value;
};

struct http_request {
    struct arena *arena; /* freed after the answer is sent */
    struct str method;   /* "GET", as sent */
    struct str path;     /* raw, not decoded, without the query: "/v2/models/a%2Fb" */
    struct str query;    /* without "?"; empty if none */
    const struct http_header *headers;
    size_t header_count;
    void *context; /* the server's, from the options */

    /* The answer, set by http_answer. */
    int status;
    struct http_header answer_headers[8];
    size_t answer_header_count;
    struct str answer_body;    /* used when answer_buf is empty */
    struct buf answer_buf;     /* a body written here is freed by the transport */
    const struct switches *switches; /* duties that are off for this request: set by `begin` (deviations), read by handlers */
    const char *refused_by;    /* full key of the requirement that refused ("v2-rest.data-count"), or NULL */
    const void *deviation;     /* deviations/ keeps its choice here */
};

/* Answers with what is set in the request plus Content-Type (if given), Content-Length and Connection. May be called inside
 * the handler or later from another thread, exactly once; the worker waits. */
void http_answer(struct http_request *request, int status, const char *content_type);

/* Adds a header to the answer; at most 8. Values must hold no CR or LF. */
void http_answer_header(struct http_request *request, struct str name, struct str value);

/* First header of that name (case ignored); empty str with null data if there is none. */
struct str http_header_value(const struct http_request *request, const char *name);

/* Reads the whole body, inflated, followed by JSON_PADDING readable bytes, into the arena. RESOURCE_EXHAUSTED above the limit,
 * INVALID_ARGUMENT when it is short or no gzip, DEADLINE_EXCEEDED when it is slow, UNIMPLEMENTED for an unknown encoding.
 * Once a request; a body that is not read is discarded or the connection closed. */
struct status http_read_body(struct http_request *request, struct str *body);

struct http_options {
    const char *address; /* "127.0.0.1:8000"; port 0: any */
    size_t threads;      /* connections served at once */
    size_t max_message;  /* bytes of a body, before and after inflating */
    double body_timeout; /* seconds for a whole body */
    void (*begin)(struct http_request *request);  /* before the handler; may be NULL; may set switches */
    void (*handle)(struct http_request *request); /* must answer, now or later */
    void (*finish)(struct http_request *request); /* after the answer is set, before it is sent; may alter it; may be NULL */
    /* Writes the body of an answer to a fault that no handler sees (bad request line, too many headers). */
    void (*error_body)(struct buf *out, int status, const char *message);
    void *context;
};

struct http_server;
struct status http_start(const struct http_options *options, struct arena *arena, struct http_server **server);
int http_port(const struct http_server *server);
void http_stop(struct http_server *server); /* cuts what is still running: drain first */

/* Requests between begin and the last byte of their answer, in the whole process. */
size_t http_in_flight(void);

#endif
