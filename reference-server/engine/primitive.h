/* oneDNN primitives. A primitive is made once for each shape, kept, and shared by all threads. Each run has
 * scratch memory of its own: scratch memory that oneDNN allocates belongs to the thread that made the primitive, so
 * other threads could not use it. */
#pragma once

#include "engine/pack.h"
#include <pthread.h>

#define PRIMITIVE_KEY_MAX  (2 * (size_t)DNNL_MAX_NDIMS)
#define PRIMITIVE_KEPT_MAX ((size_t)16)

/* The bytes between two parts of a source or a result: whoever goes from part to part would find them all in few lines
 * of the cache, as the size of a part is mostly near a power of two. */
#define PART_GAP ((size_t)64)

struct primitive {
    dnnl_primitive_t primitive;
    layout *memories[PRIMITIVE_MEMORIES]; /* the memories that it runs with; NULL: not used */
    layout *scratch;                      /* NULL: none is needed */
    struct pack *weights;                 /* in the layout of the primitive; NULL if they are given at each run */

    int64_t key[PRIMITIVE_KEY_MAX];
    size_t key_size;
    int threads; /* for which it was made */
    size_t users;
    struct primitive *next; /* an older one */
};

/* Those of a node by one set of weights. */
struct primitives {
    struct primitives *next; /* of the same node */
    pthread_mutex_t mutex;
    struct primitive *newest;
    size_t count;
};

/* Makes a primitive for a key: sets `primitive`, `memories`, and `weights` if they are constant. */
typedef dnnl_status_t primitive_make(const struct node *node, const void *context, struct primitive *primitive);

/* Adds primitives, of which there are none yet, to those of a node; node_unload frees them all. */
void primitives_init(struct primitives *primitives, struct node *node);
void primitives_free(struct primitives *primitives); /* these, and what is linked to them; NULL is allowed */

/* What shall be run: the primitive for a key, usually a shape. */
struct computation {
    const int64_t *key;
    size_t key_size;
    primitive_make *make; /* makes the primitive, of the node and the context, if it is new */
    const struct node *node;
    const void *context;
    int64_t
        work; /* about how many numbers are multiplied: if that is much, and the run may, a team of threads does it */
};

/* Runs a primitive on these bytes, which are ordered as its memories. NULL stands for a memory that is not used or
 * whose weights are packed. */
struct status primitives_run(struct primitives *primitives, const struct computation *computation,
                             const struct run *run, void *const data[PRIMITIVE_MEMORIES]);

/* Returns how many threads an operation of so much work has: a team, or one. What oneDNN makes and runs on this thread
 * has as many from now on. */
int run_threads(const struct run *run, int64_t work);

/* Makes the layout of an FP32 memory in row-major order. */
dnnl_status_t primitive_plain(layout **memory, const int64_t *shape, size_t rank);

/* Makes that of an FP32 memory of shape [N, C, ...] in a form. */
dnnl_status_t primitive_laid_out(layout **memory, const int64_t *shape, size_t rank, enum form form);

/* Says in an operation what a plan lets follow it: the activation of the node. */
void primitive_follow(const struct node *node, struct operation *operation);

/* Frees what the primitive has; it is empty then. */
void primitive_clear(struct primitive *primitive);

/* Makes primitive->primitive for an operation, with the layouts that oneDNN chose for the memories. */
dnnl_status_t primitive_create(struct primitive *primitive, const struct operation *operation);
