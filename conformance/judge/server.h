/* The servers of a run: the target, and one for each state that was given (--state). */
#ifndef JUDGE_SERVER_H
#define JUDGE_SERVER_H

#include "judge/run.h"

enum transport { REST, GRPC, TRANSPORTS };

static inline enum transport transport_of(enum encoding encoding)
{
    return encoding_is_rest(encoding) ? REST : GRPC;
}

struct server {
    struct str state; /* empty: the target */
    struct client_options client;
    bool offers[TRANSPORTS];
    struct str gone[TRANSPORTS];  /* why nothing more is sent there; or empty */
    size_t silent[TRANSPORTS];    /* exchanges in a row without an answer */
    struct str since[TRANSPORTS]; /* the play whose exchange was the first of them */
};

/* The target first. In the arena. */
struct server *servers_make(const struct run_options *options, struct arena *arena, size_t *count);

/* NULL: that state was not given. The empty state is the target. */
struct server *server_find(struct server *servers, size_t count, struct str state);

/* A client for each server; what of them exists is to be closed even after a failure. The status' message lies in the
 * arena. */
struct status servers_open(const struct server *servers, size_t count, struct arena *arena, struct client **clients);
void servers_close(struct client **clients, size_t count);

#endif
