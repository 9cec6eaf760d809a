#include "notation/variables.h"

#include "base/search.h"
#include "support/percent.h"
#include "tree/pointer.h"

/* Finds the next "${...}" at or after `from`; false if there is none. `inside` gets the text between the braces. */
static bool next_reference(struct str text, size_t from, size_t *start, struct str *inside)
{
    for (size_t i = from; i + 1 < text.size; i++) {
        if (text.data[i] != '$' || text.data[i + 1] != '{')
            continue;
        struct str rest = str_from(text, i + 2);
        if (!str_has(rest, '}'))
            return false;
        *start = i;
        *inside = str_before(rest, '}');
        return true;
    }
    return false;
}

struct str variable_label(const struct tree *value)
{
    if (value->type == TREE_BOOL)
        return value->boolean ? STR("true") : STR("false");
    return value->type == TREE_STRING || value->type == TREE_NUMBER ? value->text : (struct str){NULL, 0};
}

static struct status find_variable(struct str name, const struct variables *variables, struct arena *arena,
                                   struct variable *variable)
{
    for (size_t i = 0; i < variables->count; i++)
        if (str_equal(variables->list[i].name, name)) {
            *variable = variables->list[i];
            return STATUS_IS_OK;
        }
    if (str_is(name, "found") && variables->found) {
        *variable = (struct variable){.name = name, .value = variables->found, .is_segment = true};
        return STATUS_IS_OK;
    }
    return status_invalid(arena, "${%s} has no value here", str_printable(arena, name));
}

/* Finds the value of the text between the braces. `label` replaces a reference inside a string. `value` replaces a
 * reference that stands alone; if it is NULL, the label does. */
static struct status look_up(struct str inside, const struct variables *variables, struct arena *arena,
                             struct str *label, const struct tree **value, bool *is_segment)
{
    struct str name = str_before(inside, ':');
    struct variable variable = {.name = name};
    struct status status = find_variable(name, variables, arena, &variable);
    if (!is_ok(status))
        return status;
    *label = variable.is_late ? arena_printf(arena, "${%.*s}", STR_ARG(inside)) : variable.label;
    *is_segment = variable.is_segment;
    *value = variable.value;
    if (variable.is_late || name.size == inside.size)
        return STATUS_IS_OK;
    const struct tree *part = pointer_look(variable.value, str_from(inside, name.size + 1));
    if (!part && variables->lenient && variable.value == variables->found) {
        static const struct tree nothing = {.type = TREE_NULL};
        *label = STR("");
        *value = &nothing;
        return STATUS_IS_OK;
    }
    if (!part)
        return status_error(arena, STATUS_NOT_FOUND, "${%s}: nothing is at that pointer in the value",
                            str_printable(arena, inside));
    *value = part;
    *label = variable_label(part);
    return STATUS_IS_OK;
}

/* Whether the place lies in the path of "METHOD /path ..." or "METHOD ${prefix}/path ...". */
static bool is_in_path(struct str text, size_t place)
{
    size_t i = 0;
    while (i < text.size && text.data[i] >= 'A' && text.data[i] <= 'Z')
        i++;
    if (i == 0 || i + 1 >= place || text.data[i] != ' ')
        return false;
    struct str path = str_from(text, i + 1);
    return (path.data[0] == '/' || str_starts(path, STR("${prefix}/"))) && !memchr(path.data, ' ', place - i - 1);
}

/* Replaces the variables in one text. */
static struct status resolve_text(struct str text, const struct variables *variables, struct arena *arena,
                                  struct str *resolved)
{
    size_t start, done = 0;
    struct str inside;
    if (!next_reference(text, 0, &start, &inside)) {
        *resolved = text;
        return STATUS_IS_OK;
    }
    struct buf out = {0};
    struct status status = STATUS_IS_OK;
    while (next_reference(text, done, &start, &inside)) {
        struct str label = {NULL, 0};
        const struct tree *value;
        bool is_segment = false;
        status = look_up(inside, variables, arena, &label, &value, &is_segment);
        if (!is_ok(status))
            break;
        if (is_segment && is_in_path(text, start))
            label = path_segment(label, arena);
        if (!label.data) {
            status = status_invalid(arena, "${%s} is a %s, which cannot stand inside a string",
                                    str_printable(arena, inside), value ? tree_type_name(value->type) : "null");
            break;
        }
        buf_append(&out, text.data + done, start - done);
        buf_append_str(&out, label);
        done = (size_t)(inside.data - text.data) + inside.size + 1;
    }
    buf_append_str(&out, str_from(text, done));
    *resolved = arena_take(arena, &out);
    return status;
}

