/* A server that the judge starts itself, for deviations that hold for a whole process. */
#ifndef JUDGE_PROCESS_H
#define JUDGE_PROCESS_H

#include "base/arena.h"
#include "base/status.h"

#include <sys/types.h>

struct process {
    pid_t pid;
    struct str http; /* "http://127.0.0.1:40123"; empty: not offered */
    struct str grpc; /* "127.0.0.1:40124" */
};

/* Runs `command` by the shell with " --deviate NAME" behind it, and waits for its line "listening http=A:P grpc=A:P",
 * at most `seconds`. UNAVAILABLE says what came of it. */
struct status process_start(const char *command, struct str deviation, double seconds, struct arena *arena,
                            struct process *process);

/* SIGTERM, and SIGKILL if it does not end. */
void process_stop(struct process *process);

#endif
