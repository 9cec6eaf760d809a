#include "tree/tree.h"

#include "base/search.h"
#include "json/number.h"

struct tree *tree_new(struct arena *arena, enum tree_type type)
{
    struct tree *tree = arena_new_of(arena, struct tree);
    if (tree)
        tree->type = type;
    return tree;
}

struct tree *tree_string(struct arena *arena, struct str text)
{
    struct tree *tree = tree_new(arena, TREE_STRING);
    if (tree)
        tree->text = text;
    return tree;
}

struct tree *tree_bool(struct arena *arena, bool value)
{
    struct tree *tree = tree_new(arena, TREE_BOOL);
    if (tree)
        tree->boolean = value;
    return tree;
}

struct tree *tree_number(struct arena *arena, struct str spelling)
{
    struct tree *tree = tree_new(arena, TREE_NUMBER);
    if (tree)
        tree->text = spelling;
    return tree;
}

static struct tree *number_of(struct arena *arena, const char *text, size_t size)
{
    struct str spelling = arena_copy(arena, (struct str){text, size});
    return spelling.data ? tree_number(arena, spelling) : NULL;
}

struct tree *tree_int(struct arena *arena, long long value)
{
    char text[NUMBER_TEXT_MAX];
    return number_of(arena, text, number_write_int64(value, text));
}

struct tree *tree_uint(struct arena *arena, unsigned long long value)
{
    char text[NUMBER_TEXT_MAX];
    return number_of(arena, text, number_write_uint64(value, text));
}

struct tree *tree_copy(struct arena *arena, const struct tree *tree)
{
    struct tree *copy = tree_share(arena, tree);
    if (!copy)
        return NULL;
    copy->first = copy->last = NULL;
    copy->count = 0;
    for (const struct tree *child = tree->first; child; child = child->next)
        if (!tree_append(copy, tree_copy(arena, child)))
            return NULL;
    return copy;
}

struct tree *tree_share(struct arena *arena, const struct tree *tree)
{
    struct tree *shared = tree_new(arena, tree->type);
    if (!shared)
        return NULL;
    *shared = *tree;
    shared->next = NULL;
    return shared;
}

struct tree *tree_copy_whole(struct arena *arena, const struct tree *tree)
{
    struct tree *copy = tree_new(arena, tree->type);
    if (!copy)
        return NULL;
    copy->boolean = tree->boolean;
    copy->text = tree->text.size ? arena_copy(arena, tree->text) : tree->text;
    copy->name = tree->name.size ? arena_copy(arena, tree->name) : tree->name;
    if ((tree->text.size && !copy->text.data) || (tree->name.size && !copy->name.data))
        return NULL;
    for (const struct tree *child = tree->first; child; child = child->next)
        if (!tree_append(copy, tree_copy_whole(arena, child)))
            return NULL;
    return copy;
}

struct tree *tree_member_str(const struct tree *object, struct str name)
{
    bool is_object = object && object->type == TREE_OBJECT;
    return is_object ? FIND_IN(member, object->first, str_equal(member->name, name)) : NULL;
}

struct tree *tree_member(const struct tree *object, const char *name)
{
    return tree_member_str(object, str_of(name));
}

struct tree *tree_at(const struct tree *array, size_t index)
{
    if (!array || array->type != TREE_ARRAY || index >= array->count)
        return NULL;
    struct tree *element = array->first;
    while (index-- > 0)
        element = element->next;
    return element;
}

struct str tree_text(const struct tree *object, const char *name)
{
    const struct tree *member = tree_member(object, name);
    return member && member->type == TREE_STRING ? member->text : (struct str){0};
}

bool tree_is_true(const struct tree *object, const char *name)
{
    const struct tree *member = tree_member(object, name);
    return member && member->type == TREE_BOOL && member->boolean;
}

bool tree_to_int64(const struct tree *number, int64_t *value)
{
    return number && number->type == TREE_NUMBER && number_read_int64(number->text, value);
}

bool tree_append(struct tree *array, struct tree *child)
{
    if (!child)
        return false;
    child->next = NULL;
    if (array->last)
        array->last->next = child;
    else
        array->first = child;
    array->last = child;
    array->count++;
    return true;
}

bool tree_add(struct tree *object, struct str name, struct tree *child)
{
    if (child)
        child->name = name;
    return tree_append(object, child);
}

struct tree *tree_of_pairs(struct arena *arena, const struct tree_pair *pairs)
{
    struct tree *object = tree_new(arena, TREE_OBJECT);
    for (; object && pairs->name; pairs++)
        tree_add(object, str_of(pairs->name), pairs->value);
    return object;
}

struct tree *tree_with(struct tree *object, struct str name, struct tree *child)
{
    return object && tree_add(object, name, child) ? object : NULL;
}

struct tree *tree_with_text(struct tree *object, const char *name, struct str text, struct arena *arena)
{
    return tree_with(object, str_of(name), tree_string(arena, text));
}

void tree_insert(struct tree *array, size_t index, struct tree *child)
{
    if (index >= array->count) {
        tree_append(array, child);
        return;
    }
    struct tree **link = &array->first;
    while (index-- > 0)
        link = &(*link)->next;
    child->next = *link;
    *link = child;
    array->count++;
}

/* Replaces a child by `with`, or removes it if `with` is NULL. Returns false if it is no child. */
static bool change_child(struct tree *parent, struct tree *child, struct tree *with)
{
    struct tree *before = NULL, *at = parent->first;
    while (at && at != child) {
        before = at;
        at = at->next;
    }
    if (!at)
        return false;
    if (with) {
        with->name = child->name;
        with->next = child->next;
    }
    *(before ? &before->next : &parent->first) = with ? with : child->next;
    if (parent->last == child)
        parent->last = with ? with : before;
    child->next = NULL;
    return true;
}

bool tree_replace(struct tree *parent, struct tree *child, struct tree *with)
{
    return change_child(parent, child, with);
}

bool tree_set(struct tree *object, struct str name, struct tree *child)
{
    struct tree *member = tree_member_str(object, name);
    return child && member ? tree_replace(object, member, child) : tree_add(object, name, child);
}

bool tree_remove(struct tree *parent, struct tree *child)
{
    bool is_child = change_child(parent, child, NULL);
    parent->count -= is_child;
    return is_child;
}

const char *tree_type_name(enum tree_type type)
{
    static const char *const names[] = {
        [TREE_NULL] = "null",     [TREE_BOOL] = "bool",   [TREE_NUMBER] = "number",
        [TREE_STRING] = "string", [TREE_ARRAY] = "array", [TREE_OBJECT] = "object",
    };
    return names[type];
}
