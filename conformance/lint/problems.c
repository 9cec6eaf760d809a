/* Checks interop.json: problems that users met between servers and clients. Each problem either names cases, which have
 * its link in `seen`, or says why no case can show it. */
#include "lint/linter.h"

#include "base/search.h"
#include "suite/grammar.h"

/* Returns the case or neighbour of that ID, which has no encoding and no key. NULL if there is none. */
static const struct tree *case_named(const struct suite *suite, struct str id)
{
    const struct family *family = suite_family(suite, id);
    if (family)
        return family->tree;
    const char *slash = memrchr(id.data, '/', id.size);
    size_t size = slash ? (size_t)(slash - id.data) : 0;
    family = suite_family(suite, (struct str){id.data, size});
    return family ? tree_member_str(tree_member(family->tree, "neighbours"), str_from(id, size + 1)) : NULL;
}

static bool names(const struct tree *list, struct str text)
{
    return ANY_IN(item, tree_first(list), item->type == TREE_STRING && str_equal(item->text, text));
}

static void check_case(struct linter *linter, const struct tree *problem, struct str id, struct place place)
{
    const struct tree *tree = case_named(linter->suite, id);
    const char *name = str_printable(linter->arena, id);
    if (!tree)
        fault_add(place, "problem-case", "there is no case '%s'", name);
    else if (!names(tree_member(tree, "seen"), tree_text(problem, "link")))
        fault_add(place, "problem-case", "'%s' lacks the link in its `seen`", name);
}

void lint_problems(struct linter *linter)
{
    const struct place file = place_in(linter->faults, STR("interop.json"), STR(""));
    FOR_EACH_IN(problem, tree_first(linter->suite->problems)) {
        struct place place = place_of_child(file, linter->suite->problems, problem);
        if (!grammar_check("problem", problem, place))
            continue;
        lint_link(linter, tree_member(problem, "link"), place);
        const struct tree *cases = tree_member(problem, "cases");
        bool has_why = tree_text(problem, "why").size > 0;
        if (has_why == (cases && cases->count > 0))
            fault_add(place, "problem-case", "a problem has `cases` or `why`, one of the two");
        FOR_EACH_IN(item, tree_first(cases))
            check_case(linter, problem, item->text, place);
    }
}
