#include "tree/change.h"

#include "base/search.h"
#include "tree/pointer.h"

struct edit {
    struct tree **root;
    struct arena *arena;
    const char *verb;
};

static struct status refuse(const struct edit *edit, struct str pointer, const char *why)
{
    return status_invalid(edit->arena, "%s '%s': %s", edit->verb, str_printable(edit->arena, pointer), why);
}

/* Replaces what `pointer` finds by `with`. */
static struct status replace(const struct edit *edit, struct str pointer, struct tree *with)
{
    struct tree *there = pointer_find(*edit->root, pointer);
    struct str parent, step;
    if (!there)
        return refuse(edit, pointer, "nothing is there");
    if (pointer_split(pointer, &parent, &step))
        tree_replace(pointer_find(*edit->root, parent), there, with);
    else
        *edit->root = with;
    return STATUS_IS_OK;
}

static struct status add(const struct edit *edit, struct str pointer, struct tree *value)
{
    struct str parent_pointer, step;
    if (!pointer_split(pointer, &parent_pointer, &step))
        return refuse(edit, pointer, "the pointer names no place in an object or array");
    struct tree *parent = pointer_find(*edit->root, parent_pointer);
    if (!parent || (parent->type != TREE_ARRAY && parent->type != TREE_OBJECT))
        return refuse(edit, pointer, "no object or array is there to add to");

    if (parent->type == TREE_ARRAY) {
        size_t index = parent->count;
        if (!str_is(step, "-") && (!pointer_index(step, &index) || index > parent->count))
            return refuse(edit, pointer, "the array has no such place");
        tree_insert(parent, index, value);
        return STATUS_IS_OK;
    }
    if (pointer_find(*edit->root, pointer))
        return refuse(edit, pointer, "it is already there");
    struct str name = pointer_name(edit->arena, step);
    if (!name.data)
        return refuse(edit, pointer, "the pointer is malformed");
    tree_add(parent, name, value);
    return STATUS_IS_OK;
}

static struct status remove_one(const struct edit *edit, const struct tree *argument)
{
    struct str parent, step;
    if (argument->type != TREE_STRING)
        return refuse(edit, (struct str){0}, "it takes a pointer or a list of pointers");
    if (!pointer_split(argument->text, &parent, &step))
        return refuse(edit, argument->text, "the pointer names no place in an object or array");
    struct tree *there = pointer_find(*edit->root, argument->text);
    if (!there)
        return refuse(edit, argument->text, "nothing is there");
    tree_remove(pointer_find(*edit->root, parent), there);
    return STATUS_IS_OK;
}

/* --- One function for each verb. `argument` is a member of the verb's object; its name is the pointer. --- */

static struct status change_set(const struct edit *edit, const struct tree *argument)
{
    const struct tree *there = pointer_find(*edit->root, argument->name);
    if (there && tree_equal(there, argument))
        return refuse(edit, argument->name, "that is already its value, so nothing would change");
    struct tree *value = tree_copy(edit->arena, argument);
    return value ? replace(edit, argument->name, value) : status_no_memory();
}

static struct status change_add(const struct edit *edit, const struct tree *argument)
{
    struct tree *value = tree_copy(edit->arena, argument);
    return value ? add(edit, argument->name, value) : status_no_memory();
}

static struct status change_copy(const struct edit *edit, const struct tree *argument)
{
    if (argument->type != TREE_STRING)
        return refuse(edit, argument->name, "it takes the pointer of what is copied");
    const struct tree *from = pointer_find(*edit->root, argument->text);
    if (!from)
        return refuse(edit, argument->text, "nothing is there to copy");
    struct tree *value = tree_copy(edit->arena, from);
    NEED(value);
    if (pointer_find(*edit->root, argument->name))
        return replace(edit, argument->name, value);
    return add(edit, argument->name, value);
}

static struct status change_rename(const struct edit *edit, const struct tree *argument)
{
    struct str parent_pointer, step;
    struct tree *there = pointer_find(*edit->root, argument->name);
    if (argument->type != TREE_STRING)
        return refuse(edit, argument->name, "it takes the new name of the member");
    if (!there || !pointer_split(argument->name, &parent_pointer, &step))
        return refuse(edit, argument->name, "no member is there");
    if (pointer_find(*edit->root, parent_pointer)->type != TREE_OBJECT)
        return refuse(edit, argument->name, "elements of an array have no name");
    if (str_equal(there->name, argument->text))
        return refuse(edit, argument->name, "that is already its name, so nothing would change");
    there->name = argument->text;
    return STATUS_IS_OK;
}

static const struct verb {
    const char *name;
    struct status (*apply)(const struct edit *edit, const struct tree *argument);
    bool takes_pointers; /* the argument is a pointer or a list of pointers, not an object with pointers as names */
} verbs[] = {
    {"set", change_set, false},   {"add", change_add, false},       {"remove", remove_one, true},
    {"copy", change_copy, false}, {"rename", change_rename, false},
};

#define VERBS COUNT_OF(verbs)

static struct status apply_verb(const struct verb *verb, struct tree **root, const struct tree *argument,
                                struct arena *arena)
{
    struct edit edit = {.root = root, .arena = arena, .verb = verb->name};
    if (verb->takes_pointers && argument->type != TREE_ARRAY)
        return verb->apply(&edit, argument);
    if (!verb->takes_pointers && argument->type != TREE_OBJECT)
        return refuse(&edit, (struct str){0}, "it takes an object whose member names are pointers");
    for (const struct tree *each = argument->first; each; each = each->next)
        TRY(verb->apply(&edit, each));
    return STATUS_IS_OK;
}

struct status change_apply(struct tree **root, const struct tree *change, struct arena *arena)
{
    for (size_t i = 0; i < VERBS; i++) {
        const struct tree *argument = tree_member(change, verbs[i].name);
        if (argument)
            TRY(apply_verb(&verbs[i], root, argument, arena));
    }
    return STATUS_IS_OK;
}
