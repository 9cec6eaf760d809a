#include "judge/edits.h"

#include "base/search.h"
#include "tree/pointer.h"

#define FEW 16 /* elements of a list that are made smaller one by one */

struct looking {
    const struct edit_rules *rules;
    struct list *edits;
    struct arena *arena;
};

static bool is_one_of(struct str name, const char *const *names, size_t count)
{
    return ANY(i, count, str_is(name, names[i]));
}

/* What an act is cannot be left out. */
static bool is_of_act(struct str name)
{
    static const char *const names[] = {"infer", "http", "grpc", "version", "json", "message", "body"};
    return is_one_of(name, names, COUNT_OF(names));
}

/* What every tensor has. */
static bool is_of_tensor(struct str name)
{
    static const char *const names[] = {"inputs", "name", "datatype", "shape", "data"};
    return is_one_of(name, names, COUNT_OF(names));
}

/* Bytes that a codec makes. */
static bool is_coded(struct str name)
{
    static const char *const names[] = {"raw", "hex", "base64"};
    return is_one_of(name, names, COUNT_OF(names));
}

static bool has_text(const struct tree *tree, struct str text)
{
    if (tree && tree->type == TREE_STRING && str_equal(tree->text, text))
        return true;
    return ANY_IN(child, tree_first(tree), has_text(child, text));
}

/* Whether a string below the node is in what is expected, too. */
static bool is_expected(const struct edit_rules *rules, const struct tree *node)
{
    if (node->type == TREE_STRING && node->text.size && has_text(rules->expected, node->text))
        return true;
    return ANY_IN(child, node->first, is_expected(rules, child));
}

size_t edit_weight(const struct tree *node)
{
    struct buf text = {0};
    tree_write(node, &text);
    size_t size = text.size;
    buf_free(&text);
    return size;
}

static void add_edit(const struct looking *looking, struct edit edit)
{
    struct edit *kept = arena_new_of(looking->arena, struct edit);
    *kept = edit;
    list_append(looking->edits, kept, looking->arena);
}

/* Adds an edit for each half, quarter and so on of `count`: from the end alone, or everywhere. */
static void add_parts(const struct looking *looking, struct edit edit, size_t count, size_t weight, bool at_end)
{
    for (size_t size = (count + 1) / 2; size > 0 && count; size /= 2) {
        edit.count = size;
        edit.weight = weight * size / count;
        for (edit.from = at_end ? count - size : 0; edit.from < count; edit.from += size)
            add_edit(looking, edit);
    }
}

static struct str pointer_to(struct str at, const struct tree *child, size_t index, struct arena *arena)
{
    return child->name.data ? pointer_child(arena, at, child->name)
                            : arena_printf(arena, "%.*s/%zu", STR_ARG(at), index);
}

static bool is_zero(const struct tree *node)
{
    int64_t value;
    return node->type == TREE_NULL || (node->type == TREE_STRING && !node->text.size) ||
           (node->type == TREE_BOOL && !node->boolean) ||
           (node->type == TREE_NUMBER && tree_to_int64(node, &value) && value == 0);
}

static bool are_plain(const struct tree *list)
{
    return !ANY_IN(child, list->first, child->type == TREE_ARRAY || child->type == TREE_OBJECT);
}

static int64_t rows_of(const struct tree *tensor)
{
    int64_t rows = 0;
    const struct tree *first = tree_at(tree_member(tensor, "shape"), 0);
    return first && tree_member(tensor, "data") && tree_to_int64(first, &rows) ? rows : 0;
}

static void look(const struct looking *looking, const struct tree *node, struct str at);

static void look_at_scalar(const struct looking *looking, const struct tree *node, struct str at)
{
    struct edit edit = {.kind = EDIT_CUT, .at = at};
    int64_t value;
    if (is_expected(looking->rules, node))
        return;
    if (node->type == TREE_STRING)
        add_parts(looking, edit, node->text.size, node->text.size, true);
    if (node->type == TREE_NUMBER && tree_to_int64(node, &value) && value != INT64_MIN)
        add_parts(looking, edit, (size_t)llabs(value), node->text.size, true);
}

/* The data of a tensor: its number of elements belongs to the shape. */
static void look_at_data(const struct looking *looking, const struct tree *data, struct str at)
{
    size_t index = 0;
    if (are_plain(data) && !ALL_IN(child, data->first, is_zero(child)))
        add_parts(looking, (struct edit){.kind = EDIT_ZERO, .at = at}, data->count, edit_weight(data), false);
    for (const struct tree *child = data->first; child && (data->count <= FEW || !are_plain(data)); child = child->next)
        if (child->type == TREE_ARRAY)
            look_at_data(looking, child, pointer_to(at, child, index++, looking->arena));
        else
            look_at_scalar(looking, child, pointer_to(at, child, index++, looking->arena));
}

