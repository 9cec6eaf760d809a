/* A server that the judge starts itself, for deviations that hold for a whole process. */
#pragma once

#include "base/arena.h"
#include "base/status.h"
#include "client/client.h"
#include "suite/registry.h"

#include <sys/types.h>

struct process {
    pid_t pid;
    struct address addresses[ENDPOINTS_MAX]; /* of the endpoints that it offers */
};

/* Runs `command` in the shell with " --deviate NAME" after it, and waits at most 30 seconds for its line "listening
 * http=A:P grpc=A:P"; the names are those of the registry's endpoints. UNAVAILABLE says what went wrong; then
 * no process is left. */
struct status process_start(const char *command, struct str deviation, const struct registry *registry,
                            struct arena *arena, struct process *process);

/* Kills the servers that still run, of whatever thread; this program is about to end. */
void processes_kill(void);

/* Ends the server: SIGTERM, and SIGKILL if it does not end in time. */
void process_stop(struct process *process);
