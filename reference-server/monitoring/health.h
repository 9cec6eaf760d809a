/* Internals of health: what it is now, and those who are told when it changes (health_watch.c). */
#pragma once

#include "grpc/rpc.h"
#include "wire/message.h"

struct repository;

/* The numbers of ServingStatus. */
enum health { HEALTH_SERVING = 1, HEALTH_NOT_SERVING = 2, HEALTH_SERVICE_UNKNOWN = 3 };

/* Returns the health of the server and of its service. */
enum health health_now(struct repository *repository);

#define HEALTH_MESSAGE_MAX 2

/* Writes a HealthCheckResponse. */
static inline struct str health_message(enum health health, char bytes[HEALTH_MESSAGE_MAX])
{
    bytes[0] = 1 << 3 | WIRE_VARINT;
    bytes[1] = (char)health;
    return (struct str){bytes, HEALTH_MESSAGE_MAX};
}

/* Tells the client of the call how the service is now, and again when that changes, until it leaves or the server ends.
 */
void health_watch(struct rpc_call *call, bool is_known);
extern const struct rpc_stream health_stream;
