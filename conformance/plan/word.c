#include "plan/word.h"

#include "base/search.h"

enum word word_named(struct str text)
{
    static const char *const names[WORDS] = {
        [WORD_REFUSED] = "refused", [WORD_SAME] = "same", [WORD_AGREES] = "agrees", [WORD_ANSWERED] = "answered"};
    for (enum word word = WORD_NONE + 1; word < WORDS; word++)
        if (str_is(text, names[word]))
            return word;
    return WORD_NONE;
}

enum word word_of(const struct tree *observation)
{
    return observation && observation->type == TREE_STRING ? word_named(observation->text) : WORD_NONE;
}

struct tree *observation_choices(const struct tree *observation)
{
    struct tree *any = tree_member(observation, "$any");
    return any && any->type == TREE_OBJECT ? any : NULL;
}

bool word_agrees(const struct tree *observation)
{
    return word_of(observation) == WORD_AGREES ||
           ANY_IN(choice, tree_first(observation_choices(observation)), word_of(choice) == WORD_AGREES);
}
