/* Deviations: named, switchable departures from the documents, so that a suite can be tested and a client provoked.
 *
 * fixtures/deviations/PROFILE.json are built into the program: objects of NAME: {breaks, by, on?, ...}. Each breaks one
 * requirement (`breaks`: its key), by
 *   "skip"     the duty of that key is switched off (inference/switches.h)
 *   {alter}    the encoded answer is decoded into a tree {status, headers, json | body} or {code, details, message},
 * changed by the verbs of tree/change.h, and encoded again (a service whose bodies are not JSON says how). Header names
 * are in lower case, `message` has the .proto's names and is {} beside an error. `as` changes what `copy` copies:
 * "double" (through a double), "reversed" (a list), "lower" (a string), "null", "base64" (a string), {"plus": N}.
 * `hang: true` never answers, `close: true` closes the connection (resets the call). A change that does not fit an
 * answer leaves it as it is.
 *
 *   "code"     a function of code.c, named like the deviation.
 *
 * It changes only requests that its key is about: those judged under the profile in front of the dot, or all requests
 * of a transport, if that is a text about the transport ("http", "grpc"). `on` narrows it further: method, path
 * (segments, * is any one), rpc (the bare name), model.
 *
 * Active for every request (--deviate NAME,...), or for one that asks (--deviate-by-header: `OIP-Deviate: NAME,...`,
 * metadata `oip-deviate`); then a refusal also names its requirement in `OIP-Refused-By`. A name that does not exist is
 * refused. A request with `OIP-Deviate: ?NAME` is answered as always, with `known` or `unknown` in a header of that
 * name. */
#ifndef DEVIATIONS_DEVIATIONS_H
#define DEVIATIONS_DEVIATIONS_H

#include "base/status.h"
#include "grpc/rpc.h"
#include "http/http.h"

/* Reads the built-in list; INTERNAL if it is malformed. Once, before the servers start; `arena` stays. */
struct status deviations_load(struct arena *arena);

/* Switches deviations on for every request; NOT_FOUND names the one that does not exist. `names` is comma-separated. */
struct status deviations_enable(const char *names, struct arena *arena);
void deviations_enable_by_header(void);

/* One line each: name, key, how, separated by tabs. */
void deviations_list(struct buf *out);

/* The hooks of the transports, of use only where deviations are possible: one is on, or can be asked for. */
bool deviations_are_possible(void);
void deviations_http_begin(struct http_request *request);
void deviations_http_finish(struct http_request *request);
void deviations_rpc_begin(struct rpc_call *call);
void deviations_rpc_finish(struct rpc_call *call);

#endif
