/* The client: sends one request and returns its answer, over HTTP (libcurl) or gRPC (libnghttp2), as bytes. Each
 * thread has a client of its own, with one connection for each endpoint.
 *
 * The folder client/ moves bytes and knows no protocol above HTTP and gRPC: it decodes no inference and judges nothing.
 * It uses support/; it may include no other folder of conformance/. */
#pragma once

#include "base/buf.h"
#include "base/status.h"
#include "client/answer.h"

struct client;
struct client *client_create(const struct client_options *options, struct arena *arena);
void client_destroy(struct client *client);

/* Sends the request and waits for the answer. It always returns; `outcome` says what happened. A target that limits
 * requests is asked again after a while (client/limit.h). Everything in the answer is copied into the arena. `extra`
 * (may be NULL) is one more header or metadata entry. */
void client_exchange(struct client *client, const struct request *request, const struct header *extra,
                     struct arena *arena, struct answer *answer);

/* Begins a gRPC call with messages in both directions, over the client's connection; client/stream.h has the rest. */
struct stream *client_stream(struct client *client, const struct request *request, const struct header *extra);

/* Returns a shell command that sends the same request again, by curl, on a connection of its own, in the arena.
 * SECRET_HIDDEN stands for each secret: a reader puts in their own. It serves HTTP, and calls of gRPC with one message,
 * but no bytes of a connection (`http2_raw`, `writes`). Empty, if there is none. A body that does not fit on a line is
 * written to a file in `directory` (which is made if it is missing) and the command names the file. If `directory` is
 * NULL, the command prints the body by printf. */
struct str client_command(const struct client_options *options, const struct request *request, const char *directory,
                          struct str name, struct arena *arena);

/* Whether that command holds the body of a request of HTTP itself: it is short, and text. */
bool client_shows_body(const struct request *request);

/* What grpcurl must be told of a call: its messages as JSON, one after the other, and the .proto file that declares
 * the service, below a folder. If `folder` is NULL, grpcurl asks the server for the schema by reflection. */
struct grpcurl_call {
    struct str messages;
    const char *folder, *file;
};

/* Returns a grpcurl command that makes the same gRPC call again, in the arena. */
struct str client_grpcurl(const struct client_options *options, const struct request *request,
                          const struct grpcurl_call *call, struct arena *arena);
