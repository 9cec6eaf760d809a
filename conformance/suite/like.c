#include "suite/like.h"

#include "base/search.h"
#include "tree/pointer.h"

static const char *const own_members[] = {"like", "replace", "without"};

/* Returns the text with the first of each pair of texts replaced by the second, pair after pair. */
static struct str text_like(const struct tree *pairs, struct str text, struct arena *arena)
{
    FOR_EACH_IN(pair, tree_first(pairs)) {
        struct str from = tree_at(pair, 0)->text, to = tree_at(pair, 1)->text;
        struct buf made = {0};
        const char *found;
        if (tree_at(pair, 0)->type != TREE_STRING || tree_at(pair, 1)->type != TREE_STRING || !from.size)
            continue;
        while (text.size && (found = memmem(text.data, text.size, from.data, from.size)) != NULL) {
            size_t before = (size_t)(found - text.data);
            buf_append_str(&made, (struct str){text.data, before});
            buf_append_str(&made, to);
            text = str_from(text, before + from.size);
        }
        buf_append_str(&made, text);
        text = arena_take(arena, &made);
    }
    return text;
}

static struct tree *value_like(const struct tree *pairs, const struct tree *value, struct arena *arena)
{
    FOR_EACH_IN(pair, tree_first(pairs))
        if (value->type != TREE_STRING && tree_equal(value, tree_at(pair, 0)))
            return tree_copy(arena, tree_at(pair, 1));
    if (value->type == TREE_STRING)
        return tree_string(arena, text_like(pairs, value->text, arena));
    if (value->type != TREE_OBJECT && value->type != TREE_ARRAY)
        return tree_copy(arena, value);
    struct tree *made = tree_new(arena, value->type);
    FOR_EACH_IN(child, value->first) {
        struct tree *copy = value_like(pairs, child, arena);
        if (value->type == TREE_ARRAY)
            tree_append(made, copy);
        else
            tree_add(made, text_like(pairs, child->name, arena), copy);
    }
    return made;
}

static bool are_pairs(const struct tree *pairs)
{
    return !pairs ||
           (pairs->type == TREE_ARRAY && ALL_IN(pair, pairs->first, pair->type == TREE_ARRAY && pair->count == 2));
}

static struct status leave_out(struct tree *tree, const struct family *family, struct arena *arena)
{
    FOR_EACH_IN(one, tree_first(tree_member(family->tree, "without"))) {
        struct str parent, step;
        struct tree *gone = pointer_find(tree, one->text);
        if (!gone || !pointer_split(one->text, &parent, &step) || !tree_remove(pointer_find(tree, parent), gone))
            return status_invalid(arena, "%.*s.json: nothing stands at '%s'", STR_ARG(family->path),
                                  str_printable(arena, one->text));
    }
    return STATUS_IS_OK;
}

static struct status expand(struct suite *suite, struct family *family, const struct tree *pattern)
{
    struct arena *arena = &suite->arena;
    const struct tree *pairs = tree_member(family->tree, "replace");
    if (!are_pairs(pairs))
        return status_invalid(arena, "%.*s.json: `replace` is a list of pairs", STR_ARG(family->path));
    struct tree *made = value_like(pairs, pattern, arena);
    struct status status = leave_out(made, family, arena);
    FOR_EACH_IN(member, family->tree->first)
        if (!ANY(i, COUNT_OF(own_members), str_is(member->name, own_members[i])))
            tree_set(made, member->name, tree_copy(arena, member));
    family->tree = made;
    return status;
}

struct status like_expand(struct suite *suite)
{
    for (size_t i = 0; i < suite->family_count; i++) {
        struct family *family = &suite->families[i];
        if (!tree_member(family->tree, "like"))
            continue;
        const struct family *pattern = suite_family(suite, tree_text(family->tree, "like"));
        if (!pattern || pattern == family || !pattern->is_written)
            return status_invalid(&suite->arena, "%.*s.json: `like` names no case that is written out",
                                  STR_ARG(family->path));
        struct status status = expand(suite, family, pattern->tree);
        if (!is_ok(status))
            return status;
    }
    return STATUS_IS_OK;
}
