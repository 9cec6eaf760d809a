/* Deviations: named, switchable departures from the documents, so that a suite can be tested and a client provoked.
 *
 * fixtures/deviations/PROFILE.json are built into the program. Each breaks one requirement, by
 *   skip   the duty of that key is switched off (inference/switches.h)
 *   alter  the encoded answer is decoded into a tree {status, headers, json | body} or {code, details, message},
 * changed by the verbs of tree/change.h, and encoded again; `hang` and `close` are done to the connection code   a
 * function of this folder, named like the deviation Active for every request (--deviate NAME,...), or for one that asks
 * (--deviate-by-header: `OIP-Deviate: NAME`, metadata `oip-deviate`); then a refusal also names its requirement in
 * `OIP-Refused-By`. */
#ifndef DEVIATIONS_DEVIATIONS_H
#define DEVIATIONS_DEVIATIONS_H

#include "base/status.h"
#include "grpc/rpc.h"
#include "http/http.h"

/* Reads the built-in list; INTERNAL if it is malformed. Once, before the servers start. */
struct status deviations_load(struct arena *arena);

/* Switches deviations on for every request; NOT_FOUND names the one that does not exist. `names` is comma-separated. */
struct status deviations_enable(const char *names, struct arena *arena);
void deviations_enable_by_header(void);

/* Whether a process-wide deviation of that name is on (start-up, drain). */
bool deviation_is_on(const char *name);

/* One line each: name, key, what it does. */
void deviations_list(struct buf *out);

/* The hooks of the transports. */
void deviations_http_begin(struct http_request *request);
void deviations_http_finish(struct http_request *request);
void deviations_rpc_begin(struct rpc_call *call);
void deviations_rpc_finish(struct rpc_call *call);

#endif
