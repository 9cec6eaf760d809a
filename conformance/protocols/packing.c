#include "protocols/packing.h"

static const struct tree *input_named(const struct tree *act, struct str name)
{
    const struct tree *inputs = tree_member(act, "inputs");
    if (inputs == NULL || inputs->type != TREE_ARRAY)
        return NULL;
    for (const struct tree *input = inputs->first; input; input = input->next) {
        const struct tree *has = tree_member(input, "name");
        if (has != NULL && has->type == TREE_STRING && str_equal(has->text, name))
            return input;
    }
    return NULL;
}

const struct tree *packing_input(const struct meaning *meaning, const struct tree *input, size_t index)
{
    if (meaning->base == meaning->act)
        return input;
    const struct tree *name = tree_member(input, "name");
    if (name != NULL && name->type == TREE_STRING) {
        const struct tree *same = input_named(meaning->base, name->text);
        if (same != NULL)
            return same;
    }
    const struct tree *inputs = tree_member(meaning->base, "inputs");
    const struct tree *there = inputs && inputs->type == TREE_ARRAY ? tree_at(inputs, index) : NULL;
    if (there != NULL && input_named(meaning->act, tree_text(there, "name")) == NULL)
        return there;
    return input;
}

enum datatype packing_datatype(const struct tree *packing)
{
    const struct tree *datatype = tree_member(packing, "datatype");
    return datatype && datatype->type == TREE_STRING ? datatype_from_name(datatype->text) : DATATYPE_NONE;
}
