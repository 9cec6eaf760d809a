/* reference-server/http/ is the HTTP transport: requests and answers over civetweb. It may include proto/ and
 * civetweb/, where README.md lists the limits of civetweb. It knows no protocol: services are rows of a table that is
 * given at the start. Each row has a listener and a path prefix, and each request goes to one of them.
 *
 * civetweb leaves some things to its user; they are done here: the limit for bodies (413), a deadline for the whole
 * body (408), `Expect: 100-continue`, HEAD, short bodies (400), contradicting lengths (400), a missing Host (400),
 * several empty lines before a request (400), keep-alive after errors, too many headers (431), and gzip and deflate
 * bodies, which are inflated up to the limit (415 for another Content-Encoding). The service that the request would
 * have gone to writes the body of these refusals, and of those that civetweb makes itself.
 *
 * All requests share a budget of memory (base/budget.h). A request is charged for its body as it arrives, for its arena
 * and for its answer; the first HTTP_OWN bytes are free, so that small requests are always served. Beyond its share a
 * request is refused: with 503 and Retry-After while others hold too much, with 413 if a single request may never have
 * so much. Then arena_alloc and http_read_body fail as if there were no memory, and the transport replaces the answer
 * of the handler.
 *
 * Each connection holds a worker thread while it is open. The stack of a worker has 100 KiB, so code on it must not
 * recurse as deep as the input says, nor put buffers above 4 KB on the stack. A worker keeps what it needs for every
 * request: the arena, the buffers, and `cache`. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"

struct http_service;
struct tree;

struct http_header {
    struct str name, value;
};

#define HTTP_ANSWER_HEADERS 16
#define HTTP_OWN            ((size_t)256 * 1024)
#define HTTP_BODY_ALIGNMENT 64 /* of data in memory, for vector instructions */

/* What is done with the answer and its connection. Only deviations choose anything but HTTP_SEND. HTTP_CLOSE closes the
 * connection without an answer, HTTP_HANG waits without an answer until the client closes it, HTTP_STAY answers and
 * then waits in the same way. */
enum http_delivery { HTTP_SEND, HTTP_CLOSE, HTTP_HANG, HTTP_STAY };

/* How a request came. Only deviations read it. */
struct http_arrival {
    size_t reads; /* how many reads the head took; 0: it came together with the request before it */
    bool behind_empty_line;
    bool is_as_it_came; /* the bytes between the names and values of the headers are still as they came, except that
                           NULs replace the colons */
    struct http_before {
        enum { HTTP_NOTHING, HTTP_ANSWERED, HTTP_REFUSED } outcome;
        long long length; /* the Content-Length; 0 or -1 if it had none */
    } before;             /* the request before it on its connection */
};

struct http_request {
    struct arena *arena; /* emptied after the answer is sent */
    struct str method;   /* "GET", as sent */
    struct str path;     /* as sent, not decoded, without the query: "/v2/models/a%2Fb" */
    struct str query;    /* without "?"; empty if none, and without data if there is no "?" */
    struct str target;   /* as sent, without the query: the path, or a whole URL; read by deviations */
    struct str version;  /* "1.1" */
    struct http_arrival arrival;
    const struct http_header *headers;
    size_t header_count;
    struct str body;                    /* what http_read_body has read */
    const struct http_service *service; /* the service that answers */
    void *context;                      /* of the service, from its mount */
    size_t aligned_from; /* the handler may set it: this byte of the body will lie aligned to HTTP_BODY_ALIGNMENT */
    void **cache;        /* what the service keeps for each worker, as it is costly to make; NULL at first */

    /* The answer; http_answer sets status and content type. */
    int status;
    struct str reason;                  /* the reason phrase, printable ASCII; empty: that of the status */
    struct str content_type;            /* empty if there is no such header */
    struct http_header *answer_headers; /* room for HTTP_ANSWER_HEADERS */
    size_t answer_header_count;
    struct str answer_body;        /* used when answer_buf is empty */
    const struct str *answer_tail; /* the rest of the body: pieces that are sent without a copy */
    size_t answer_tail_count;
    struct buf answer_buf;     /* a body that is written here; the worker keeps its memory or frees it */
    struct str content_length; /* null: the length of the body; only deviations set another */
    bool no_content_length;    /* the end of the connection ends the body (deviations) */
    enum http_delivery delivery;
    const char *refused_by; /* the requirement that a refusal enforces (its slug or its whole key), or NULL */
    const void *deviation;  /* the deviations of this request; only deviations/ uses it */
    const void *logged;     /* set by `arrive`, for `leave` */
};

/* Answers with what is set in the request, plus Content-Type (if it is not NULL), Content-Length, Date and Connection.
 * Must be called exactly once, inside the handler or later on another thread; the worker waits for it. The caller must
 * not use the request afterwards. `content_type` must be static. */
void http_answer(struct http_request *request, int status, const char *content_type);

/* Sends a part of the body at once, as a chunk; the first part has the head before it, with status 200 and the content
 * type, which must be static. Waits while the client does not read. It must be called by the handler, before it returns
 * and before http_answer, which then ends the body. Returns false if no more can be sent: the client has left. (For
 * deviations, which alter whole answers, the parts are collected instead, up to 1 MiB.) */
bool http_send_part(struct http_request *request, const char *content_type, struct str bytes);

/* Whether the client still waits for the answer: it has not closed its side of the connection. May be called on any
 * thread before http_answer, but by one at a time. */
bool http_is_awaited(const struct http_request *request);

