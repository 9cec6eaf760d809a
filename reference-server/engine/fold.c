/* Computes at loading, and when a plan is made, what is the same at each run. */
#include "base/search.h"
#include "engine/plan.h"

#define FOLD_MAX  ((size_t)1 << 20)   /* bytes that one node may make beyond the size of its inputs */
#define FOLDS_MAX ((size_t)256 << 20) /* bytes that all nodes together may read and make: bounds time and memory */

/* Says whether the outputs are the same at each run, and small. An input of which only the shape matters counts as
 * constant when its shape is known. */
static bool can_fold(const struct network *network, const struct node *node, size_t *work)
{
    size_t given = 0, made = 0, size;
    for (size_t i = 0; i < node->input_count; i++) {
        const struct type *type = input_type(network, node, i);
        if (!type)
            continue;
        if (!input_constant(network, node, i) && !(node->op->only_shape && type_is_known(type, &size)))
            return false;
        given += input_constant(network, node, i) ? input_constant(network, node, i)->size : 0;
    }
    for (size_t i = 0; i < node->output_count; i++) {
        if (!type_is_known(&network->values[node->outputs[i]].type, &size) || size > given + FOLD_MAX - made)
            return false;
        made += size;
    }
    *work = node_forwards(network, node) ? 0 : given + made;
    return *work <= FOLDS_MAX - network->folded;
}

/* Keeps an output: its memory is that of an input, or is copied out of the arena of the run. */
static bool keep_constant(struct network *network, const struct node *node, const struct tensor *values, size_t output)
{
    const struct tensor *made = &values[output];
    struct tensor *constant = arena_new_of(&network->arena, struct tensor);
    bool is_shared = false;
    for (size_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] != NO_VALUE && values[node->inputs[i]].data == made->data)
            is_shared = network->values[node->inputs[i]].is_shared = true;
    network->values[output].is_shared = is_shared;
    void *data = is_shared ? made->data : arena_alloc(&network->arena, made->size);
    const int64_t *shape = shape_copy(made->shape, made->rank, &network->arena);
    if (!constant || !data || !shape)
        return false;
    if (!is_shared && made->size)
        memcpy(data, made->data, made->size);
    *constant = *made;
    constant->data = data;
    constant->shape = shape;
    network->values[output].constant = constant;
    network->values[output].type = (struct type){made->datatype, made->rank, shape};
    return true;
}

bool node_fold(struct network *network, struct node *node)
{
    bool is_constant = ALL(i, node->output_count, network->values[node->outputs[i]].constant);
    size_t work;
    if (is_constant || node->op->is_heavy || !can_fold(network, node, &work))
        return is_constant;
    network->folded += work;
    struct arena arena = arena_new(ARENA_NO_BUDGET);
    struct run run = {.arena = &arena, .values = network->scratch};
    for (size_t i = 0; i < node->input_count; i++) {
        const struct type *type = input_type(network, node, i);
        const struct tensor *constant = input_constant(network, node, i);
        if (type)
            run.values[node->inputs[i]] =
                constant ? *constant
                         : (struct tensor){.datatype = type->datatype, .rank = type->rank, .shape = type->shape};
    }
    for (size_t i = 0; i < node->output_count; i++)
        run.values[node->outputs[i]] = (struct tensor){0};
    is_constant = is_ok(node_run(node, &run)); /* if it fails, it fails again at the run, which says so */
    for (size_t i = 0; i < node->output_count && is_constant; i++)
        is_constant = keep_constant(network, node, run.values, node->outputs[i]);
    arena_free(&arena);
    return is_constant;
}
