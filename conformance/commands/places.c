#include "commands/places.h"

#include "support/printable.h"

struct walk {
    void (*found)(void *context, struct str place, const struct tree *one, const struct tree *other);
    void *context;
    struct arena *arena;
};

void places_append_value(struct buf *out, const struct tree *value, size_t most)
{
    struct buf text = {0};
    if (!value) {
        buf_append_literal(out, "nothing");
        return;
    }
    tree_write_start(value, &text, 2 * most);
    append_printable(out, buf_str(&text), most);
    buf_free(&text);
}

/* Returns the name of a child: its ID, of a member its name, of an item its number. */
static struct str place(struct str where, const struct tree *child, size_t index, struct arena *arena)
{
    struct str id = tree_text(child, "id");
    if (id.size)
        return arena_printf(arena, "%.*s/%.*s", STR_ARG(where), STR_ARG(id));
    if (child->name.size)
        return arena_printf(arena, "%.*s/%.*s", STR_ARG(where), STR_ARG(child->name));
    return arena_printf(arena, "%.*s/%zu", STR_ARG(where), index);
}

static void compare_values(const struct walk *walk, struct str where, const struct tree *one, const struct tree *other)
{
    bool are_nodes =
        one->type == other->type && one->count == other->count && (one->type == TREE_OBJECT || one->type == TREE_ARRAY);
    if (tree_equal(one, other))
        return;
    if (!are_nodes && !(one->type == TREE_OBJECT && other->type == TREE_OBJECT)) {
        walk->found(walk->context, where, one, other);
        return;
    }
    size_t index = 0;
    const struct tree *opposite = other->first;
    for (const struct tree *child = one->first; child; child = child->next, index++) {
        const struct tree *same = one->type == TREE_OBJECT ? tree_member_str(other, child->name) : opposite;
        struct str at = place(where, child, index, walk->arena);
        if (same)
            compare_values(walk, at, child, same);
        else
            walk->found(walk->context, at, child, NULL);
        opposite = opposite ? opposite->next : NULL;
    }
    for (const struct tree *child = other->first; child && one->type == TREE_OBJECT; child = child->next)
        if (!tree_member_str(one, child->name))
            walk->found(walk->context, place(where, child, 0, walk->arena), NULL, child);
}

void places_compare(const struct tree *one, const struct tree *other,
                    void (*found)(void *context, struct str place, const struct tree *one, const struct tree *other),
                    void *context, struct arena *arena)
{
    compare_values(&(struct walk){found, context, arena}, STR(""), one, other);
}
