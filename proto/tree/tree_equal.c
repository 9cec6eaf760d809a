/* Compares two trees. Equality is transitive, so two objects are equal if every member of one occurs equally often in
 * both. Members usually are in the same order, so equal members at the start are skipped first. */
#include "base/search.h"
#include "tree/tree.h"
#include "json/number.h"

static bool members_equal(const struct tree *a, const struct tree *b)
{
    return str_equal(a->name, b->name) && tree_equal(a, b);
}

/* Counts how often `member` occurs among the members from `first` on. */
static size_t times_among(const struct tree *first, const struct tree *member)
{
    size_t times = 0;
    for (const struct tree *other = first; other; other = other->next)
        times += other == member || members_equal(other, member);
    return times;
}

static bool objects_equal(const struct tree *a, const struct tree *b)
{
    const struct tree *rest = a->first, *other_rest = b->first;
    while (rest && other_rest && members_equal(rest, other_rest)) {
        rest = rest->next;
        other_rest = other_rest->next;
    }
    return ALL_IN(member, rest, times_among(rest, member) == times_among(other_rest, member));
}

static bool arrays_equal(const struct tree *a, const struct tree *b)
{
    const struct tree *x = a->first, *y = b->first;
    while (x && y && tree_equal(x, y)) {
        x = x->next;
        y = y->next;
    }
    return !x && !y;
}

bool tree_equal(const struct tree *a, const struct tree *b)
{
    if (a->type != b->type || a->count != b->count)
        return false;
    switch (a->type) {
    case TREE_NULL:
        return true;
    case TREE_BOOL:
        return a->boolean == b->boolean;
    case TREE_NUMBER:
        return number_equal(a->text, b->text);
    case TREE_STRING:
        return str_equal(a->text, b->text);
    case TREE_ARRAY:
        return arrays_equal(a, b);
    case TREE_OBJECT:
        return objects_equal(a, b);
    }
    return false;
}
