/* The compute threads. Models run on them whose kernels need much stack and time (model.h, on_compute_thread): the
 * thread on which a request came has a small stack, and others to serve. Each compute thread has a large stack and an
 * OpenMP team of its own. */
#ifndef INFERENCE_COMPUTE_H
#define INFERENCE_COMPUTE_H

#include "base/status.h"

struct compute_job {
    void (*run)(struct compute_job *job); /* the job may be freed when it returns */
    struct compute_job *next;             /* used by the queue */
};

/* Queues the job; it runs soon, on another thread. If there are no compute threads, it runs at once on this thread. */
void compute_submit(struct compute_job *job);

#endif
