/* Internals of v1: the context of all requests, what became of one, and what the endpoints do over both transports. */
#pragma once

#include "text/text.h"
#include "trtis_v1/trtis_v1.h"
#include "wire/structs.h"
#include <stdatomic.h>
#include <v1.pb-c.h>

/* How many requests an endpoint has had over both transports, and how long they took. */
struct v1_count {
    _Atomic uint64_t requests, ns;
};

/* The context of all requests. */
struct trtis_v1 {
    struct repository *repository;
    const char *version;                    /* of the server */
    bool is_strict;                         /* --strict-readiness */
    uint64_t started;                       /* by clock_now */
    const struct text_type *request_header; /* InferRequestHeader */
    _Atomic uint64_t requests;              /* the request_id that was given last */
    struct v1_count status, profile, health;
};

#define V1_SERVER_ID "inference:0"

/* What became of a request: the members of a RequestStatus. */
struct v1_outcome {
    V1__RequestStatusCode code;
    struct str message;  /* empty if it succeeded */
    uint64_t request_id; /* 0: it was refused before it was counted */
    const char *broken;  /* as in struct status */
};

/* --- The server (v1.c) --- */

/* Returns the outcome of a request that succeeds, with an id of its own: 1 more than that of the one before. */
struct v1_outcome v1_counted(struct trtis_v1 *v1);

/* Returns the outcome of a request that comes while the server ends. */
struct v1_outcome v1_exiting(void);

/* Adds a request that began at that time to a count. */
void v1_count(struct v1_count *count, uint64_t began);

/* Returns the outcome as a message, which points into it. */
V1__RequestStatus v1_request_status(const struct v1_outcome *outcome);

/* Returns a message as text, in the arena; null data without memory. */
struct str v1_text(const ProtobufCMessage *message, enum text_form form, struct arena *arena);

/* Returns a name as it is, or in a printable form if it is not UTF-8. */
struct str v1_shown(struct arena *arena, struct str name);

/* --- Endpoints --- */

/* "Health": `mode` is "live" or "ready". With --strict-readiness=false the server is ready also when models are not. */
struct v1_outcome v1_health(struct trtis_v1 *v1, struct str mode, struct arena *arena, bool *is_healthy);

/* "Status": of one model, or of all if `name` is empty (status.c). If the model is not known, the status has no models.
 */
struct v1_outcome v1_status(struct trtis_v1 *v1, struct str name, struct arena *arena, V1__ServerStatus *status);

/* Profiling, which 002 does not mention. The original server has it, and refuses it unless it is told otherwise. */
struct v1_outcome v1_profile(struct trtis_v1 *v1);
