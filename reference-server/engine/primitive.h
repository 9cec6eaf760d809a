/* oneDNN primitives. A primitive is made once for each shape, kept, and shared by all threads. Each run has
 * scratch memory of its own: scratch memory that oneDNN allocates belongs to the thread that made the primitive, so
 * other threads could not use it. */
#pragma once

#include "engine/pack.h"
#include <pthread.h>

/* The bytes between two parts of a source or a result. Without this gap, the parts would share few lines of the cache,
 * because the size of a part is mostly near a power of two. */
#define PART_GAP ((size_t)64)

/* The primitives of a node for one set of weights. */
struct primitives {
    struct primitives *next; /* of the same node */
    struct packs *packs;
    struct weights weights; /* none if they are given at each run; else they are packed */
    pthread_mutex_t mutex;
    struct primitive *newest;
    size_t count;
};

/* Adds primitives, of which there are none yet, to those of a node; node_unload frees them all. */
void primitives_init(struct primitives *primitives, struct node *node, struct packs *packs, struct weights weights);
void primitives_free(struct primitives *primitives); /* these, and what is linked to them; NULL is allowed */

/* Runs the primitive for an operation on these bytes, which are ordered as its memories. The primitive is made if no
 * operation with such memories was run before. The activation of the node follows a product. NULL means a memory that
 * the operation does not have, or weights that are packed. `work` is about how many numbers are multiplied: if that is
 * much, and the run allows it, a team of threads does it. */
struct status primitives_run(struct primitives *primitives, const struct node *node, const struct run *run,
                             const struct operation *operation, int64_t work, void *const data[PRIMITIVE_MEMORIES]);

/* Returns how many threads an operation of so much work uses: a team, or one. From now on, everything that oneDNN makes
 * and runs on this thread uses as many. */
int run_threads(const struct run *run, int64_t work);

/* Describes numbers in row-major order, and those of [N, C, ...] in a form. */
struct numbers numbers_plain(const int64_t *shape, size_t rank);
struct numbers numbers_in_form(const int64_t *shape, size_t rank, enum form form);
