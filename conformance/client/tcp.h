/* A connection that carries HTTP/1 as the very bytes of a case, and the answers that come back, read one by one. The
 * parser is libhttp-parser's: what it takes for HTTP is HTTP. */
#ifndef CLIENT_TCP_H
#define CLIENT_TCP_H

#include "client/client.h"

struct tcp;

/* Connects to the address of an HTTP endpoint ("http://127.0.0.1:8000"). A connection that fails is told by the first
 * tcp_read. NULL without memory. The options must outlive it. */
struct tcp *tcp_open(const struct client_options *options, struct str address);
void tcp_close(struct tcp *tcp);

/* One write; waits until the system has taken all of it, at most the timeout. What goes wrong is told by tcp_read. */
void tcp_write(struct tcp *tcp, struct str bytes);

/* Nothing more will be written: the server reads an end. */
void tcp_half_close(struct tcp *tcp);

struct tcp_wanted {
    bool interim; /* an answer of 1xx counts; else it is read over */
    bool closed;  /* no answer before the end of the connection is an answer, too */
    bool end;     /* wait for the end of the connection behind the answer */
};

/* Reads the next answer. `closed` of the answer is set if the end of the connection came instead of it, or, with
 * wanted->end, behind it. With wanted->closed and no answer before the end, it is ANSWERED with status 0. Everything is
 * copied into the arena. */
void tcp_read(struct tcp *tcp, const struct tcp_wanted *wanted, struct arena *arena, struct answer *answer);

/* The bytes with header lines added behind every request line: those of the options, and `extra` (may be NULL). */
struct str tcp_with_headers(struct str bytes, const struct client_options *options, const struct header *extra,
                            struct arena *arena);

/* A shell command that writes the same bytes to the same address. */
struct str tcp_command(const struct client_options *options, struct str address, struct str bytes, struct arena *arena);

#endif
