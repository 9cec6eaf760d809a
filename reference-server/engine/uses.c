#include "engine/plan.h"

bool types_equal(const struct type *a, const struct type *b)
{
    size_t size;
    return type_is_known(a, &size) && type_is_known(b, &size) && a->datatype == b->datatype && a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->shape, b->shape, a->rank * sizeof(*a->shape)) == 0);
}

static void note_use(struct uses *uses, size_t value, size_t node)
{
    if (uses->last[value] != node)
        uses->previous[value] = uses->last[value];
    uses->last[value] = node;
}

bool uses_find(struct network *network, struct uses *uses)
{
    struct arena *arena = &network->arena;
    size_t count = network->value_count;
    *uses = (struct uses){.count = arena_alloc_zero(arena, count, sizeof(size_t)),
                          .last = arena_alloc_zero(arena, count, sizeof(size_t)),
                          .previous = arena_alloc_zero(arena, count, sizeof(size_t)),
                          .maker = arena_alloc_zero(arena, count, sizeof(struct node *)),
                          .root = arena_alloc_zero(arena, count, sizeof(size_t)),
                          .stays = arena_alloc_zero(arena, count, sizeof(bool))};
    if (!uses->count || !uses->last || !uses->previous || !uses->maker || !uses->root || !uses->stays)
        return false;
    for (size_t i = 0; i < count; i++)
        uses->root[i] = i;
    for (size_t n = 0; n < network->node_count; n++) {
        struct node *node = &network->nodes[n];
        for (size_t i = 0; i < node->output_count; i++)
            if (node->outputs[i] != NO_VALUE)
                uses->maker[node->outputs[i]] = node;
        if (node->addend != NO_VALUE)
            uses->root[node->outputs[0]] = uses->root[node->addend];
        else if (node_forwards(network, node))
            uses->root[node->outputs[0]] = uses->root[node->inputs[0]];
        for (size_t i = 0; i <= node->input_count; i++) {
            size_t value = i < node->input_count ? node->inputs[i] : node->addend;
            if (value == NO_VALUE)
                continue;
            uses->count[value]++;
            note_use(uses, value, n);
            note_use(uses, uses->root[value], n);
        }
    }
    for (size_t i = 0; i < network->output_count; i++) {
        uses->count[network->outputs[i]]++;
        uses->stays[uses->root[network->outputs[i]]] = true;
    }
    return true;
}

void nodes_compact(struct network *network)
{
    size_t kept = 0;
    for (size_t i = 0; i < network->node_count; i++)
        if (network->nodes[i].op)
            network->nodes[kept++] = network->nodes[i];
    network->node_count = kept;
}
