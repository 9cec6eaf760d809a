#include "probe/classes.h"

#include "base/search.h"
#include "notation/data.h"
#include "notation/element.h"

#include <stdlib.h>

#define ELEMENTS   ((size_t)1024) /* with more, classes are not looked at */
#define ALL_LISTED ((size_t)64)   /* with more, only the largest is */

struct ranked {
    struct element element;
    long double value;
    size_t index;
};

static int larger_first(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    return left->value != right->value ? (left->value < right->value ? 1 : -1)
                                       : (left->index > right->index) - (left->index < right->index);
}

static bool is_whole(enum datatype datatype)
{
    return datatype != DATATYPE_NONE && datatype != DATATYPE_BOOL && datatype != DATATYPE_BYTES &&
           !datatype_is_float(datatype);
}

/* Whether the shape has a last dimension, and others before it, which are 1: whatever a server takes for the batch, all
 * elements are classes of the same list. */
static bool is_one_row(const struct tree *shape)
{
    int64_t dimensions[TENSOR_RANK_MAX];
    size_t rank;
    if (!shape || !data_shape(shape, dimensions, &rank) || rank < 2)
        return false;
    return ALL(i, rank - 1, dimensions[i] == 1);
}

/* Reads the elements, sorted. Returns how many there are; 0 if they cannot be sorted into classes. */
static size_t rank_elements(const struct tree *output, struct ranked ranked[ELEMENTS], struct arena *arena)
{
    const struct tree *data = tree_member(output, "data");
    enum datatype datatype = datatype_from_name(tree_text(output, "datatype"));
    bool sorts = is_whole(datatype) || datatype == DATATYPE_FP32 || datatype == DATATYPE_FP64;
    size_t count = 0;
    if (!sorts || !is_one_row(tree_member(output, "shape")) || data->type != TREE_ARRAY || data->count > ELEMENTS)
        return 0;
    for (const struct tree *at = data->first; at; at = at->next, count++) {
        struct ranked *one = &ranked[count];
        if (at->type != TREE_NUMBER || !element_read(at, datatype, ELEMENT_RECEIVED, &one->element))
            return 0;
        one->value = strtold(arena_copy(arena, at->text).data, NULL);
        one->index = count;
    }
    qsort(ranked, count, sizeof *ranked, larger_first);
    return count;
}

/* Appends a pattern over the number of decimal digits in `text`: as it is, with a fraction of zeros, or an exponent. */
static void append_whole(struct buf *pattern, struct str text)
{
    size_t first = text.data[0] == '-', last = text.size - 1;
    while (last > first && text.data[last] == '0')
        last--;
    buf_printf(pattern, "%.*s(%.*s([.]0*)?|%c%s%.*s0*[eE][+]?0*%zu)", (int)first, text.data,
               STR_ARG(str_from(text, first)), text.data[first], last > first ? "[.]" : "[.]?", (int)(last - first),
               text.data + first + 1, text.size - first - 1);
}

/* Returns the pattern over the class of that rank: VALUE:INDEX or VALUE:INDEX:LABEL. How a float is spelled is not
 * looked at. */
static struct tree *class_pattern(const struct ranked *ranked, size_t count, size_t rank, struct arena *arena)
{
    const struct ranked *one = &ranked[rank];
    struct buf text = {0};
    buf_append_literal(&text, "^");
    if (is_whole(one->element.datatype))
        append_whole(&text, element_text(&one->element, arena));
    else
        buf_append_literal(&text, "[^:]+");
    buf_append_literal(&text, ":(");
    const char *separator = "";
    for (size_t i = 0; i < count; i++)
        if (ranked[i].value == one->value || element_close(&ranked[i].element, &one->element)) {
            buf_printf(&text, "%s%zu", separator, ranked[i].index);
            separator = "|";
        }
    buf_append_literal(&text, ")(:|$)");
    return tree_object(arena, {"$match", tree_string(arena, arena_take(arena, &text))});
}

struct tree *classes_of(const struct tree *output, struct arena *arena)
{
    struct tree *all = tree_new(arena, TREE_ARRAY);
    struct ranked *ranked = arena_alloc_zero(arena, ELEMENTS, sizeof *ranked);
    size_t count = output && tree_member(output, "data") ? rank_elements(output, ranked, arena) : 0;
    for (size_t i = 0; i < count && count <= ALL_LISTED; i++)
        tree_append(all, class_pattern(ranked, count, i, arena));
    struct tree *top = count ? class_pattern(ranked, count, 0, arena) : tree_new(arena, TREE_NULL);
    return tree_object(arena, {"count", tree_uint(arena, count)}, {"top", top}, {"all", all});
}
