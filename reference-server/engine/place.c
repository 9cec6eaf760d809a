/* Gives values places in one block of memory. A value is needed from the node that makes it to the last one that uses
 * it or a value that shares its memory. The largest values are placed first, each at the lowest place that nothing
 * needed at the same time overlaps. Outputs of the model have no place: they outlive the run. */
#include "engine/plan.h"
#include <stdlib.h>

#define ALIGNMENT  ((size_t)64)
#define VALUES_MAX ((size_t)4096) /* of more than these, none is placed: the time grows with the square */

struct life {
    size_t value, size, first, last, place;
};

static int larger_first(const void *a, const void *b)
{
    const struct life *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return x->value < y->value ? -1 : 1;
}

static int lower_first(const void *a, const void *b)
{
    const struct life *x = *(const struct life *const *)a, *y = *(const struct life *const *)b;
    return x->place == y->place ? 0 : x->place < y->place ? -1 : 1;
}

/* Finds the place of one life among those that are placed. `others` has room for them. */
static void find_place(struct life *lives, size_t at, const struct life **others)
{
    size_t count = 0, place = 0;
    for (size_t i = 0; i < at; i++)
        if (lives[i].first <= lives[at].last && lives[at].first <= lives[i].last)
            others[count++] = &lives[i];
    qsort(others, count, sizeof(*others), lower_first);
    for (size_t i = 0; i < count && others[i]->place < place + lives[at].size; i++)
        if (others[i]->place + others[i]->size > place)
            place = others[i]->place + others[i]->size;
    lives[at].place = place;
}

/* Lists the values that are computed in a size that is known, and are not kept beyond the run. */
static size_t list_lives(const struct network *network, const struct use *uses, struct life *lives)
{
    size_t count = 0;
    for (size_t n = 0; n < network->node_count; n++) {
        const struct node *node = &network->nodes[n];
        for (size_t i = 0; i < node->output_count; i++) {
            size_t value = node->outputs[i], size;
            if (uses[value].root != value || uses[value].stays || !type_is_known(&network->values[value].type, &size) ||
                size > SIZE_MAX / 4)
                continue;
            size_t last = uses[value].count && uses[value].last > n ? uses[value].last : n;
            lives[count++] = (struct life){value, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, n, last, 0};
        }
    }
    return count;
}

bool plan_place(struct plan *plan)
{
    struct network *network = &plan->network;
    struct arena *arena = &network->arena;
    const struct use *uses = uses_find(network);
    size_t count = network->value_count, live = 0, total = 0;
    struct life *lives = arena_alloc_zero(arena, count, sizeof(*lives));
    const struct life **others = arena_alloc_zero(arena, count, sizeof(struct life *));
    plan->places = arena_alloc_zero(arena, count, sizeof(*plan->places));
    if (!lives || !others || !plan->places || !uses)
        return false;
    for (size_t i = 0; i < count; i++) {
        plan->places[i] = NO_PLACE;
        network->values[i].is_constant_data = network->values[uses[i].root].constant != NULL;
    }
    if (count <= VALUES_MAX)
        live = list_lives(network, uses, lives);
    qsort(lives, live, sizeof(*lives), larger_first);
    for (size_t i = 0; i < live; i++) {
        find_place(lives, i, others);
        size_t end = lives[i].place + lives[i].size;
        if (end > SIZE_MAX / 4)
            return false;
        plan->places[lives[i].value] = lives[i].place;
        total = end > total ? end : total;
    }
    plan->size = total;
    return true;
}
