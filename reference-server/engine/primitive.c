#include "engine/primitive.h"

#include "engine/pages.h"
#include <stdlib.h>

#define SCRATCH_ALIGNMENT ((size_t)4096)

static dnnl_engine_t engine;
static pthread_once_t engine_once = PTHREAD_ONCE_INIT;

static void make_engine(void)
{
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success)
        engine = NULL;
}

/* Returns the CPU engine, or NULL if oneDNN has none. */
static dnnl_engine_t primitive_engine(void)
{
    pthread_once(&engine_once, make_engine);
    return engine;
}

struct status primitive_error(const struct node *node, struct arena *arena, dnnl_status_t fault, const char *what)
{
    if (fault == dnnl_out_of_memory)
        return status_no_memory();
    return node_error(node, arena, fault == dnnl_unimplemented ? STATUS_UNIMPLEMENTED : STATUS_INTERNAL,
                      "oneDNN cannot %s (its status %d)", what, (int)fault);
}

/* --- Making --- */

dnnl_status_t primitive_plain(layout **memory, const int64_t *shape, size_t rank)
{
    dnnl_dims_t strides;
    int64_t stride = 1;
    if (rank == 0 || rank > DNNL_MAX_NDIMS)
        return dnnl_unimplemented;
    for (size_t i = rank; i-- > 0;) {
        strides[i] = stride;
        stride *= shape[i];
    }
    return layout_make(memory, rank, shape, strides);
}

dnnl_status_t primitive_laid_out(layout **memory, const int64_t *shape, size_t rank, bool channels_last)
{
    dnnl_dims_t strides;
    int64_t stride = shape[1];
    if (!channels_last)
        return primitive_plain(memory, shape, rank);
    if (rank < 2 || rank > DNNL_MAX_NDIMS)
        return dnnl_unimplemented;
    strides[1] = 1;
    for (size_t i = rank; i-- > 0;) {
        if (i == 1)
            continue;
        strides[i] = stride;
        stride *= shape[i];
    }
    return layout_make(memory, rank, shape, strides);
}

void primitive_follow(const struct node *node, struct operation *operation)
{
    static const dnnl_alg_kind_t kinds[] = {[ACTIVATION_NONE] = dnnl_alg_kind_undef,
                                            [ACTIVATION_RELU] = dnnl_eltwise_relu,
                                            [ACTIVATION_CLIP] = dnnl_eltwise_clip,
                                            [ACTIVATION_GELU] = dnnl_eltwise_gelu_erf};
    operation->after = kinds[node->after.kind];
    operation->alpha = node->after.alpha;
    operation->beta = node->after.beta;
}

dnnl_status_t primitive_create(struct primitive *primitive, const struct operation *operation)
{
    return operation_choose(operation, primitive_engine(), primitive->memories, &primitive->scratch,
                            &primitive->primitive);
}

/* Runs a primitive on memories that have been made. */
static dnnl_status_t execute(dnnl_primitive_t primitive, int count, const dnnl_exec_arg_t *arguments)
{
    dnnl_stream_t stream;
    dnnl_status_t fault = dnnl_stream_create(&stream, primitive_engine(), dnnl_stream_default_flags);
    if (fault != dnnl_success)
        return fault;
    fault = dnnl_primitive_execute(primitive, stream, count, arguments);
    dnnl_status_t waited = dnnl_stream_wait(stream);
    dnnl_stream_destroy(stream);
    return fault != dnnl_success ? fault : waited;
}

static dnnl_status_t reorder(dnnl_memory_t from, const layout *from_layout, dnnl_memory_t to, const layout *to_layout)
{
    dnnl_primitive_desc_t chosen;
    dnnl_primitive_t primitive;
    dnnl_status_t fault = dnnl_reorder_primitive_desc_create(&chosen, from_layout, primitive_engine(), to_layout,
                                                             primitive_engine(), NULL);
    if (fault != dnnl_success)
        return fault;
    fault = dnnl_primitive_create(&primitive, chosen);
    dnnl_primitive_desc_destroy(chosen);
    if (fault != dnnl_success)
        return fault;
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    fault = execute(primitive, 2, arguments);
    dnnl_primitive_destroy(primitive);
    return fault;
}

/* --- Weights --- */

/* Weights in one layout. Those that only one node reads are kept once: the first pack of them in another layout than
 * theirs takes their place, and stays as long as the network. */
struct pack {
    struct packs *packs;
    struct pack *next;
    const void *data; /* which weights they are; the bytes may have been given back */
    layout *layout;
    dnnl_memory_t memory;
    bool is_in_place; /* its memory is `data` */
    bool is_source;   /* the bytes of `data` were given back, and other packs are made from this one */
    size_t users;
};

struct packs {
    pthread_mutex_t mutex;
    struct pack *first;
};

