/* The compute threads. Models run on them whose kernels need much stack and time (model.h, on_compute_thread): the
 * thread on which a request came has a small stack, and others to serve. Each compute thread has a large stack and an
 * OpenMP team of its own. */
#ifndef INFERENCE_COMPUTE_H
#define INFERENCE_COMPUTE_H

#include "base/status.h"
#include "models/turn.h"

struct compute_job {
    struct turn turn;                     /* must be the first member */
    void (*run)(struct compute_job *job); /* the job may be freed when it returns */
};

/* Queues the job; it runs when its turn comes, on another thread, also if it is late then. If there are no compute
 * threads, it runs at once on this thread. */
void compute_submit(struct compute_job *job);

#endif
