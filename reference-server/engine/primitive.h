/* oneDNN primitives: made once for each shape that comes, kept, and shared by all threads. The scratch memory that one
 * needs comes from the arena of each run, because what oneDNN would keep belongs to the thread that made the primitive:
 * on another it is missing. */
#ifndef ENGINE_PRIMITIVE_H
#define ENGINE_PRIMITIVE_H

#include "engine/operator.h"
#include <oneapi/dnnl/dnnl.h>
#include <pthread.h>

#define PRIMITIVE_KEY_MAX  (2 * (size_t)DNNL_MAX_NDIMS)
#define PRIMITIVE_KEPT_MAX ((size_t)16)
#define PRIMITIVE_MEMORIES 4 /* that an operator has to do with */

enum primitive_memory { MEMORY_SOURCE, MEMORY_WEIGHTS, MEMORY_BIAS, MEMORY_RESULT };

struct primitive {
    dnnl_primitive_t primitive;
    dnnl_memory_desc_t memories[PRIMITIVE_MEMORIES]; /* of what it is run with; ndims 0: not used */
    dnnl_memory_desc_t scratch;                      /* ndims 0: it needs none */
    dnnl_memory_t weights;                           /* packed as the primitive likes them; NULL: given at each run */

    int64_t key[PRIMITIVE_KEY_MAX];
    size_t key_size;
    size_t users;
    struct primitive *older;
};

struct primitives {
    pthread_mutex_t mutex;
    struct primitive *newest;
    size_t count;
};

/* Makes a primitive for a key: sets primitive, memories and maybe weights. */
typedef struct status primitive_make(const struct node *node, const void *context, struct primitive *primitive,
                                     struct arena *arena);

void primitives_init(struct primitives *primitives);
void primitives_free(struct primitives *primitives);

/* The primitive for the key (some shape), made by `make` if it is new. Held until primitives_give_back. */
struct status primitives_take(struct primitives *primitives, const int64_t *key, size_t key_size, primitive_make *make,
                              const struct node *node, const void *context, struct arena *arena,
                              struct primitive **primitive);
void primitives_give_back(struct primitives *primitives, struct primitive *primitive);

/* Runs it on these bytes, by primitive_memory; NULL for memories that it does not use or has packed. */
struct status primitive_run(const struct primitive *primitive, void *const data[PRIMITIVE_MEMORIES],
                            const struct node *node, struct arena *arena);

/* A failed status for what oneDNN answered. */
struct status primitive_error(const struct node *node, struct arena *arena, dnnl_status_t fault, const char *what);

/* A memory of FP32 in row-major order. */
dnnl_status_t primitive_plain(dnnl_memory_desc_t *memory, const int64_t *shape, size_t rank);

/* Copies constant FP32 weights of the layout `plain` into the layout that the primitive likes. */
dnnl_status_t primitive_pack(struct primitive *primitive, const dnnl_memory_desc_t *plain, void *data);

/* Makes primitive->primitive from an operation descriptor, and reads back the layouts it chose for the memories given.
 */
dnnl_status_t primitive_create(struct primitive *primitive, const void *operation,
                               const_dnnl_primitive_attr_t attributes);

#endif