static struct status resolve_string(const struct tree *tree, const struct variables *variables, struct arena *arena,
                                    struct tree **resolved)
{
    size_t start;
    struct str inside;
    if (next_reference(tree->text, 0, &start, &inside) && start == 0 && inside.size + 3 == tree->text.size) {
        struct str label = {NULL, 0};
        const struct tree *value;
        bool is_segment;
        struct status status = look_up(inside, variables, arena, &label, &value, &is_segment);
        if (is_ok(status))
            *resolved = value ? tree_copy(arena, value) : tree_string(arena, label);
        return status;
    }
    struct str text;
    struct status status = resolve_text(tree->text, variables, arena, &text);
    if (is_ok(status))
        *resolved = tree_string(arena, text);
    return status;
}

/* The [count, element] of an element {"$series": [count, element]}; NULL if it is another. */
static const struct tree *series_in(const struct tree *element)
{
    const struct tree *series = tree_member(element, "$series");
    return element->type == TREE_OBJECT && element->count == 1 ? series : NULL;
}

/* Appends the elements of a series to the list. */
static struct status append_series(const struct tree *series, const struct variables *variables, struct arena *arena,
                                   struct tree *list)
{
    int64_t count;
    const struct tree *element = tree_at(series, 1);
    struct variable *all = arena_alloc_zero(arena, variables->count + 1, sizeof *all);
    struct variables inner = {all, variables->count + 1, variables->found, variables->lenient};
    if (series->type != TREE_ARRAY || series->count != 2 || !tree_to_int64(series->first, &count) || count < 1 ||
        count > SERIES_MAX)
        return status_invalid(arena, "$series needs [a number up to %d, an element]", SERIES_MAX);
    if (variables->count > 0)
        memcpy(all + 1, variables->list, variables->count * sizeof *all);
    for (int64_t n = 0; n < count; n++) {
        struct tree *number = tree_int(arena, n), *part;
        all[0] = (struct variable){.name = STR("n"), .label = number->text, .value = number};
        struct status status = variables_resolve(element, &inner, arena, &part);
        if (!is_ok(status))
            return status;
        tree_append(list, part);
    }
    return STATUS_IS_OK;
}

struct status variables_resolve(const struct tree *tree, const struct variables *variables, struct arena *arena,
                                struct tree **resolved)
{
    if (tree->type == TREE_STRING)
        return resolve_string(tree, variables, arena, resolved);
    if (tree->type != TREE_ARRAY && tree->type != TREE_OBJECT) {
        *resolved = tree_copy(arena, tree);
        return STATUS_IS_OK;
    }
    struct tree *copy = tree_new(arena, tree->type);
    FOR_EACH_IN(child, tree->first) {
        struct tree *part;
        struct str name = child->name;
        if (tree->type == TREE_ARRAY && series_in(child)) {
            struct status status = append_series(series_in(child), variables, arena, copy);
            if (!is_ok(status))
                return status;
            continue;
        }
        struct status status = variables_resolve(child, variables, arena, &part);
        if (is_ok(status) && tree->type == TREE_OBJECT)
            status = resolve_text(child->name, variables, arena, &name);
        if (!is_ok(status))
            return status;
        if (tree->type == TREE_OBJECT)
            tree_add(copy, name, part);
        else
            tree_append(copy, part);
    }
    copy->span = tree->span;
    *resolved = copy;
    return STATUS_IS_OK;
}

static bool text_uses(struct str text, struct str name)
{
    size_t start, done = 0;
    struct str inside;
    while (next_reference(text, done, &start, &inside)) {
        if (str_equal(str_before(inside, ':'), name))
            return true;
        done = start + 2;
    }
    return false;
}

bool variables_used(const struct tree *tree, struct str name)
{
    if (tree->type == TREE_STRING && text_uses(tree->text, name))
        return true;
    return ANY_IN(child, tree->first, text_uses(child->name, name) || variables_used(child, name));
}