struct packs *packs_new(void)
{
    struct packs *packs = calloc(1, sizeof(*packs));
    if (packs)
        pthread_mutex_init(&packs->mutex, NULL);
    return packs;
}

static void pack_free(struct pack *pack)
{
    if (pack->memory)
        dnnl_memory_destroy(pack->memory);
    layout_free(pack->layout);
    free(pack);
}

void packs_free(struct packs *packs)
{
    if (!packs)
        return;
    while (packs->first) {
        struct pack *source = packs->first;
        packs->first = source->next;
        pack_free(source);
    }
    pthread_mutex_destroy(&packs->mutex);
    free(packs);
}

static dnnl_status_t pack_new(const layout *liked, const layout *plain, void *data, const struct pack *source,
                              struct pack **made)
{
    dnnl_memory_t from = NULL;
    struct pack *pack = calloc(1, sizeof(*pack));
    dnnl_status_t fault = pack ? layout_copy(&pack->layout, liked) : dnnl_out_of_memory;
    if (fault == dnnl_success && !source)
        fault = dnnl_memory_create(&from, plain, primitive_engine(), data);
    if (fault == dnnl_success && !source && dnnl_memory_desc_equal(plain, liked)) {
        pack->is_in_place = true;
        pack->memory = from;
        from = NULL;
    } else if (fault == dnnl_success) {
        fault = dnnl_memory_create(&pack->memory, liked, primitive_engine(), DNNL_MEMORY_ALLOCATE);
        if (fault == dnnl_success)
            fault = reorder(source ? source->memory : from, source ? source->layout : plain, pack->memory, liked);
    }
    if (from)
        dnnl_memory_destroy(from);
    if (fault == dnnl_success) {
        pack->data = data;
        *made = pack;
    } else if (pack) {
        pack_free(pack);
    }
    return fault;
}

/* Gives back the bytes of weights that now lie in a pack. */
static void become_source(struct pack *pack, void *data, size_t size)
{
    pages_give_back(data, size);
    pack->is_source = true;
    pack->users++; /* so it stays */
}

dnnl_status_t primitive_pack(struct primitive *primitive, const layout *plain, struct weights weights,
                             struct packs *packs)
{
    const layout *liked = primitive->memories[MEMORY_WEIGHTS];
    dnnl_status_t fault = dnnl_success;
    struct pack *pack = NULL, *source = NULL;
    bool is_first = true;
    pthread_mutex_lock(&packs->mutex);
    for (struct pack *other = packs->first; other; other = other->next)
        if (other->data == weights.data) {
            is_first = false;
            pack = dnnl_memory_desc_equal(other->layout, liked) ? other : pack;
            source = other->is_source ? other : source;
        }
    if (!pack) {
        fault = pack_new(liked, plain, weights.data, source, &pack);
        if (fault == dnnl_success) {
            pack->packs = packs;
            pack->next = packs->first;
            packs->first = pack;
            if (weights.are_own && is_first && !pack->is_in_place)
                become_source(pack, weights.data, dnnl_memory_desc_get_size(plain));
        }
    }
    if (fault == dnnl_success) {
        pack->users++;
        primitive->weights = pack;
    }
    pthread_mutex_unlock(&packs->mutex);
    return fault;
}

static void give_back_pack(struct pack *pack)
{
    struct packs *packs = pack->packs;
    pthread_mutex_lock(&packs->mutex);
    bool is_last = --pack->users == 0;
    struct pack **at = &packs->first;
    while (is_last && *at != pack)
        at = &(*at)->next;
    if (is_last)
        *at = pack->next;
    pthread_mutex_unlock(&packs->mutex);
    if (is_last)
        pack_free(pack);
}

/* --- Keeping --- */

void primitives_init(struct primitives *primitives)
{
    *primitives = (struct primitives){0};
    pthread_mutex_init(&primitives->mutex, NULL);
}

void primitive_clear(struct primitive *primitive)
{
    if (primitive->weights)
        give_back_pack(primitive->weights);
    if (primitive->primitive)
        dnnl_primitive_destroy(primitive->primitive);
    for (size_t i = 0; i < PRIMITIVE_MEMORIES; i++)
        layout_free(primitive->memories[i]);
    layout_free(primitive->scratch);
    *primitive = (struct primitive){0};
}

static void destroy(struct primitive *primitive)
{
    primitive_clear(primitive);
    free(primitive);
}

void primitives_free(struct primitives *primitives)
{
    struct primitive *older;
    for (struct primitive *primitive = primitives->newest; primitive; primitive = older) {
        older = primitive->older;
        destroy(primitive);
    }
    pthread_mutex_destroy(&primitives->mutex);
}