/* Adds a header to the answer. Name and value must be static or in the arena, without CR and LF. Headers beyond
 * HTTP_ANSWER_HEADERS are lost. */
void http_answer_header(struct http_request *request, struct str name, struct str value);

/* Returns the value of the header of that name, in upper or lower case; of several, their values with commas between
 * them (RFC 9110, 5.3), so that no other reader can go by another one; an empty str with null data if there is none. */
struct str http_header_value(const struct http_request *request, const char *name);

/* Returns the status of HTTP that says what a code says (status.c); 500 if none does. */
int http_status_of(enum status_code code);

/* Reads the whole body and inflates it. The memory lives as long as the request; JSON_PADDING bytes follow the body
 * (json/reader.h). Fails with RESOURCE_EXHAUSTED above the limit, INVALID_ARGUMENT if the body is short or its
 * compression is broken, DEADLINE_EXCEEDED if it is too slow, and UNIMPLEMENTED for an unknown Content-Encoding. Must
 * be called at most once. A body that is not read is dropped, or the connection is closed. A body that comes in chunks
 * or compressed lies anywhere, whatever aligned_from says. */
struct status http_read_body(struct http_request *request, struct str *body);

/* --- Services --- */

/* How deviations read the body of an answer into a tree, and write it again. */
struct http_form {
    /* Adds the members that stand for the body to `answer`, beside "status" and "headers": "json", for example. The
     * memory is the request's arena. Fails if the body does not have this form. */
    struct status (*read)(const struct http_request *answered, struct str body, struct tree *answer);
    /* Appends the body that these members stand for to `out`, and may mend headers that depend on it. Does nothing if
     * there are none; fails if they have no such form. */
    struct status (*write)(struct tree *answer, struct buf *out, struct arena *arena);
    /* Adds the members that stand for what a request asks, as `read` does for an answer. NULL: `read` reads requests,
     * too, as answers of JSON. */
    struct status (*read_request)(const struct http_request *request, struct tree *asked);
};

/* A protocol on this transport; its folder defines it. It gets the requests of its listener whose path is the prefix,
 * or the prefix with a slash and more. If two prefixes fit, the longer one wins. A path with no known prefix goes to
 * the first service of the listener. */
struct http_service {
    const char *listener; /* "http" */
    const char *prefix;   /* "/v2"; "" fits every path */
    const char *profile;  /* under which its requests are judged; the keys of its requirements start so: "v2-rest" */

    void (*handle)(struct http_request *request); /* must answer, now or later */
    /* Appends the body of a refusal to request->answer_buf, adds its headers, and returns its content type (static;
     * NULL for none). It is called for faults that the handler never sees: a bad request line, too many headers, no
     * memory. */
    const char *(*write_refusal)(struct http_request *request, int status, const char *message);
    void (*free_cache)(void *cache); /* when a worker ends or has read a large body; may be NULL */

    /* Only for deviations. */
    struct str (*model_of)(struct str path); /* the model as spelled in the path; NULL: never one */
    const struct http_form *form;            /* the form of its answers; NULL: JSON if the Content-Type says so */

    /* Whether it takes a request with both Transfer-Encoding and Content-Length, which some of its clients send. The
     * length is then ignored, and the connection closes after the answer (RFC 9112, section 6.3). */
    bool takes_two_framings;

    bool needs_no_host;      /* whether it takes a request of HTTP/1.1 without Host, which its clients may send */
    int status_of_a_refusal; /* the status of what write_refusal writes; 0: the one that HTTP has for the fault */
};

struct http_mount {
    const struct http_service *service;
    void *context;
};

/* --- The server --- */

struct http_listener {
    const char *name;    /* the name by which services refer to it */
    const char *address; /* "127.0.0.1:8000", IPv4; port 0 means any free port */
};

#define HTTP_LISTENERS_MAX 8

/* The options. What they point to must live as long as the server. */
struct http_options {
    const struct http_listener *listeners; /* no two on one port */
    size_t listener_count;
    const struct http_mount *mounts; /* at least one for each listener; others are ignored */
    size_t mount_count;
    struct ssl_ctx_st *tls;                       /* the SSL_CTX of all listeners; NULL: without TLS */
    size_t threads;                               /* connections that are served at once, over all listeners */
    size_t waiting;                               /* further ones that are accepted and wait; at least 1 */
    size_t max_message;                           /* bytes of a body, both before and after inflating */
    size_t memory;                                /* bytes that all requests may hold together */
    double body_timeout;                          /* seconds for a whole body, and for the head before it */
    double idle_timeout;                          /* seconds that a connection may wait for its next request */
    void (*begin)(struct http_request *request);  /* called before the handler; may be NULL */
    void (*finish)(struct http_request *request); /* after the answer is set, before it is sent; may be NULL */
    void (*arrive)(struct http_request *request); /* for a log: called when the head was read; may be NULL */
    /* For a log: called when the answer was sent, `sent` bytes of its body; may be NULL. */
    void (*leave)(const struct http_request *request, size_t sent);
};

struct http_server;

/* Opens the ports and starts the workers. Fails with UNAVAILABLE and the reason if it cannot listen at an address. */
struct status http_start(const struct http_options *options, struct arena *arena, struct http_server **server);
int http_port(const struct http_server *server, const char *listener);
void http_stop(struct http_server *server); /* cuts the requests that still run, so drain first */

/* Returns how many requests of the whole process have begun and are not answered completely. */
size_t http_in_flight(void);

/* After http_drain, every answer says that its connection ends, so that no client sends a request which a stop would
 * cut. http_drained returns how many requests have begun since. */
void http_drain(void);
size_t http_drained(void);
