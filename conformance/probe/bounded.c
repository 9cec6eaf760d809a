/* Keeps metadata of models that nobody may probe small: a target may have hundreds of them, of megabytes each. */
#include "probe/steps.h"

#include "probe/request.h"

static struct str cut(struct arena *arena, struct str text)
{
    const size_t most = REQUEST_NAME_MAX + 1;
    return text.size ? arena_copy(arena, (struct str){text.data, text.size < most ? text.size : most}) : text;
}

/* Copies at most so many children, and of each child as many as an answer may have outputs. */
static struct tree *copy_some(struct arena *arena, const struct tree *tree, size_t most)
{
    struct tree *copy = tree_new(arena, tree->type);
    copy->boolean = tree->boolean;
    copy->text = cut(arena, tree->text);
    copy->name = cut(arena, tree->name);
    for (const struct tree *child = tree->first; child && copy->count < most; child = child->next)
        tree_append(copy, copy_some(arena, child, REQUEST_OUTPUTS_MAX));
    return copy;
}

struct tree *metadata_bounded(struct arena *arena, const struct tree *metadata)
{
    struct tree *copy = tree_new(arena, metadata->type);
    FOR_EACH_IN(member, metadata->first) {
        bool lists_inputs = str_is(member->name, "inputs"),
             lists_tensors = lists_inputs || str_is(member->name, "outputs");
        size_t most = lists_inputs ? REQUEST_INPUTS_MAX : REQUEST_OUTPUTS_MAX;
        tree_append(copy, lists_tensors ? copy_some(arena, member, most + 1) : tree_copy_whole(arena, member));
    }
    return copy;
}