static struct primitive *find(const struct primitives *primitives, const int64_t *key, size_t key_size)
{
    struct primitive *found = primitives->newest;
    while (found && (found->key_size != key_size || memcmp(found->key, key, key_size * sizeof(*key)) != 0))
        found = found->older;
    return found;
}

/* Drops the oldest primitive that nobody runs. */
static void drop_one(struct primitives *primitives)
{
    struct primitive **dropped = NULL;
    for (struct primitive **at = &primitives->newest; *at; at = &(*at)->older)
        if ((*at)->users == 0)
            dropped = at;
    if (!dropped)
        return;
    struct primitive *primitive = *dropped;
    *dropped = primitive->older;
    primitives->count--;
    destroy(primitive);
}

static struct status add(struct primitives *primitives, const int64_t *key, size_t key_size, primitive_make *make,
                         const struct node *node, const void *context, struct arena *arena, struct primitive **added)
{
    struct primitive *primitive = primitive_engine() ? calloc(1, sizeof(*primitive)) : NULL;
    if (!primitive)
        return status_no_memory();
    struct status status = make(node, context, primitive, arena);
    if (!is_ok(status)) {
        destroy(primitive);
        return status;
    }
    memcpy(primitive->key, key, key_size * sizeof(*key));
    primitive->key_size = key_size;
    if (primitives->count >= PRIMITIVE_KEPT_MAX)
        drop_one(primitives);
    primitive->older = primitives->newest;
    primitives->newest = primitive;
    primitives->count++;
    *added = primitive;
    return STATUS_IS_OK;
}

struct status primitives_take(struct primitives *primitives, const int64_t *key, size_t key_size, primitive_make *make,
                              const struct node *node, const void *context, struct arena *arena,
                              struct primitive **primitive)
{
    struct status status = STATUS_IS_OK;
    pthread_mutex_lock(&primitives->mutex);
    *primitive = find(primitives, key, key_size);
    if (!*primitive)
        status = add(primitives, key, key_size, make, node, context, arena, primitive);
    if (is_ok(status) && *primitive)
        (*primitive)->users++;
    pthread_mutex_unlock(&primitives->mutex);
    return status;
}

void primitives_give_back(struct primitives *primitives, struct primitive *primitive)
{
    pthread_mutex_lock(&primitives->mutex);
    primitive->users--;
    pthread_mutex_unlock(&primitives->mutex);
}

/* --- Running --- */

/* Gives scratch memory of that size, or NULL. */
static void *scratch_of(const struct run *run, size_t size)
{
    struct scratch *scratch = run->scratch;
    if (!scratch)
        return arena_alloc(run->arena, size);
    if (scratch->size < size && size <= run->arena->left) {
        free(scratch->data);
        size = (size + SCRATCH_ALIGNMENT - 1) / SCRATCH_ALIGNMENT * SCRATCH_ALIGNMENT;
        scratch->data = aligned_alloc(SCRATCH_ALIGNMENT, size);
        scratch->size = scratch->data ? size : 0;
    }
    return scratch->size >= size ? scratch->data : NULL;
}

struct status primitive_run(const struct primitive *primitive, void *const data[PRIMITIVE_MEMORIES],
                            const struct node *node, const struct run *run)
{
    static const int names[PRIMITIVE_MEMORIES] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};
    dnnl_exec_arg_t arguments[PRIMITIVE_MEMORIES + 1];
    dnnl_memory_t made[PRIMITIVE_MEMORIES + 1];
    int count = 0;
    size_t made_count = 0;
    dnnl_status_t fault = dnnl_success;
    for (int i = 0; i < PRIMITIVE_MEMORIES && fault == dnnl_success; i++) {
        if (i == MEMORY_WEIGHTS && primitive->weights) {
            arguments[count++] = (dnnl_exec_arg_t){names[i], primitive->weights->memory};
        } else if (primitive->memories[i]) {
            fault = dnnl_memory_create(&made[made_count], primitive->memories[i], primitive_engine(), data[i]);
            if (fault == dnnl_success)
                arguments[count++] = (dnnl_exec_arg_t){names[i], made[made_count++]};
        }
    }
    if (fault == dnnl_success && primitive->scratch) {
        void *scratch = scratch_of(run, dnnl_memory_desc_get_size(primitive->scratch));
        fault = scratch ? dnnl_memory_create(&made[made_count], primitive->scratch, primitive_engine(), scratch)
                        : dnnl_out_of_memory;
        if (fault == dnnl_success)
            arguments[count++] = (dnnl_exec_arg_t){DNNL_ARG_SCRATCHPAD, made[made_count++]};
    }
    if (fault == dnnl_success)
        fault = execute(primitive->primitive, count, arguments);
    while (made_count)
        dnnl_memory_destroy(made[--made_count]);
    return fault == dnnl_success ? STATUS_IS_OK : primitive_error(node, run->arena, fault, "run it");
}
