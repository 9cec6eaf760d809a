/* The threads of a run: each has a client of its own for each server, and memory that it gives back as it goes. */
#ifndef JUDGE_WORKER_H
#define JUDGE_WORKER_H

#include "judge/server.h"

struct worker {
    void *context; /* what the workers share */
    const struct servers *servers;
    struct client **clients; /* one for each server, in their order */
    struct arena clients_arena;
    struct arena arena; /* of what is played now */
    void (*work)(struct worker *worker);
    pthread_t thread;
};

/* Runs `work` on `count` threads until all of them return; as many as can be started are enough. Fails if a client
 * cannot be made or no thread started; what is said then lies in the arena. */
struct status workers_run(const struct servers *servers, size_t count, void (*work)(struct worker *worker),
                          void *context, struct arena *arena);

/* A worker without a thread. To be closed even after a failure, of which the message lies in the arena. */
struct status worker_open(struct worker *worker, const struct servers *servers, void *context, struct arena *arena);
void worker_close(struct worker *worker);

/* Its client of that server. */
struct client *worker_client(const struct worker *worker, const struct server *server);

/* Gives back what `arena` holds. */
void worker_forget(struct worker *worker);

#endif
