/* Lint of one case: its names, members, keys and controls. */
#include "lint/linter.h"

#include "base/search.h"
#include "support/expression.h"

static bool is_in_a_known_folder(const struct registry *registry, struct str path)
{
    bool known = registry_profile_of_case(registry, path) != NULL ||
                 ANY(i, registry->encoding_count, encoding_plays(&registry->encodings[i], path));
    return known && str_has(path, '/');
}

static void check_path(struct linter *linter, const struct family *family, struct place place)
{
    struct str rest = family->path;
    while (rest.size) {
        struct str part = str_take(&rest, '/');
        if (!expression_meets(STR("^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"), part))
            fault_add(place, "slug", "'%s' may hold lower-case letters, digits and, between them, hyphens",
                      str_printable(linter->arena, part));
    }
    if (!is_in_a_known_folder(&linter->suite->registry, family->path))
        fault_add(place, "slug", "a case lies in the folder of a profile, or in one that an encoding names in `cases`");
}

static void check_over(struct linter *linter, const struct tree *over, struct place place)
{
    FOR_EACH_OF(name, over) {
        const struct encoding *encoding = registry_encoding(&linter->suite->registry, name->text);
        if (!encoding || encoding->act != ACT_INFER)
            fault_add(place_below(place, STR("over")), "over-known", "'%s' is no encoding of infer",
                      str_printable(linter->arena, name->text));
    }
}

static void check_needs(struct linter *linter, const struct tree *needs, struct place place)
{
    struct str state = tree_text(needs, "state");
    if (state.size && !tree_member_str(linter->suite->states, state))
        fault_add(place_below(place, STR("needs")), "state-known", "servers.json has no state '%s'",
                  str_printable(linter->arena, state));
}

/* --- Models --- */

/* Whether a segment of the path in "GET /.../NAME/..." is the name of a model of the suite. */
static bool names_model_in_path(const struct suite *suite, struct str text)
{
    const char *path = text.size ? memmem(text.data, text.size, " /", 2) : NULL;
    struct str rest = path ? str_from(text, (size_t)(path - text.data) + 2) : (struct str){NULL, 0};
    while (rest.size) {
        struct str segment = str_until(rest, "/ ?");
        if (suite_model(suite, segment))
            return true;
        rest = str_from(rest, segment.size + (segment.size < rest.size));
    }
    return false;
}

static void check_literals(struct linter *linter, const struct tree *tree, struct place place)
{
    if (tree->type == TREE_STRING &&
        (suite_model(linter->suite, tree->text) || names_model_in_path(linter->suite, tree->text)))
        fault_add(place, "model-literal", "names the model by '%s', not by ${model}",
                  str_printable(linter->arena, tree->text));
    FOR_EACH_IN(child, tree->first)
        if (!str_is(child->name, "data"))
            check_literals(linter, child, place_of_child(place, tree, child));
}

/* --- Neighbours --- */

/* Members whose texts are neither sent nor compared. */
static const char *const free_texts[] = {"says",    "infer",   "model",    "for", "needs",
                                         "control", "because", "formerly", "seen"};

static size_t count_changes(const struct tree *neighbour)
{
    static const char *const verbs[] = {"set", "add", "copy", "rename", "remove"};
    size_t count = tree_member(neighbour, "bytes") ? 1 : 0;
    for (size_t i = 0; i < COUNT_OF(verbs); i++) {
        const struct tree *verb = tree_member(neighbour, verbs[i]);
        if (verb)
            count += verb->type == TREE_STRING ? 1 : verb->count;
    }
    return count;
}

static void check_parts(struct linter *linter, const struct tree *tree, struct place place)
{
    FOR_EACH_IN(member, tree->first)
        if (!ANY(i, COUNT_OF(free_texts), str_is(member->name, free_texts[i])) && !str_is(member->name, "neighbours"))
            check_literals(linter, member, place_below(place, member->name));
    check_over(linter, tree_member(tree, "over"), place);
    check_needs(linter, tree_member(tree, "needs"), place);
    lint_links(linter, tree_member(tree, "seen"), place_below(place, STR("seen")));
}

static void check_neighbour(struct linter *linter, const struct tree *base, const struct tree *neighbour,
                            struct place place)
{
    if (!expression_meets(STR("^[a-z0-9]([a-z0-9_.-]*[a-z0-9])?$"), neighbour->name) ||
        str_is(neighbour->name, "replay"))
        fault_add(place, "slug",
                  "a neighbour's name may hold lower-case letters, digits and, between them, '-', '_' and '.'; it is "
                  "not 'replay'");
    size_t changes = count_changes(neighbour);
    bool because = tree_member(neighbour, "because") != NULL;
    if (changes == 0)
        fault_add(place, "one-change", "nothing differs from the base");
    if (changes > 1 && !because)
        fault_add(place, "one-change", "makes %zu changes and gives no `because`", changes);
    if (changes == 1 && because)
        fault_add(place, "because-needed", "there is but one change");
    check_parts(linter, neighbour, place);
    lint_edit(base, tree_member(neighbour, "bytes"), place_below(place, STR("bytes")));
    lint_expect(linter, tree_member(neighbour, "expect"), place_below(place, STR("expect")));
}

void lint_case(struct linter *linter, const struct family *family, struct place place)
{
    check_path(linter, family, place);
    lint_steps(linter, family, place);
    lint_request_lines(family->tree, place);
    lint_watcher(family, place);
    lint_probe(family->tree, place);
    check_parts(linter, family->tree, place);
    if (tree_member(family->tree, "expect"))
        lint_expect(linter, tree_member(family->tree, "expect"), place_below(place, STR("expect")));
    lint_observations(linter, family->tree, place);
    const struct tree *neighbours = tree_member(family->tree, "neighbours");
    FOR_EACH_IN(neighbour, tree_first(neighbours))
        check_neighbour(linter, family->tree, neighbour,
                        place_below(place_below(place, STR("neighbours")), neighbour->name));
}
