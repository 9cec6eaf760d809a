/* reference-server/deviations/ makes the server break the documents on purpose. A deviation has a name and can be
 * switched on, to test a conformance suite or a client. This folder may include proto/ and the transports (http/,
 * grpc/), but no protocol. No other folder of the server may include it; only main.c and server.c do.
 *
 * The files fixtures/deviations/PROFILE.json are built into the program: objects of NAME: {breaks, by, on?, ...}. A
 * deviation breaks one requirement, whose key is `breaks`, by
 *   "accept"   What is refused because of that key is answered as an inference without outputs.
 *   {alter}    The encoded answer is decoded into a tree, changed by the verbs of tree/change.h, and encoded again.
 *              The tree is {status, headers, json | body} or {code, details, message, http}; a service whose bodies
 *              are not JSON gives another form (http_form). The `http` of gRPC has status, compressed, and `fields`,
 *              where a field that is added replaces the answer's of that name, or takes it away if it is null. Header
 *              names are in lower case. `message` has the names of the .proto file; it is {} in an error. Each message
 *              of a stream is a tree {message} of its own, and is not sent if `message` is removed; its end is one more
 *              answer, with an empty `message`. `as` changes what `copy` copies: "reversed" (a list),
 *              "inverted" (bytes), "broken", "cut" (its last byte), "shifted" (a flatbuffer, by two bytes), "lesser"
 *              (a float), {"plus": N}, {"append": TEXT}. Where /body is copied, it is the bytes of the body, whatever
 *              its form.
 *              `hang: true` never answers. `close: true` closes the connection, or resets the call. `stay: true`
 *              leaves it open after an answer over HTTP until the client closes it. An answer that the change does
 *              not fit stays as it is. These change no answer, but all connections of the gRPC server: `read_over:
 *              [KIND, ...]` reads over HTTP/2 frames of these kinds (frames.c), `end_at` ends the connection at them,
 *              `take_malformed` takes requests in which these are malformed: "name", "value", "pseudo", "connection",
 *              "length".
 *   "code"     A function of code.c is called, which is registered under the name of the deviation.
 *
 * A deviation changes only the requests that its key is about. These are the requests that are judged under the profile
 * before the dot, or, if that is a text about the transport ("http", "grpc"), all requests of the transport. `on`
 * narrows this further: method, path (by segments; * is any segment), rpc (the bare name), model, unready; and, for an
 * alter, `request` and `answer`, patterns over these trees (pattern.h), and `refused_by`, the keys of requirements that
 * made the server refuse. What fails is altered only if it was refused because of `breaks`, or if `on` has `answer` or
 * `refused_by`.
 *
 * --deviate NAME,... makes deviations active for every request. With --deviate-by-header a request asks for them with
 * `OIP-Deviate: NAME,...` (metadata `oip-deviate`); a refusal then also names its requirement in `OIP-Refused-By`. A
 * name that does not exist is refused. A request with `OIP-Deviate: ?NAME` is answered as usual; a header of the same
 * name in the answer says `known` or `unknown`. */
#pragma once

#include "base/status.h"
#include "grpc/rpc.h"
#include "http/http.h"

/* Reads the built-in list; called once, before the servers start. `arena` must live as long as the program. Fails with
 * INTERNAL if the list is malformed. */
struct status deviations_load(struct arena *arena);

/* Adds those of a file in the same form, which may then be switched on like all others. Fails if it cannot be read or
 * is malformed. */
struct status deviations_load_file(const char *path, struct arena *arena);

/* Switches the deviations of a comma-separated list on for every request. Fails with NOT_FOUND, which names the one
 * that does not exist. */
struct status deviations_enable(const char *names, struct arena *arena);
void deviations_enable_by_header(void);

/* Lets `on: {"unready": true}` be met while `ready(context)` says false. Called before the servers start. */
void deviations_ask_ready(bool (*ready)(void *context), void *context);

/* Writes one line for each deviation: name, key and way, separated by tabs. */
void deviations_list(struct buf *out);

/* Says whether a deviation is on, or can be asked for by a header. The hooks of the transports are needed only then. */
bool deviations_are_possible(void);
void deviations_http_begin(struct http_request *request);
void deviations_http_finish(struct http_request *request);

/* Puts into the options what the gRPC server needs so that deviations can act on it: functions, and what it shall do
 * with HTTP/2 frames and malformed requests. */
void deviations_of_rpc(struct rpc_options *options);
void deviations_rpc_finish(struct rpc_call *call); /* one of the functions */
