/* A connection on which a case sends its own bytes as HTTP/1, and from which the answers are read one by one. */
#pragma once

#include "client/answer.h"

struct tcp;

/* Connects to an HTTP endpoint ("http://127.0.0.1:8000"). If the connection fails, the first tcp_read reports it. The
 * options must live as long as the connection. */
struct tcp *tcp_open(const struct client_options *options, struct str address);
void tcp_close(struct tcp *tcp);

/* Writes the bytes and waits until the system has taken all of them, for at most the timeout. What is written one
 * after the other, without a read between, has a pause between, so that the server reads it in pieces. tcp_read
 * reports errors. */
void tcp_write(struct tcp *tcp, struct str bytes);

/* Closes the sending direction: the server reads the end. */
void tcp_half_close(struct tcp *tcp);

struct tcp_wanted {
    bool interim; /* an answer with a status 1xx is wanted; else such answers are skipped */
    bool closed;  /* the end of the connection is accepted instead of an answer */
    bool end;     /* wait for the end of the connection after the answer */
};

/* Reads the next answer; everything is copied into the arena. The answer's `closed` is set if the connection ended
 * instead of an answer, or, with wanted->end, after it. With wanted->closed, an end without an answer is ANSWERED with
 * status 0. An end within an answer is none of these. */
void tcp_read(struct tcp *tcp, const struct tcp_wanted *wanted, struct arena *arena, struct answer *answer);

/* Returns the bytes with more header lines after each request line: those of the options, and `extra` (may be
 * NULL). */
struct str tcp_with_headers(struct str bytes, const struct client_options *options, const struct header *extra,
                            struct arena *arena);

/* Returns bytes that were written as a report may show them: with SECRET_HIDDEN instead of each value of the
 * options' headers, and of each secret. They lie in the arena, if anything is hidden. */
struct str tcp_shown(const struct client_options *options, struct str bytes, struct arena *arena);
