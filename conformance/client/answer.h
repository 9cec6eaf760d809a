/* The answer to a request, or what happened instead. */
#pragma once

#include "client/request.h"

/* Bytes that are enough for an answer with little data: metadata, a refusal, an inference on the model kit, even if the
 * server writes its numbers at length and indents them. */
#define ANSWER_SMALL ((size_t)16 << 20)

#define CAME_MAX ((size_t)16 << 10) /* bytes of an answer that are kept as they came */

enum outcome {
    OUTCOME_ANSWERED,
    OUTCOME_TIMEOUT,     /* no answer, or not all of it, came within the timeout */
    OUTCOME_UNREACHABLE, /* no connection could be made */
    OUTCOME_CLOSED,      /* the connection ended before the answer was complete */
    OUTCOME_GARBLED,     /* what came is no HTTP, or no gRPC */
    OUTCOME_LIMITED,     /* the target limits requests (limit.h), and asks us to wait for too long */
};

struct answer {
    enum outcome outcome;
    struct str trouble; /* a sentence if the outcome is not ANSWERED */
    bool unrecorded;    /* no target was asked: the tape has no answer; the outcome is LIMITED */
    /* For HTTP: */
    int status;
    struct header_list headers; /* in order, with the names as sent */
    struct str body;
    struct str version; /* tcp: of HTTP, as "1.1"; empty if there is no answer */
    bool reused;        /* over a connection that an earlier request had used */
    bool closed;        /* tcp: the end of the connection was seen after the answer */
    bool large;         /* the request was marked `large`: more elements may be decoded */
    struct str came;    /* tcp, if what came is no HTTP, and http2_raw: its first CAME_MAX bytes, as they came */
    bool truncated;     /* the answer is longer than the limit: body or message is only its beginning */
    /* For gRPC: */
    int code;                    /* grpc-status */
    struct str details;          /* grpc-message */
    struct header_list trailers; /* initial and trailing metadata */
    struct str message;
    bool has_message;
    bool is_coded; /* the message came compressed */
    /* For gRPC, if the request was framed: `status`, `headers` and `body` as HTTP/2 has them, also if the answer is not
     * gRPC (GARBLED) or breaks off (CLOSED), and: */
    bool has_http;                 /* these are known */
    struct header_list end_fields; /* the fields after the body */
    /* For gRPC, if the request was http2_raw; the outcome is then GARBLED, since no answer of gRPC is read: */
    const struct http2_raw_answer *http2_raw; /* NULL: nothing came that tells anything */
    bool streams;                             /* the request streams: `messages` instead of `message` */
    bool open;                                /* the stream has not ended: there is no code yet */
    struct str *messages;
    size_t message_count;
    double seconds;
};

/* What an HTTP/2 server says of the frames that came on a connection. */
struct http2_raw_answer {
    struct str goaway, reset;       /* names of the error codes in GOAWAY, in RST_STREAM; null: none came */
    bool is_closed;                 /* the server ended the connection */
    bool is_ended;                  /* the server ended a stream as an answer does */
    bool is_acknowledged, is_alive; /* SETTINGS were acknowledged, RAW_PING was answered */
    uint32_t frame_max;             /* the largest frame that its SETTINGS allow: SETTINGS_MAX_FRAME_SIZE */
    struct str data;                /* of all DATA frames */
};

/* The PING at the end of a request that asks whether the connection survives everything before it. Without this PING,
 * reading ends with the first stream that ends. */
#define RAW_PING "survives"

/* Whether a complete answer came, or one whose HTTP fields or first messages can be judged. */
bool answer_is_seen(const struct answer *answer);

/* Whether a whole answer came, or the beginning of an HTTP answer (it may have broken off). */
bool answer_begins(const struct answer *answer);

/* Returns the first value of that name among the headers, or else among the trailers, case ignored; a null str if there
 * is none. */
struct str answer_header(const struct answer *answer, const char *name);

/* How many bytes of the answer are read at most. */
size_t answer_max(const struct client_options *options, const struct request *request);

/* Limits of headers and trailers; an answer with more is garbled. */
#define ANSWER_HEADERS_MAX (256 * 1024) /* bytes */
#define HEADERS_MAX        1000

#define TRUNCATED_KEEPS ((size_t)64 * 1024) /* of a body longer than the limit, so many bytes are kept to be shown */
