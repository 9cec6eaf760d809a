#include "notation/tensors.h"

#include <stdlib.h>

#define FEW 16 /* as many are looked for one after the other */

struct named_tensor {
    struct str name;
    const struct tree *tensor;
    size_t index;
};

static const struct tree *name_of(const struct tree *tensor)
{
    const struct tree *name = tree_member(tensor, "name");
    return name && name->type == TREE_STRING ? name : NULL;
}

static int by_name(const void *left, const void *right)
{
    const struct named_tensor *a = left, *b = right;
    int order = str_compare(a->name, b->name);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

struct tensors tensors_of(const struct tree *list, size_t asked, struct arena *arena)
{
    struct tensors tensors = {.list = list};
    size_t index = 0;
    if (asked <= FEW || list->count <= FEW)
        return tensors;
    tensors.sorted = arena_alloc_zero(arena, list->count, sizeof *tensors.sorted);
    for (const struct tree *tensor = list->first; tensor; tensor = tensor->next, index++) {
        const struct tree *name = name_of(tensor);
        if (name)
            tensors.sorted[tensors.count++] = (struct named_tensor){name->text, tensor, index};
    }
    qsort(tensors.sorted, tensors.count, sizeof *tensors.sorted, by_name);
    return tensors;
}

static const struct tree *find_in_turn(const struct tree *list, struct str name, size_t *index)
{
    *index = 0;
    for (const struct tree *tensor = list->first; tensor; tensor = tensor->next, ++*index) {
        const struct tree *member = name_of(tensor);
        if (member && str_equal(member->text, name))
            return tensor;
    }
    return NULL;
}

const struct tree *tensors_find(const struct tensors *tensors, struct str name, size_t *index)
{
    if (!tensors->sorted)
        return find_in_turn(tensors->list, name, index);
    size_t low = 0, high = tensors->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_compare(tensors->sorted[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct named_tensor *found = low < tensors->count ? &tensors->sorted[low] : NULL;
    if (!found || !str_equal(found->name, name))
        return NULL;
    *index = found->index;
    return found->tensor;
}
