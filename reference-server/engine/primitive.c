#include "engine/primitive.h"

#include "base/search.h"
#include "engine/move.h"

#include <stdlib.h>

#define SCRATCH_ALIGNMENT ((size_t)4096)

/* So many multiplications take about 0.2 ms on one thread. For less, a team does not pay: its threads sleep between
 * operations, and are slow to wake. */
#define TEAM_WORK ((int64_t)8000000)

/* A node keeps so many primitives. For more shapes, which depend on data, each run makes one for itself. */
#define KEPT_MAX ((size_t)16)

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

struct primitive {
    dnnl_primitive_t primitive;
    struct operation operation;           /* that it was made for */
    int threads;                          /* for which it was made */
    bool is_kept;                         /* for other runs; else it belongs to this one */
    layout *memories[PRIMITIVE_MEMORIES]; /* as oneDNN chose them; NULL: not used */
    layout *scratch;                      /* NULL: none is needed */
    struct pack *weights;                 /* in the layout of the primitive; NULL if they are given at each run */
    struct primitive *next;               /* an older one */
};

struct numbers numbers_plain(const int64_t *shape, size_t rank)
{
    struct numbers numbers = {.rank = rank};
    memcpy(numbers.shape, shape, rank * sizeof(*shape));
    row_major(shape, rank, numbers.strides);
    return numbers;
}

struct numbers numbers_in_form(const int64_t *shape, size_t rank, enum form form)
{
    struct numbers numbers = numbers_plain(shape, rank);
    numbers.in_blocks = form == FORM_BLOCKED;
    for (size_t i = 2; i < rank && form == FORM_CHANNELS_LAST; i++)
        numbers.strides[i] *= shape[1];
    numbers.strides[1] = form == FORM_CHANNELS_LAST ? 1 : numbers.strides[1];
    return numbers;
}

static void clear(struct primitive *primitive)
{
    if (primitive->weights)
        pack_give_back(primitive->weights);
    if (primitive->primitive)
        dnnl_primitive_destroy(primitive->primitive);
    for (size_t i = 0; i < PRIMITIVE_MEMORIES; i++)
        layout_free(primitive->memories[i]);
    layout_free(primitive->scratch);
}

/* Says in an operation what a plan lets follow it: the activation of the node. */
static void follow(const struct node *node, struct operation *operation)
{
    static const dnnl_alg_kind_t kinds[] = {[ACTIVATION_NONE] = dnnl_alg_kind_undef,
                                            [ACTIVATION_RELU] = dnnl_eltwise_relu,
                                            [ACTIVATION_CLIP] = dnnl_eltwise_clip,
                                            [ACTIVATION_GELU] = dnnl_eltwise_gelu_erf};
    operation->after = kinds[node->after.kind];
    operation->alpha = node->after.alpha;
    operation->beta = node->after.beta;
}

/* Chooses a primitive. Weights that are packed may lie as it likes. */
static dnnl_status_t choose(const struct operation *operation, bool packs, struct primitive *primitive)
{
    dnnl_status_t fault = dnnl_success;
    *primitive = (struct primitive){.operation = *operation};
    for (size_t i = 0; i < PRIMITIVE_MEMORIES && fault == dnnl_success; i++)
        if (operation->memories[i].rank)
            fault = layout_make(&primitive->memories[i], &operation->memories[i], packs && i == MEMORY_WEIGHTS);
    return fault ?: operation_choose(operation, primitive->memories, &primitive->scratch, &primitive->primitive);
}

/* Rows times a constant matrix are a convolution of pixels by a kernel of 1 x 1. oneDNN 2 packs the weights of a
 * convolution on every processor, those of a product only with AVX-512. */
static bool as_convolution(const struct operation *product, struct operation *convolution)
{
    static const int64_t none[2], one[] = {1, 1};
    const struct numbers *rows = &product->memories[MEMORY_SOURCE], *matrix = &product->memories[MEMORY_WEIGHTS];
    const int64_t m = rows->shape[0], k = matrix->shape[0], n = matrix->shape[1];
    *convolution = *product;
    convolution->kind = OPERATION_CONVOLUTION;
    convolution->strides = one;
    convolution->dilates = convolution->begin = convolution->end = none;
    convolution->memories[MEMORY_SOURCE] = numbers_in_form((const int64_t[]){1, k, m, 1}, 4, FORM_CHANNELS_LAST);
    convolution->memories[MEMORY_RESULT] = numbers_in_form((const int64_t[]){1, n, m, 1}, 4, FORM_CHANNELS_LAST);
    convolution->memories[MEMORY_WEIGHTS] =
        (struct numbers){4, false, {n, k, 1, 1}, {matrix->strides[1], matrix->strides[0], 1, 1}};
    if (product->memories[MEMORY_BIAS].rank)
        convolution->memories[MEMORY_BIAS] = numbers_plain(&n, 1);
    return product->kind == OPERATION_MATMUL && product->scale == 1 && rows->strides[0] == k && rows->strides[1] == 1;
}

