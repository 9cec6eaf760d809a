#include "notation/axes.h"

#include "support/expression.h"
#include "support/memory.h"

static struct status read_count(const struct tree *bounds, struct arena *arena, struct axis *axis)
{
    int64_t from, below;
    if (bounds->type != TREE_ARRAY || bounds->count != 2 || !tree_to_int64(bounds->first, &from) ||
        !tree_to_int64(bounds->last, &below) || from < 0 || below <= from || below - from > CHOICES_MAX)
        return status_invalid(arena, "$count of '%s' must be [from, below], 0 <= from < below, at most %d apart",
                              str_printable(arena, axis->name), CHOICES_MAX);
    axis->count = (size_t)(below - from);
    axis->values = arena_alloc_zero(arena, axis->count, sizeof *axis->values);
    for (size_t i = 0; i < axis->count; i++)
        axis->values[i] = (struct variable){.name = axis->name,
                                            .label = arena_printf(arena, "%lld", (long long)from + (long long)i),
                                            .value = tree_int(arena, (long long)from + (long long)i)};
    return STATUS_IS_OK;
}

static struct status read_values(const struct tree *values, struct arena *arena, struct axis *axis)
{
    axis->count = values->count;
    axis->values = arena_alloc_zero(arena, axis->count, sizeof *axis->values);
    size_t i = 0;
    for (const struct tree *value = values->first; value; value = value->next, i++) {
        struct str label = values->type == TREE_OBJECT ? value->name : variable_label(value);
        if (!expression_meets(STR("^[a-zA-Z0-9_.+-]+$"), label))
            return status_invalid(arena, "'%s' of '%s' cannot be a label: letters, digits, '_', '-', '.' and '+' can",
                                  str_printable(arena, label), str_printable(arena, axis->name));
        axis->values[i] = (struct variable){.name = axis->name, .label = label, .value = value};
    }
    return STATUS_IS_OK;
}

static struct status read_axis(const struct tree *member, const struct tree *tables, struct arena *arena,
                               struct axis *axis)
{
    const struct tree *values = member;
    axis->name = member->name;
    if (member->type == TREE_STRING) {
        if (!str_starts(member->text, STR("@")))
            return status_invalid(arena, "'%s' must be \"@TABLE\", values or $count", str_printable(arena, axis->name));
        values = tree_member_str(tables, str_from(member->text, 1));
        if (!values)
            return status_invalid(arena, "there is no fixtures/tables/%s.json",
                                  str_printable(arena, str_from(member->text, 1)));
    }
    const struct tree *count = tree_member(values, "$count");
    if (count)
        return read_count(count, arena, axis);
    if ((values->type != TREE_OBJECT && values->type != TREE_ARRAY) || values->count == 0)
        return status_invalid(arena, "'%s' has no values", str_printable(arena, axis->name));
    return read_values(values, arena, axis);
}

static int compare_axes(const void *a, const void *b)
{
    return str_compare(((const struct axis *)a)->name, ((const struct axis *)b)->name);
}

struct status axes_read(const struct tree *clause, const struct tree *tables, struct arena *arena, struct axes *axes)
{
    *axes = (struct axes){.choices = 1};
    if (!clause)
        return STATUS_IS_OK;
    if (clause->type != TREE_OBJECT)
        return status_invalid(arena, "must be an object, {NAME: values}");
    axes->list = arena_alloc_zero(arena, clause->count, sizeof *axes->list);
    FOR_EACH_IN(member, clause->first) {
        struct status status = read_axis(member, tables, arena, &axes->list[axes->count]);
        if (!is_ok(status))
            return status;
        axes->choices *= axes->list[axes->count++].count;
        if (axes->choices > CHOICES_MAX)
            return status_invalid(arena, "makes more than %d choices", CHOICES_MAX);
    }
    array_sort(axes->list, axes->count, compare_axes);
    return STATUS_IS_OK;
}

void axes_choose(const struct axes *axes, size_t choice, struct variable *variables)
{
    for (size_t i = axes->count; i-- > 0;) {
        variables[i] = axes->list[i].values[choice % axes->list[i].count];
        choice /= axes->list[i].count;
    }
}
