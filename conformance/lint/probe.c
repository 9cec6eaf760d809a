/* Checks cases of the model "*": what they send and expect comes from what discovery learned of the model. */
#include "lint/linter.h"

#include "base/search.h"
#include "plan/word.h"

static bool is_any_model(const struct tree *tree)
{
    return str_is(tree_text(tree, "infer"), "*") || str_is(tree_text(tree, "model"), "*");
}

static bool speaks_of_probe(const struct tree *tree)
{
    static const char reference[] = "${found:/probe";
    const struct str texts[] = {tree->name, tree->type == TREE_STRING ? tree->text : (struct str){0}};
    return ANY(i, 2, texts[i].size && memmem(texts[i].data, texts[i].size, reference, strlen(reference))) ||
           ANY_IN(child, tree->first, speaks_of_probe(child));
}

static void check_agrees(const struct tree *tree, bool allowed, struct place place)
{
    const struct tree *expect = tree_member(tree, "expect");
    for (const struct tree *member = tree_first(expect); member && !allowed; member = member->next)
        if (word_agrees(member))
            fault_add(place_below(place, STR("expect")), "agrees",
                      "only the base of an infer case is played in several encodings that can agree");
}

void lint_probe(const struct tree *tree, struct place place)
{
    const struct tree *inputs = tree_member(tree, "inputs"), *neighbours = tree_member(tree, "neighbours");
    check_agrees(tree, tree_member(tree, "infer") != NULL, place);
    FOR_EACH_IN(neighbour, tree_first(neighbours))
        check_agrees(neighbour, false, place_below(place_below(place, STR("neighbours")), neighbour->name));
    if (is_any_model(tree) && inputs && !speaks_of_probe(inputs))
        fault_add(place_below(place, STR("inputs")), "any-model",
                  "the inputs of any model are not known here: leave them out, or take ${found:/probe/...}");
    if (!is_any_model(tree) && speaks_of_probe(tree))
        fault_add(place, "any-model", "${found:/probe/...} has a value only in a case of the model \"*\"");
}
