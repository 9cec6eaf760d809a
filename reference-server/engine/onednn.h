/* What oneDNN 2 and oneDNN 3 do differently. Debian 12 has version 2, later systems have version 3, which keeps
 * descriptions of memories to itself, makes primitive descriptors in one step, and has no scales of results. Everything
 * else that the engine uses is the same in both.
 *
 * dnnl_success is 0, so `a() ?: b()` is what becomes of a step and the next one, which is only taken after success. */
#pragma once

#include <oneapi/dnnl/dnnl.h>
#include <stdbool.h>

/* How the numbers of a memory lie. Functions of oneDNN take `layout *` as it is. */
#if DNNL_VERSION_MAJOR < 3
typedef dnnl_memory_desc_t layout;
#else
typedef struct dnnl_memory_desc layout;
#endif

/* Returns the CPU engine, or NULL if oneDNN has none. */
dnnl_engine_t onednn_engine(void);

/* Whether convolutions are faster with channels in blocks of eight than with channels last. This is so on processors
 * with AVX2 and without AVX-512. */
bool onednn_prefers_blocks(void);

/* Makes the primitives that this thread makes and runs from now on use one thread, or all threads of OpenMP
 * (OMP_NUM_THREADS, or one for each processor). Returns how many. */
int onednn_use_threads(bool all);

/* Runs a primitive on memories that have been made. After each run but the last, each memory is moved by its step, in
 * bytes, and the primitive runs again. Without steps it runs once. */
dnnl_status_t onednn_execute(dnnl_primitive_t primitive, int count, const dnnl_exec_arg_t *arguments, size_t runs,
                             const size_t *steps);

/* The memories of an operation. */
enum { MEMORY_SOURCE, MEMORY_WEIGHTS, MEMORY_BIAS, MEMORY_RESULT, PRIMITIVE_MEMORIES };

/* How the FP32 numbers of a memory lie. */
struct numbers {
    size_t rank;    /* 0: there is no such memory */
    bool in_blocks; /* the channels of [N, C, ...] are in blocks of eight; the strides are not used */
    dnnl_dims_t shape, strides;
};
bool numbers_equal(const struct numbers *a, const struct numbers *b);

struct operation {
    enum { OPERATION_MATMUL, OPERATION_CONVOLUTION, OPERATION_SOFTMAX } kind;
    struct numbers memories[PRIMITIVE_MEMORIES];
    dnnl_alg_kind_t algorithm;                      /* of a softmax */
    const int64_t *strides, *dilates, *begin, *end; /* of a convolution */
    int axis;                                       /* of a softmax */
    float scale;                                    /* of the product of a matmul */
    bool adds;             /* the result of a matmul or a convolution is added to what its memory holds */
    dnnl_alg_kind_t after; /* what is done to its result then, an eltwise with alpha and beta; or dnnl_alg_kind_undef */
    float alpha, beta;
};

/* Makes the layout of a memory, which layout_free gives back. `any`: oneDNN chooses how it lies. */
dnnl_status_t layout_make(layout **made, const struct numbers *numbers, bool any);
dnnl_status_t layout_copy(layout **copy, const layout *from);
void layout_free(layout *owned); /* may be NULL */

/* Makes the layout of the part of a memory that has this shape and begins there. Fails if that would cut a block. */
dnnl_status_t layout_part(layout **part, const layout *of, const dnnl_dims_t shape, const dnnl_dims_t begin);

/* Whether the numbers lie in blocks, as in weights that oneDNN packs. */
bool layout_is_blocked(const layout *of);

/* Chooses how to run an operation on memories that have these layouts; NULL means a memory that it does not have. Each
 * layout is replaced by the one that oneDNN chose; `scratch` becomes the layout of the scratch memory, which each run
 * must give, or NULL. The caller frees all layouts, after a failure too. */
dnnl_status_t operation_choose(const struct operation *operation, layout *layouts[PRIMITIVE_MEMORIES], layout **scratch,
                               dnnl_primitive_t *primitive);
