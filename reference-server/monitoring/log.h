/* The log: one line for each request that was answered or given up, in a file or on stderr. It hangs on the hooks of
 * both transports, which are not set without --log. Whatever a client sends, a line is one line of printable ASCII of
 * at most 4 KiB, and is written at once, so that lines of many threads do not mix.
 *
 *     text   TIME PROTOCOL METHOD PATH MODEL STATUS BYTES MICROSECONDS      each without blanks; "-" if it is empty
 *     json   an object with these members
 *
 * TIME is UTC, when the request came. PROTOCOL is the listener: http, grpc or another one. METHOD is that of HTTP, or
 * the name of the rpc. MODEL is spelled as in the request. STATUS is that of HTTP (0: the connection was closed without
 * an answer), or the name of the gRPC code. BYTES are those of the answer's body, or of its messages with their heads.
 */
#pragma once

#include "grpc/rpc.h"
#include "http/http.h"

/* Opens the log: at the end of the file, or stderr for "-". Fails with UNAVAILABLE and the reason. */
struct status log_open(const char *path, bool as_json, struct arena *arena);

/* Opens the file anew, under the same name, because another program has moved it. Keeps the old one if that fails, and
 * returns false. Does nothing for stderr. */
bool log_reopen(void);

/* The hooks of the transports. */
void log_http_arrive(struct http_request *request);
void log_http_leave(const struct http_request *request, size_t sent);
void log_rpc_arrive(struct rpc_call *call);
void log_rpc_leave(const struct rpc_call *call, enum status_code code, size_t sent);