static void look_at_object(const struct looking *looking, const struct tree *object, struct str at)
{
    const struct edit_rules *rules = looking->rules;
    bool is_tensor = tree_member(object, "shape") && tree_member(object, "data");
    size_t index = 0;
    for (const struct tree *child = object->first; child; child = child->next, index++) {
        struct str place = pointer_to(at, child, index, looking->arena);
        bool is_kept = (at.size == 0 && is_of_act(child->name)) || is_of_tensor(child->name);
        if (!is_kept && !is_expected(rules, child))
            add_edit(looking, (struct edit){EDIT_DROP, at, index, 1, edit_weight(child)});
        bool is_text_of_act = at.size == 0 && is_of_act(child->name) && child->type == TREE_STRING;
        if (is_tensor && str_is(child->name, "data") && child->type == TREE_ARRAY && !rules->keeps_values)
            look_at_data(looking, child, place);
        else if (!is_text_of_act && !is_coded(child->name) &&
                 (!is_of_tensor(child->name) || str_is(child->name, "inputs")))
            look(looking, child, place);
    }
}

/* Of plain values, such as raw contents, nobody knows what belongs to them. */
static void look_at_list(const struct looking *looking, const struct tree *list, struct str at)
{
    int64_t rows = list->first ? rows_of(list->first) : 0;
    bool is_needed = str_is(list->name, "inputs") || are_plain(list) || is_expected(looking->rules, list);
    size_t index = 0;
    if (rows > 1 && !looking->rules->keeps_values)
        add_parts(looking, (struct edit){.kind = EDIT_ROWS, .at = at}, (size_t)rows, edit_weight(list), true);
    if (!is_needed)
        add_parts(looking, (struct edit){.kind = EDIT_DROP, .at = at}, list->count, edit_weight(list), false);
    for (const struct tree *child = list->first; child; child = child->next, index++)
        if (child->type == TREE_OBJECT)
            look_at_object(looking, child, pointer_to(at, child, index, looking->arena));
}

static void look(const struct looking *looking, const struct tree *node, struct str at)
{
    if (node->type == TREE_OBJECT)
        look_at_object(looking, node, at);
    else if (node->type == TREE_ARRAY)
        look_at_list(looking, node, at);
    else
        look_at_scalar(looking, node, at);
}

static int by_weight(const void *a, const void *b)
{
    const struct edit *one = *(struct edit *const *)a, *other = *(struct edit *const *)b;
    return (one->weight < other->weight) - (one->weight > other->weight);
}

struct list edits_of(const struct tree *act, const struct edit_rules *rules, struct arena *arena)
{
    struct list edits = {0};
    const struct looking looking = {rules, &edits, arena};
    look(&looking, act, STR(""));
    array_sort(edits.items, edits.count, by_weight);
    return edits;
}

/* --- Applying --- */

static void drop(struct tree *parent, size_t from, size_t count)
{
    for (; count > 0 && from < parent->count; count--) {
        struct tree *child = parent->first;
        for (size_t i = 0; i < from; i++)
            child = child->next;
        tree_remove(parent, child);
    }
}

static void zero(struct tree *list, size_t from, size_t count)
{
    size_t index = 0;
    for (struct tree *child = list->first; child; child = child->next, index++) {
        if (index < from || index >= from + count)
            continue;
        child->boolean = false;
        child->text = child->type == TREE_NUMBER ? STR("0") : STR("");
    }
}

static void cut(struct tree *node, size_t count, struct arena *arena)
{
    int64_t value;
    if (node->type == TREE_NUMBER && tree_to_int64(node, &value))
        node->text =
            arena_printf(arena, "%lld", (long long)(value < 0 ? value + (int64_t)count : value - (int64_t)count));
    if (node->type != TREE_STRING || count > node->text.size)
        return;
    node->text.size -= count;
    while (node->text.size && ((unsigned char)node->text.data[node->text.size] & 0xC0) == 0x80)
        node->text.size--; /* no part of a character is left */
}

/* Returns how many elements of the data, flat or nested, a row has. */
static size_t row_size(const struct tree *shape, const struct tree *data)
{
    size_t size = 1;
    int64_t dimension;
    for (const struct tree *at = shape->first->next; at && are_plain(data); at = at->next)
        size *= tree_to_int64(at, &dimension) && dimension > 0 ? (size_t)dimension : 1;
    return size;
}

static void cut_rows(struct tree *list, size_t count, struct arena *arena)
{
    int64_t rows = list->first ? rows_of(list->first) : 0;
    for (struct tree *tensor = list->first; tensor && rows > (int64_t)count; tensor = tensor->next) {
        struct tree *shape = tree_member(tensor, "shape"), *data = tree_member(tensor, "data");
        if (rows_of(tensor) != rows || data->type != TREE_ARRAY)
            continue;
        size_t gone = count * row_size(shape, data);
        shape->first->text = arena_printf(arena, "%lld", (long long)rows - (long long)count);
        drop(data, data->count > gone ? data->count - gone : 0, gone);
    }
}

struct tree *edit_apply(const struct tree *act, const struct edit *edit, struct arena *arena)
{
    struct tree *copy = tree_copy_whole(arena, act), *node = pointer_find(copy, edit->at);
    if (!node)
        return copy;
    bool has_children = node->type == TREE_ARRAY || node->type == TREE_OBJECT;
    if (edit->kind == EDIT_CUT)
        cut(node, edit->count, arena);
    else if (edit->kind == EDIT_DROP && has_children)
        drop(node, edit->from, edit->count);
    else if (edit->kind == EDIT_ZERO && node->type == TREE_ARRAY)
        zero(node, edit->from, edit->count);
    else if (edit->kind == EDIT_ROWS && node->type == TREE_ARRAY)
        cut_rows(node, edit->count, arena);
    return copy;
}