static dnnl_status_t make(const struct primitives *primitives, const struct operation *operation,
                          struct primitive *primitive)
{
    const struct numbers *weights = &operation->memories[MEMORY_WEIGHTS];
    const bool packs = primitives->weights.data;
    struct operation convolution;
    struct primitive other = {0};
    dnnl_status_t fault = choose(operation, packs, primitive);
    if (fault != dnnl_success || !packs)
        return fault;
    if (!layout_is_blocked(primitive->memories[MEMORY_WEIGHTS]) && as_convolution(operation, &convolution) &&
        choose(&convolution, true, &other) == dnnl_success && layout_is_blocked(other.memories[MEMORY_WEIGHTS])) {
        const struct primitive product = *primitive;
        *primitive = other;
        primitive->operation = *operation;
        other = product;
        weights = &convolution.memories[MEMORY_WEIGHTS];
    }
    clear(&other);
    return pack_take(primitives->packs, weights, primitives->weights, primitive->memories[MEMORY_WEIGHTS],
                     &primitive->weights);
}

/* --- Keeping --- */

void primitives_init(struct primitives *primitives, struct node *node, struct packs *packs, struct weights weights)
{
    *primitives = (struct primitives){.next = node->primitives, .packs = packs, .weights = weights};
    pthread_mutex_init(&primitives->mutex, NULL);
    node->primitives = primitives;
}

static void destroy(struct primitive *primitive)
{
    clear(primitive);
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

static struct primitive *find(const struct primitives *primitives, const struct operation *wanted, int threads)
{
    return FIND_IN(
        primitive, primitives->newest,
        primitive->threads == threads && primitive->operation.adds == wanted->adds &&
            ALL(i, PRIMITIVE_MEMORIES, numbers_equal(&primitive->operation.memories[i], &wanted->memories[i])));
}

static dnnl_status_t new (const struct primitives *primitives, const struct node *node, const struct operation *wanted,
                          int threads, struct primitive **made)
{
    struct operation followed = *wanted;
    struct primitive *primitive = onednn_engine() ? calloc(1, sizeof(*primitive)) : NULL;
    if (!primitive)
        return dnnl_out_of_memory;
    follow(node, &followed);
    const dnnl_status_t fault = make(primitives, &followed, primitive);
    primitive->threads = threads;
    if (fault == dnnl_success)
        *made = primitive;
    else
        destroy(primitive);
    return fault;
}

/* Finds a primitive, or makes one, and keeps it if there is room. */
static dnnl_status_t take(struct primitives *primitives, const struct node *node, const struct operation *wanted,
                          int threads, struct primitive **primitive)
{
    dnnl_status_t fault = dnnl_success;
    pthread_mutex_lock(&primitives->mutex);
    *primitive = find(primitives, wanted, threads);
    if (!*primitive)
        fault = new (primitives, node, wanted, threads, primitive);
    if (fault == dnnl_success && !(*primitive)->is_kept && primitives->count < KEPT_MAX) {
        (*primitive)->is_kept = true;
        (*primitive)->next = primitives->newest;
        primitives->newest = *primitive;
        primitives->count++;
    }
    pthread_mutex_unlock(&primitives->mutex);
    return fault;
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
    if (primitive->scratch)
        fault = fault ?: add_argument(&arguments, DNNL_ARG_SCRATCHPAD, primitive->scratch, scratch, 0);
    if (shares)
        arguments.list[arguments.count] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, weights->memory};
    fault =
        fault ?: onednn_execute(primitive->primitive, arguments.count + shares, arguments.list, parts, arguments.steps);
    while (arguments.count)
        dnnl_memory_destroy(arguments.list[--arguments.count].memory);
    return fault;
}

int run_threads(const struct run *run, int64_t work)
{
    return onednn_use_threads(run->in_team && work >= TEAM_WORK);
}

struct status primitives_run(struct primitives *primitives, const struct node *node, const struct run *run,
                             const struct operation *operation, int64_t work, void *const data[PRIMITIVE_MEMORIES])
{
    struct primitive *primitive;
    void *scratch = NULL;
    dnnl_status_t fault = take(primitives, node, operation, run_threads(run, work), &primitive);
    if (fault != dnnl_success)
        return error_of(node, run->arena, fault, "compute these shapes");
    if (primitive->scratch)
        scratch = run_scratch(run, SCRATCH_PRIMITIVE, dnnl_memory_desc_get_size(primitive->scratch));
    fault = run_parts(primitive, data, scratch);
    if (!primitive->is_kept)
        destroy(primitive);
    return error_of(node, run->arena, fault, "run it");
}
