#include "tree/pointer.h"

bool pointer_index(struct str step, size_t *index)
{
    unsigned long long value;
    if (!str_to_uint64(step, &value))
        return false;
    *index = (size_t)value;
    return true;
}

/* Reads the character at the start of a step and returns its length; "~0" and "~1" are one character. Returns 0 for a
 * "~" that is followed by anything else. */
static size_t first_character(struct str step, char *character)
{
    *character = step.data[0];
    if (*character != '~')
        return 1;
    if (step.size < 2 || (step.data[1] != '0' && step.data[1] != '1'))
        return 0;
    *character = step.data[1] == '0' ? '~' : '/';
    return 2;
}

static bool step_names(struct str step, struct str name)
{
    size_t at = 0;
    while (step.size > 0) {
        char character;
        size_t length = first_character(step, &character);
        if (length == 0 || at == name.size || name.data[at] != character)
            return false;
        at++;
        step = str_from(step, length);
    }
    return at == name.size;
}

static struct tree *find_child(struct tree *parent, struct str step)
{
    size_t index;
    if (parent->type == TREE_ARRAY)
        return pointer_index(step, &index) ? tree_at(parent, index) : NULL;
    if (parent->type == TREE_OBJECT)
        for (struct tree *member = parent->first; member; member = member->next)
            if (step_names(step, member->name))
                return member;
    return NULL;
}

struct tree *pointer_find(struct tree *root, struct str pointer)
{
    struct tree *found = root;
    while (found && pointer.size > 0) {
        if (pointer.data[0] != '/')
            return NULL;
        pointer = str_from(pointer, 1);
        struct str step = str_before(pointer, '/');
        pointer = str_from(pointer, step.size);
        found = find_child(found, step);
    }
    return found;
}

const struct tree *pointer_look(const struct tree *root, struct str pointer)
{
    union {
        const struct tree *in;
        struct tree *out;
    } tree = {root}; /* pointer_find changes nothing, so the cast is safe */
    return pointer_find(tree.out, pointer);
}

bool pointer_split(struct str pointer, struct str *parent, struct str *step)
{
    if (pointer.size == 0 || pointer.data[0] != '/')
        return false;
    *step = str_behind_last(pointer, '/');
    *parent = (struct str){pointer.data, pointer.size - step->size - 1};
    return true;
}

struct str pointer_name(struct arena *arena, struct str step)
{
    char *out = arena_alloc(arena, step.size); /* the decoded name is never longer than the step */
    if (!out)
        return (struct str){0};
    struct str name = {out, 0};
    while (step.size > 0) {
        size_t length = first_character(step, out + name.size);
        if (length == 0)
            return (struct str){0};
        name.size++;
        step = str_from(step, length);
    }
    return name;
}

void pointer_append(struct buf *out, struct str name)
{
    buf_append_byte(out, '/');
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] == '~' || name.data[i] == '/')
            buf_append_str(out, name.data[i] == '~' ? STR("~0") : STR("~1"));
        else
            buf_append_byte(out, name.data[i]);
}

struct str pointer_child(struct arena *arena, struct str pointer, struct str name)
{
    struct buf out = {0};
    buf_append_str(&out, pointer);
    pointer_append(&out, name);
    return arena_take(arena, &out);
}
