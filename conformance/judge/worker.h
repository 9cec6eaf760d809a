/* The threads of a run. Each has its own client for each server, and an arena that it empties as it goes on. */
#pragma once

#include "judge/history.h"
#include "judge/server.h"
#include "support/task.h"

struct worker {
    void *context; /* shared by all workers */
    const struct servers *servers;
    struct client **clients;   /* one for each server, in the same order */
    struct history *histories; /* what was sent over their connections: ENDPOINTS_MAX for each server */
    struct arena clients_arena;
    struct arena arena; /* for the group that is played now */
    void (*work)(struct worker *worker);
    pthread_t thread;
};

/* Runs `work` on up to `count` threads until all of them return. It is enough if one thread can be started: fails if
 * none can, with a message in the arena. `left` says whether threads were left behind, which still use the servers, the
 * context and the arena. */
struct status workers_run(const struct servers *servers, size_t count, void (*work)(struct worker *worker),
                          void *context, struct task_end *end, struct arena *arena, bool *left);

/* Makes a worker without a thread. worker_close frees it. */
void worker_open(struct worker *worker, const struct servers *servers, void *context);
void worker_close(struct worker *worker);

/* The worker's client of that server, and the histories of its connections. */
struct client *worker_client(const struct worker *worker, const struct server *server);
struct history *worker_histories(const struct worker *worker, const struct server *server);

/* Empties the worker's `arena`. */
void worker_forget(struct worker *worker);
