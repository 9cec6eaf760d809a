#include "engine/primitive.h"

#include "base/search.h"
#include "engine/move.h"

#include <stdlib.h>

#define SCRATCH_ALIGNMENT ((size_t)4096)

/* So many multiplications take about 0.2 ms on one thread. For less, a team does not pay: its threads sleep between
 * operations, and are slow to wake. */
#define TEAM_WORK ((int64_t)8000000)

static struct status error_of(const struct node *node, struct arena *arena, dnnl_status_t fault, const char *what)
{
    if (fault == dnnl_success)
        return STATUS_IS_OK;
    if (fault == dnnl_out_of_memory)
        return status_no_memory();
    return node_error(node, arena, fault == dnnl_unimplemented ? STATUS_UNIMPLEMENTED : STATUS_INTERNAL,
                      "oneDNN cannot %s (its status %d)", what, (int)fault);
}

/* --- Making --- */

dnnl_status_t primitive_plain(layout **memory, const int64_t *shape, size_t rank)
{
    dnnl_dims_t strides;
    if (rank == 0 || rank > DNNL_MAX_NDIMS)
        return dnnl_unimplemented;
    row_major(shape, rank, strides);
    return layout_make(memory, rank, shape, strides);
}

dnnl_status_t primitive_laid_out(layout **memory, const int64_t *shape, size_t rank, enum form form)
{
    dnnl_dims_t strides;
    int64_t stride = shape[1];
    if (form == FORM_ROW_MAJOR)
        return primitive_plain(memory, shape, rank);
    if (form == FORM_BLOCKED)
        return layout_blocked(memory, rank, shape);
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
    return operation_choose(operation, primitive->memories, &primitive->scratch, &primitive->primitive);
}

/* --- Keeping --- */

void primitives_init(struct primitives *primitives, struct node *node)
{
    *primitives = (struct primitives){.next = node->primitives};
    pthread_mutex_init(&primitives->mutex, NULL);
    node->primitives = primitives;
}

void primitive_clear(struct primitive *primitive)
{
    if (primitive->weights)
        pack_give_back(primitive->weights);
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
    for (; primitives; primitives = primitives->next) {
        struct primitive *older;
        for (struct primitive *primitive = primitives->newest; primitive; primitive = older) {
            older = primitive->next;
            destroy(primitive);
        }
        pthread_mutex_destroy(&primitives->mutex);
    }
}

static struct primitive *find(const struct primitives *primitives, const struct computation *wanted, int threads)
{
    return FIND_IN(primitive, primitives->newest,
                   primitive->threads == threads && primitive->key_size == wanted->key_size &&
                       memcmp(primitive->key, wanted->key, wanted->key_size * sizeof(*wanted->key)) == 0);
}

/* Drops the oldest primitive that nobody runs. */
static void drop_one(struct primitives *primitives)
{
    struct primitive **dropped = NULL;
    for (struct primitive **at = &primitives->newest; *at; at = &(*at)->next)
        if ((*at)->users == 0)
            dropped = at;
    if (!dropped)
        return;
    struct primitive *primitive = *dropped;
    *dropped = primitive->next;
    primitives->count--;
    destroy(primitive);
}

static dnnl_status_t add(struct primitives *primitives, const struct computation *wanted, int threads)
{
    struct primitive *primitive = onednn_engine() ? calloc(1, sizeof(*primitive)) : NULL;
    if (!primitive)
        return dnnl_out_of_memory;
    const dnnl_status_t fault = wanted->make(wanted->node, wanted->context, primitive);
    if (fault != dnnl_success) {
        destroy(primitive);
        return fault;
    }
    memcpy(primitive->key, wanted->key, wanted->key_size * sizeof(*wanted->key));
    primitive->key_size = wanted->key_size;
    primitive->threads = threads;
    if (primitives->count >= PRIMITIVE_KEPT_MAX)
        drop_one(primitives);
    primitive->next = primitives->newest;
    primitives->newest = primitive;
    primitives->count++;
    return fault;
}

