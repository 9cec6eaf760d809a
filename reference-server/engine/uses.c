#include "engine/plan.h"

bool types_equal(const struct type *a, const struct type *b)
{
    size_t size;
    return type_is_known(a, &size) && type_is_known(b, &size) && a->datatype == b->datatype && a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->shape, b->shape, a->rank * sizeof(*a->shape)) == 0);
}

static void note_use(struct use *use, size_t node)
{
    if (use->last != node)
        use->previous = use->last;
    use->last = node;
}

struct use *uses_find(struct network *network)
{
    struct use *uses = arena_alloc_zero(&network->arena, network->value_count, sizeof(*uses));
    if (!uses)
        return NULL;
    for (size_t i = 0; i < network->value_count; i++)
        uses[i].root = i;
    for (size_t n = 0; n < network->node_count; n++) {
        struct node *node = &network->nodes[n];
        for (size_t i = 0; i < node->output_count; i++)
            uses[node->outputs[i]].maker = node;
        if (node->addend != NO_VALUE)
            uses[node->outputs[0]].root = uses[node->addend].root;
        else if (node_forwards(network, node))
            uses[node->outputs[0]].root = uses[node->inputs[0]].root;
        for (size_t i = 0; i <= node->input_count; i++) {
            size_t value = i < node->input_count ? node->inputs[i] : node->addend;
            if (value == NO_VALUE)
                continue;
            uses[value].count++;
            note_use(&uses[value], n);
            note_use(&uses[uses[value].root], n);
        }
    }
    for (size_t i = 0; i < network->output_count; i++) {
        uses[network->outputs[i]].count++;
        uses[uses[network->outputs[i]].root].stays = true;
    }
    return uses;
}

void nodes_compact(struct network *network)
{
    size_t kept = 0;
    for (size_t i = 0; i < network->node_count; i++)
        if (network->nodes[i].op)
            network->nodes[kept++] = network->nodes[i];
    network->node_count = kept;
}
