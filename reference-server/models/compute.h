/* The compute threads. They run models whose kernels need much stack and time (model.h, on_compute_thread), and models
 * whose requests are joined (batcher.h): the thread on which a request came has a small stack, and others to serve.
 * Each compute thread has a large stack and an OpenMP team of its own. */
#pragma once

#include "base/arena.h"
#include "base/status.h"
#include "models/turn.h"

struct compute_job {
    struct turn turn;                     /* must be the first member */
    void (*run)(struct compute_job *job); /* the job may be freed when it returns */
    struct line *line;                    /* in which it stands; NULL: in none */
};

/* compute_start starts the compute threads; 0 means one for each core, but at most 4. compute_stop ends them when their
 * queue is empty; it hurries them. */
struct status compute_start(size_t threads, struct arena *arena);
void compute_stop(void);

/* Queues the job. It runs on a compute thread when its turn comes, even if its deadline has passed by then. If there
 * are no compute threads, it runs at once on this thread. */
void compute_submit(struct compute_job *job);

/* Queues a job that is not queued yet, to join the line with that priority at that time (by clock_now). Returns false,
 * and does not queue it, if there are no compute threads. */
bool compute_submit_at(struct compute_job *job, uint64_t priority, int64_t time);

/* Changes the priority and the time of a queued job. Does nothing if a thread has taken it already. */
void compute_reschedule(struct compute_job *job, uint64_t priority, int64_t time);

/* Takes a job out of the queue. Returns false if a thread has taken it already: it runs, or will run at once. */
bool compute_withdraw(struct compute_job *job);

/* Whether the calling job is the only one that runs, and no other is in the line. */
bool compute_is_alone(void);

/* From now on jobs join the line at once, whatever their times. */
void compute_hurry(void);

/* Whether jobs wait for their times: compute threads run, and compute_hurry was not called. */
bool compute_delays_jobs(void);