static dnnl_status_t take(struct primitives *primitives, const struct computation *wanted, int threads,
                          struct primitive **primitive)
{
    dnnl_status_t fault = dnnl_success;
    pthread_mutex_lock(&primitives->mutex);
    *primitive = find(primitives, wanted, threads);
    if (!*primitive) {
        fault = add(primitives, wanted, threads);
        *primitive = primitives->newest;
    }
    if (fault == dnnl_success)
        (*primitive)->users++;
    pthread_mutex_unlock(&primitives->mutex);
    return fault;
}

static void give_back(struct primitives *primitives, struct primitive *primitive)
{
    pthread_mutex_lock(&primitives->mutex);
    primitive->users--;
    pthread_mutex_unlock(&primitives->mutex);
}

/* --- Running --- */

void *run_scratch(const struct run *run, int user, size_t size)
{
    struct scratch *scratch = run->scratch ? &run->scratch[user] : NULL;
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

/* The memories of a primitive, as it takes them, and what each has for a part. */
struct arguments {
    dnnl_exec_arg_t list[PRIMITIVE_MEMORIES + 1];
    size_t steps[PRIMITIVE_MEMORIES + 1];
    int count;
};

static dnnl_status_t add_argument(struct arguments *arguments, int name, const layout *memory, void *data, size_t step)
{
    dnnl_exec_arg_t *argument = &arguments->list[arguments->count];
    dnnl_status_t fault =
        data ? dnnl_memory_create(&argument->memory, memory, onednn_engine(), data) : dnnl_out_of_memory;
    if (fault != dnnl_success)
        return fault;
    argument->arg = name;
    arguments->steps[arguments->count++] = step;
    return fault;
}

static dnnl_status_t run_parts(const struct primitive *primitive, void *const data[PRIMITIVE_MEMORIES], void *scratch)
{
    static const int names[PRIMITIVE_MEMORIES] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};
    static const size_t gaps[PRIMITIVE_MEMORIES] = {[MEMORY_SOURCE] = PART_GAP, [MEMORY_RESULT] = PART_GAP};
    const struct pack *weights = primitive->weights;
    const size_t parts = weights ? weights->parts : 1;
    const bool shares = weights && parts == 1; /* the memory of the weights, which is the same at each run */
    struct arguments arguments = {.count = 0};
    dnnl_status_t fault = dnnl_success;
    for (int i = 0; i < PRIMITIVE_MEMORIES && fault == dnnl_success; i++)
        if (primitive->memories[i] && !(shares && i == MEMORY_WEIGHTS))
            fault = add_argument(&arguments, names[i], primitive->memories[i],
                                 i == MEMORY_WEIGHTS && weights ? weights->bytes : data[i],
                                 parts > 1 ? dnnl_memory_desc_get_size(primitive->memories[i]) + gaps[i] : 0);
    if (fault == dnnl_success && primitive->scratch)
        fault = add_argument(&arguments, DNNL_ARG_SCRATCHPAD, primitive->scratch, scratch, 0);
    if (shares)
        arguments.list[arguments.count] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, weights->memory};
    if (fault == dnnl_success)
        fault = onednn_execute(primitive->primitive, arguments.count + shares, arguments.list, parts, arguments.steps);
    while (arguments.count)
        dnnl_memory_destroy(arguments.list[--arguments.count].memory);
    return fault;
}

int run_threads(const struct run *run, int64_t work)
{
    return onednn_use_threads(run->in_team && work >= TEAM_WORK);
}

struct status primitives_run(struct primitives *primitives, const struct computation *computation,
                             const struct run *run, void *const data[PRIMITIVE_MEMORIES])
{
    const struct node *node = computation->node;
    struct primitive *primitive;
    void *scratch = NULL;
    dnnl_status_t fault = take(primitives, computation, run_threads(run, computation->work), &primitive);
    if (fault != dnnl_success)
        return error_of(node, run->arena, fault, "compute these shapes");
    if (primitive->scratch)
        scratch = run_scratch(run, SCRATCH_PRIMITIVE, dnnl_memory_desc_get_size(primitive->scratch));
    fault = run_parts(primitive, data, scratch);
    give_back(primitives, primitive);
    return error_of(node, run->arena, fault, "run it");
}
