/* The two transports behind client_exchange: one HTTP connection (http.c) and one gRPC channel (rpc.c). */
#ifndef CLIENT_TRANSPORT_H
#define CLIENT_TRANSPORT_H

#include "client/exchange.h"

/* Headers and trailers that are read; an answer with more is garbled. */
#define ANSWER_HEADERS_MAX (256 * 1024) /* bytes */
#define HEADERS_MAX        1000

struct http_client;
struct rpc_client;

/* NULL without memory. The options must outlive the client. */
struct http_client *http_client_create(const struct client_options *options);
void http_client_destroy(struct http_client *client);

/* The answer's `seconds` is the caller's. */
void http_exchange(struct http_client *client, const struct request *request, const struct header *extra,
                   struct arena *arena, struct answer *answer);

struct status rpc_client_create(const struct client_options *options, struct arena *arena, struct rpc_client **client);
void rpc_client_destroy(struct rpc_client *client);
void rpc_exchange(struct rpc_client *client, const struct request *request, const struct header *extra,
                  struct arena *arena, struct answer *answer);

/* A list of headers that grows in an arena. */
struct header_list {
    struct header *entries;
    size_t count, capacity;
};
void header_list_add(struct header_list *list, struct header entry, struct arena *arena);

/* "K: V" as given with --header; blanks around the value are dropped. */
struct header header_of_line(const char *line);

/* Whether the headers have one of that name, case ignored. */
bool headers_have(const struct header *headers, size_t count, const char *name);

#endif
