/* MaxPool, AveragePool and their global forms: FP32 on oneDNN. */
#include "base/search.h"
#include "engine/call.h"
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
    const size_t rank = window->rank;
    return ALL(i, 2 * rank, window->pads[i] <= (window->kernel[i % rank] - 1) * window->dilations[i % rank]);
}

struct status pool_load(struct network *network, struct node *node)
{
    struct arena *arena = &network->arena;
    const Onnx__AttributeProto *kernel = node_attribute(node, "kernel_shape");
    struct pool *pool = arena_new_of(arena, struct pool);
    if (!pool)
        return status_no_memory();
    primitives_init(&pool->primitives, node);
    node->state = pool;
    pool->algorithm = algorithm_of(node);
    pool->is_global = strncmp(node->op->name, "Global", strlen("Global")) == 0;
    if (pool->is_global)
        return STATUS_IS_OK;
    struct status status = window_read(node, NULL, kernel ? kernel->n_ints : 1, arena, &pool->window);
    if (is_ok(status) && !pads_are_small(&pool->window))
        return node_error(node, arena, STATUS_INVALID_ARGUMENT, "its padding is as wide as its window");
    if (is_ok(status) && pool->window.round_up && pool->algorithm == dnnl_pooling_avg_include_padding)
        return node_error(node, arena, STATUS_UNIMPLEMENTED, "ceil_mode with count_include_pad is not supported");
    return status;
}

/* Makes a window that covers the input. */
static struct status cover(const struct call *call, struct geometry *geometry)
{
    size_t rank = geometry->rank < 2 ? 0 : geometry->rank - 2;
    if (rank < 1 || rank > WINDOW_RANK_MAX)
        return call_error(call, STATUS_UNIMPLEMENTED, "%zu spatial dimensions; supported are 1 to %d", rank,
                          WINDOW_RANK_MAX);
    geometry->window = (struct window){.rank = rank};
    geometry->placement = (struct placement){.shape = {1, 1, 1}};
    for (size_t i = 0; i < rank; i++) {
        geometry->window.kernel[i] = geometry->in[2 + i];
        geometry->window.strides[i] = geometry->window.dilations[i] = 1;
    }
    return STATUS_IS_OK;
}

static struct status find_geometry(const struct call *call, struct geometry *geometry)
{
    const struct pool *pool = call->node->state;
    const struct type *in = &call->inputs[0].type;
    struct status status;
    geometry->rank = form_logical(call->node->form, in->shape, in->rank, geometry->in);
    geometry->window = pool->window;
    geometry->placement = (struct placement){0};
    if (pool->is_global)
        status = cover(call, geometry);
    else if (geometry->rank != pool->window.rank + 2)
        status =
            call_refuse(call, "a window of %zu dimensions over an input of %zu", pool->window.rank, geometry->rank);
    else
        status = window_place(&geometry->window, geometry->in + 2, call->node, call->arena, &geometry->placement);
    memcpy(geometry->out, geometry->in, 2 * sizeof(*geometry->out));
    memcpy(geometry->out + 2, geometry->placement.shape, sizeof(geometry->placement.shape));
    return status;
}

struct status pool_infer(const struct call *call, struct made *made)
{
    const struct pool *pool = call->node->state;
    struct geometry geometry;
    if (call->inputs[0].type.rank == RANK_UNKNOWN) {
        for (size_t i = 0; i < 2 + pool->window.rank; i++)
            made->shape[i] = -1;
        made->rank = pool->is_global ? RANK_UNKNOWN : 2 + pool->window.rank;
        return STATUS_IS_OK;
    }
    struct status status = find_geometry(call, &geometry);
    if (is_ok(status))
        made->rank = form_physical(call->node->form, geometry.out, geometry.rank, made->shape);
    return status;
}

static dnnl_status_t make_pool(const struct node *node, const void *context, struct primitive *primitive)
{
    const struct geometry *geometry = context;
    const struct operation operation = {
        .kind = OPERATION_POOL,
        .algorithm = ((const struct pool *)node->state)->algorithm,
        .strides = geometry->window.strides,
        .kernel = geometry->window.kernel,
        .dilates = geometry->window.dilates,
        .begin = geometry->placement.begin,
        .end = geometry->placement.end,
    };
    dnnl_status_t fault =
        primitive_laid_out(&primitive->memories[MEMORY_SOURCE], geometry->in, geometry->rank, node->form);
    if (fault == dnnl_success)
        fault = primitive_laid_out(&primitive->memories[MEMORY_RESULT], geometry->out, geometry->rank, node->form);
    return fault == dnnl_success ? primitive_create(primitive, &operation) : fault;
}

struct status pool_compute(const struct call *call)
{
    struct pool *pool = call->node->state;
    const struct tensor *in = call->inputs[0].tensor, *out = call->outputs[0];
    struct geometry geometry;
    struct status status = find_geometry(call, &geometry);
    if (!is_ok(status) || out->count == 0)
        return status;
    if (in->count == 0)
        return call_refuse(call, "nothing to pool in an input of shape %s",
                           shape_text(call->arena, geometry.in, geometry.rank));
    void *data[PRIMITIVE_MEMORIES] = {[MEMORY_SOURCE] = in->data, [MEMORY_RESULT] = out->data};
    return primitives_run(&pool->primitives, geometry.in, geometry.rank, make_pool, &geometry, call->node, call->run,
                          4 * (int64_t)in->count, data);
}
