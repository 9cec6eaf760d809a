/* MaxPool, AveragePool and their global forms: FP32 on oneDNN. */
#include "engine/families.h"
#include "engine/primitive.h"
#include "engine/window.h"

struct pool {
    struct primitives primitives;
    struct window window;
    bool is_global; /* the window covers the whole input */
    dnnl_alg_kind_t algorithm;
};

static dnnl_alg_kind_t algorithm_of(const struct node *node)
{
    const char *name = node->op->name;
    if (strcmp(name, "MaxPool") == 0 || strcmp(name, "GlobalMaxPool") == 0)
        return dnnl_pooling_max;
    return node_int(node, "count_include_pad", 0) ? dnnl_pooling_avg_include_padding : dnnl_pooling_avg_exclude_padding;
}

/* Checks that no window lies in the padding alone, because it would have no maximum and no average. */
static bool pads_are_small(const struct window *window)
{
    for (size_t i = 0; i < 2 * window->rank; i++)
        if (window->pads[i] > (window->kernel[i % window->rank] - 1) * window->dilations[i % window->rank])
            return false;
    return true;
}

static struct status check(const struct node *node, const struct pool *pool, struct arena *arena)
{
    if (!pads_are_small(&pool->window))
        return node_error(node, arena, STATUS_INVALID_ARGUMENT, "its padding is as wide as its window");
    if (pool->window.round_up && pool->algorithm == dnnl_pooling_avg_include_padding)
        return node_error(node, arena, STATUS_UNIMPLEMENTED, "ceil_mode with count_include_pad is not supported");
    return STATUS_IS_OK;
}

struct status pool_load(struct network *network, struct node *node)
{
    struct arena *arena = &network->arena;
    const struct type *in = input_type(network, node, 0);
    const Onnx__AttributeProto *kernel = node_attribute(node, "kernel_shape");
    if (in->datatype != DATATYPE_FP32)
        return node_error(node, arena, STATUS_UNIMPLEMENTED, "%s is not supported", datatype_name(in->datatype));
    if (node_int(node, "storage_order", 0))
        return node_error(node, arena, STATUS_UNIMPLEMENTED, "storage_order 1 is not supported");
    struct pool *pool = arena_new_of(arena, struct pool);
    if (!pool)
        return status_no_memory();
    primitives_init(&pool->primitives);
    node->state = pool;
    pool->algorithm = algorithm_of(node);
    pool->is_global = strncmp(node->op->name, "Global", strlen("Global")) == 0;
    if (pool->is_global && in->rank == RANK_UNKNOWN)
        return set_output_type(network, node, DATATYPE_FP32, NULL, RANK_UNKNOWN);

    size_t rank = pool->is_global ? (in->rank >= 2 ? in->rank - 2 : 0) : kernel ? kernel->n_ints : 1;
    struct status status = window_read(node, pool->is_global ? (int64_t[]){1, 1, 1} : NULL, rank, arena, &pool->window);
    if (is_ok(status) && in->rank != RANK_UNKNOWN && in->rank != rank + 2)
        status = node_error(node, arena, STATUS_INVALID_ARGUMENT, "a window of %zu dimensions over an input of %zu",
                            rank, in->rank);
    if (is_ok(status) && !pool->is_global)
        status = check(node, pool, arena);
    if (!is_ok(status))
        return status;

    int64_t shape[2 + WINDOW_RANK_MAX] = {-1, -1, -1, -1, -1};
    if (in->rank != RANK_UNKNOWN) {
        struct placement placement = {.shape = {1, 1, 1}};
        if (!pool->is_global)
            status = window_place(&pool->window, in->shape + 2, node, arena, &placement);
        if (!is_ok(status))
            return status;
        memcpy(shape, in->shape, 2 * sizeof(*shape));
        memcpy(shape + 2, placement.shape, rank * sizeof(*shape));
    }
    return set_output_type(network, node, DATATYPE_FP32, shape, rank + 2);
}

struct pool_call {
    dnnl_alg_kind_t algorithm;
    const struct window *window;
    const int64_t *in, *out;
    const struct placement *placement;
};

