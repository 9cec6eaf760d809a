/* Internal to client/: the transports behind client_exchange. They are an HTTP connection (http.c), a gRPC channel
 * (rpc.c, stream.c), gRPC frames over an HTTP/2 connection (framed.c), and HTTP/2 frames on a bare one (bare.c). */
#ifndef CLIENT_TRANSPORT_H
#define CLIENT_TRANSPORT_H

#include "client/client.h"

/* Limits of headers and trailers; an answer with more is garbled. */
#define ANSWER_HEADERS_MAX (256 * 1024) /* bytes */
#define HEADERS_MAX        1000

#define TRUNCATED_KEEPS ((size_t)64 * 1024) /* bytes that are kept, to be shown, of a body longer than the limit */
#define MESSAGE_PREFIX  5                   /* bytes that gRPC puts before a message */

/* How many bytes of the answer are read at most. */
size_t answer_max(const struct client_options *options, const struct request *request);

struct http_client;

/* Makes a connection to `base` ("http://127.0.0.1:8000", NUL-terminated). NULL without memory. Options and base must
 * live as long as the client. */
struct http_client *http_client_create(const struct client_options *options, struct str base);
void http_client_destroy(struct http_client *client);

/* Makes one exchange. The caller sets the answer's `seconds`. */
void http_exchange(struct http_client *client, const struct request *request, const struct header *extra,
                   struct arena *arena, struct answer *answer);

struct rpc_client;

/* Makes a client of the gRPC address. NULL without memory. Options and address must live as long as the
 * client. */
struct rpc_client *rpc_client_create(const struct client_options *options, struct str address);
void rpc_client_destroy(struct rpc_client *client);
void rpc_exchange(struct rpc_client *client, const struct request *request, const struct header *extra,
                  struct arena *arena, struct answer *answer);

/* Returns the client's own client of the endpoint. NULL: there is no address. */
struct rpc_client *client_rpc(struct client *client, const struct endpoint *endpoint);

/* Sends all messages of a request that streams, says that no more follow, and reads to the end (stream.c). */
void stream_exchange(struct client *client, const struct request *request, const struct header *extra,
                     struct arena *arena, struct answer *answer);

/* Makes a unary call whose message already has its frames, over an HTTP client whose base is the gRPC address. */
void framed_exchange(struct http_client *client, const struct client_options *options, const struct request *request,
                     const struct header *extra, struct arena *arena, struct answer *answer);

/* Writes the bytes of the request on a connection of its own, to the URL, and reads what the server says of them. */
void bare_exchange(const struct client_options *options, struct str url, const struct request *request,
                   struct arena *arena, struct answer *answer);

/* Returns the URL of a gRPC address, in the arena: https if it speaks TLS, else http. */
struct str rpc_base(const struct client_options *options, struct str address, struct arena *arena);

/* Makes the HTTP/2 request that carries a gRPC request, except for its endpoint. */
struct status rpc_as_http(const struct request *request, struct arena *arena, struct request *http);

/* A list of headers that grows in an arena. */
struct header_list {
    struct header *entries;
    size_t count, capacity;
};
void header_list_add(struct header_list *list, struct header entry, struct arena *arena);

/* Returns the first value of that name, case ignored; a null str if there is none. */
struct str header_value(const struct header_list *list, const char *name);

/* Whether there is a header of that name, case ignored. */
bool headers_have(const struct header *headers, size_t count, const char *name);

#endif
