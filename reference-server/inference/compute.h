/* The compute threads: where models run whose kernels need much stack and time (model.h, on_compute_thread). The thread
 * that a request came in on has a small stack and others to serve; these have a real stack and an OpenMP team each, and
 * there are only as many as there are cores. */
#ifndef INFERENCE_COMPUTE_H
#define INFERENCE_COMPUTE_H

#include "base/status.h"

struct compute_job {
    void (*run)(struct compute_job *job); /* the job may be gone when it returns */
    struct compute_job *next;             /* the queue's */
};

/* Queues the job; it runs soon, on another thread. Without compute threads it runs at once, on this one. */
void compute_submit(struct compute_job *job);

#endif