static struct status make_pool(const struct node *node, const void *context, struct primitive *primitive,
                               struct arena *arena)
{
    const struct pool_call *call = context;
    size_t rank = call->window->rank + 2;
    dnnl_dims_t dilates = {0};
    const struct operation operation = {
        .kind = OPERATION_POOL,
        .algorithm = call->algorithm,
        .strides = call->window->strides,
        .kernel = call->window->kernel,
        .dilates = dilates,
        .begin = call->placement->begin,
        .end = call->placement->end,
    };
    for (size_t i = 0; i < call->window->rank; i++)
        dilates[i] = call->window->dilations[i] - 1;
    dnnl_status_t fault = primitive_laid_out(&primitive->memories[MEMORY_SOURCE], call->in, rank, node->form);
    if (fault == dnnl_success)
        fault = primitive_laid_out(&primitive->memories[MEMORY_RESULT], call->out, rank, node->form);
    if (fault == dnnl_success)
        fault = primitive_create(primitive, &operation);
    return fault == dnnl_success ? STATUS_IS_OK : primitive_error(node, arena, fault, "make a pool of these shapes");
}

/* Places the window over this input: the window of the node, or one that covers the input. */
static struct status place(const struct pool *pool, const struct tensor *in, const struct node *node,
                           struct arena *arena, struct window *window, struct placement *placement)
{
    *window = pool->window;
    if (pool->is_global) {
        *window = (struct window){.rank = in->rank >= 2 ? in->rank - 2 : 0};
        if (window->rank < 1 || window->rank > WINDOW_RANK_MAX)
            return node_error(node, arena, STATUS_INVALID_ARGUMENT, "an input of %zu dimensions", in->rank);
        *placement = (struct placement){.shape = {1, 1, 1}};
        for (size_t i = 0; i < window->rank; i++) {
            window->kernel[i] = in->shape[2 + i];
            window->strides[i] = window->dilations[i] = 1;
        }
        return STATUS_IS_OK;
    }
    if (in->rank != window->rank + 2)
        return node_error(node, arena, STATUS_INVALID_ARGUMENT, "a window of %zu dimensions over an input of %zu",
                          window->rank, in->rank);
    return window_place(window, in->shape + 2, node, arena, placement);
}

struct status pool_run(const struct node *node, const struct run *run)
{
    struct pool *pool = node->state;
    struct tensor logical = *input_tensor(node, run, 0), *in = &logical;
    struct tensor *out = output_tensor(node, run, 0);
    struct window window;
    struct placement placement = {0};
    int64_t in_shape[TENSOR_RANK_MAX], made[3 + WINDOW_RANK_MAX];
    logical.rank = form_logical(node->form, in->shape, in->rank, in_shape);
    logical.shape = in_shape;
    struct status status = place(pool, in, node, run->arena, &window, &placement);
    if (!is_ok(status))
        return status;
    int64_t shape[2 + WINDOW_RANK_MAX] = {in->shape[0], in->shape[1]};
    memcpy(shape + 2, placement.shape, window.rank * sizeof(*shape));
    if (!tensor_make(out, DATATYPE_FP32, made, form_physical(node->form, shape, in->rank, made), run->arena))
        return status_no_memory();
    if (out->count == 0)
        return STATUS_IS_OK;
    if (in->count == 0)
        return node_error(node, run->arena, STATUS_INVALID_ARGUMENT, "nothing to pool in an input of shape %s",
                          shape_text(run->arena, in->shape, in->rank));

    struct pool_call call = {pool->algorithm, &window, in->shape, shape, &placement};
    struct primitive *primitive;
    status = primitives_take(&pool->primitives, in->shape, in->rank, make_pool, node, &call, run->arena, &primitive);
    if (!is_ok(status))
        return status;
    void *data[PRIMITIVE_MEMORIES] = {[MEMORY_SOURCE] = in->data, [MEMORY_RESULT] = out->data};
    status = primitive_run(primitive, data, node, run);
    primitives_give_back(&pool->primitives, primitive);
    return status;
}

void pool_unload(struct node *node)
{
    struct pool *pool = node->state;
    if (pool)
        primitives_free(&pool->primitives);
}
