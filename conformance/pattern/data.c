/* Compares tensor data: elements as of their datatype, however they are nested. Part of the recursion of match.c. */
#include "pattern/matching.h"

#include "base/search.h"
#include "notation/codec.h"
#include "notation/element.h"
#include "support/memory.h"
#include "json/number.h"

#include <inttypes.h>

/* The leaves of nested lists, in order. */
struct leaves {
    const struct tree **items;
    size_t count;
};

static void gather_leaves(const struct tree *tree, struct arena *arena, struct leaves *leaves)
{
    if (tree->type == TREE_ARRAY) {
        FOR_EACH_IN(child, tree->first)
            gather_leaves(child, arena, leaves);
        return;
    }
    *array_add(leaves->items, leaves->count, arena) = tree;
}

static bool match_received_element(const struct matching *m, const struct value_place *at,
                                   const struct element *expected)
{
    struct element received;
    if (!element_read(at->value, m->datatype, ELEMENT_RECEIVED, &received))
        return m->why ? differ(m, at, "expected %s as %s, got %s", element_text(expected, m->arena).data,
                               datatype_name(m->datatype), tree_line(m, at->value))
                      : false;
    if (element_equal(expected, &received) || (m->likeness == LIKENESS_CLOSE && element_close(expected, &received)))
        return true;
    struct str left = m->why ? element_text(expected, m->arena) : STR(""), right = left;
    if (m->why)
        right = element_text(&received, m->arena);
    return differ(m, at, "expected %.*s, got %.*s", STR_ARG(left), STR_ARG(right));
}

/* Whether the element is NaN or infinite, or null, which some servers answer over REST instead. The requirement
 * number-answer judges that null; it is not judged here. */
static bool is_not_finite(const struct tree *tree, enum datatype datatype)
{
    struct element element;
    return tree->type == TREE_NULL ||
           (tree->type == TREE_STRING && element_read(tree, datatype, ELEMENT_RECEIVED, &element));
}

/* Whether one has U+FFFD, which servers put into JSON instead of what is no text, and the other is no text. */
static bool is_replaced(const struct tree *replaced, const struct tree *bytes)
{
    return replaced->type == TREE_STRING && bytes->type == TREE_STRING && str_is_utf8(replaced->text) &&
           !str_is_utf8(bytes->text) && memmem(replaced->text.data, replaced->text.size, "\xef\xbf\xbd", 3);
}

/* Whether JSON cannot express one of them, and the other is what servers answer over REST instead. */
static bool is_beyond_json(const struct tree *pattern, const struct tree *value, enum datatype datatype)
{
    if (datatype == DATATYPE_BYTES)
        return is_replaced(pattern, value) || is_replaced(value, pattern);
    return (pattern->type == TREE_NULL || value->type == TREE_NULL) && is_not_finite(pattern, datatype) &&
           is_not_finite(value, datatype);
}

bool match_element(const struct matching *m, const struct value_place *at, const struct tree *pattern)
{
    struct element expected;
    if (m->likeness == LIKENESS_CLOSE && is_beyond_json(pattern, at->value, m->datatype))
        return true;
    struct tree bytes = {.type = TREE_STRING};
    if (!m->literal && codec_is(pattern)) {
        if (!bytes_of(m, at, pattern, &bytes.text))
            return false;
        pattern = &bytes;
    }
    if (!element_read(pattern, m->datatype, ELEMENT_EXPECTED, &expected))
        return m->literal ? match_scalar(m, at, pattern)
                          : faulty(m, at, "%s is no %s", pattern_line(m, pattern), datatype_name(m->datatype));
    return match_received_element(m, at, &expected);
}

/* Compares with expected data that is a codec: the packed bytes of the tensor. */
static bool match_packed(const struct matching *m, const struct value_place *at, const struct tree *pattern,
                         const struct leaves *received)
{
    struct str packed;
    if (!bytes_of(m, at, pattern, &packed))
        return false;
    size_t count = 0;
    struct element expected;
    for (; packed.size; count++) {
        if (!element_unpack(&packed, m->datatype, &expected))
            return faulty(m, at, "its bytes are no whole elements of %s", datatype_name(m->datatype));
        if (count >= received->count)
            continue;
        const struct value_place here = {.parent = at, .index = count, .value = received->items[count]};
        if (!match_received_element(m, &here, &expected))
            return false;
    }
    return count == received->count || differ(m, at, "expected %zu elements, got %zu", count, received->count);
}

/* Compares tensor data. `pattern` is a list or a codec; m->datatype is known. */
bool match_data(const struct matching *m, const struct value_place *at, const struct tree *pattern)
{
    if (!at->value || at->value->type != TREE_ARRAY)
        return differ_values(m, at, pattern);
    struct leaves expected = {0}, received = {0};
    gather_leaves(at->value, m->arena, &received);
    if (pattern->type == TREE_OBJECT)
        return match_packed(m, at, pattern, &received);
    gather_leaves(pattern, m->arena, &expected);
    if (expected.count != received.count)
        return differ(m, at, "expected %zu elements, got %zu", expected.count, received.count);
    for (size_t i = 0; i < expected.count; i++) {
        const struct value_place here = {.parent = at, .index = i, .value = received.items[i]};
        if (!match_at(m, &here, expected.items[i]))
            return false;
    }
    return true;
}

bool match_ulps(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    const struct tree *distance = tree_at(argument, 0), *expected = tree_at(argument, 1);
    int64_t ulps;
    tree_to_int64(distance, &ulps);
    enum datatype datatype = m->datatype ? m->datatype : DATATYPE_FP64;
    if (!at->value)
        return differ(m, at, "expected %s, got nothing", tree_line(m, expected));
    struct leaves left = {0}, right = {0};
    gather_leaves(expected, m->arena, &left);
    gather_leaves(at->value, m->arena, &right);
    if (left.count != right.count)
        return differ(m, at, "expected %zu elements, got %zu", left.count, right.count);
    for (size_t i = 0; i < left.count; i++) {
        const struct value_place element = {.parent = at, .index = i};
        const struct value_place *here = at->value->type == TREE_ARRAY ? &element : at;
        struct element a, b;
        if (!element_read(left.items[i], datatype, ELEMENT_EXPECTED, &a))
            return faulty(m, here, "%s is no %s", tree_line(m, left.items[i]), datatype_name(datatype));
        if (!element_read(right.items[i], datatype, ELEMENT_RECEIVED, &b) || !element_within(&a, &b, (uint64_t)ulps))
            return differ(m, here, "expected %s within %" PRId64 " units in the last place, got %s",
                          tree_line(m, left.items[i]), ulps, tree_line(m, right.items[i]));
    }
    return true;
}

/* --- $tensor --- */

/* Reads the shape of a tensor and what it multiplies to. False if it is no list of unsigned integers, or if the product
 * does not fit; another requirement judges that. */
static bool read_shape(const struct tree *shape, uint64_t *elements)
{
    *elements = 1;
    if (!shape || shape->type != TREE_ARRAY)
        return false;
    FOR_EACH_IN(dimension, shape->first) {
        uint64_t size;
        if (dimension->type != TREE_NUMBER || !number_read_uint64(dimension->text, &size) ||
            __builtin_mul_overflow(*elements, size, elements))
            return false;
    }
    return true;
}

/* Whether the list holds no list. */
static bool is_flat(const struct tree *data)
{
    return ALL_IN(element, data->first, element->type != TREE_ARRAY);
}

/* Whether the lists follow the dimensions: each has as many elements as its dimension says, and those behind the last
 * dimension are no lists. */
static bool follows(const struct tree *data, const struct tree *dimension)
{
    uint64_t size;
    if (!dimension)
        return data->type != TREE_ARRAY;
    if (data->type != TREE_ARRAY || !number_read_uint64(dimension->text, &size) || size != data->count)
        return false;
    return ALL_IN(element, data->first, follows(element, dimension->next));
}

static bool match_filled(const struct matching *m, const struct value_place *at, const struct tree *shape,
                         uint64_t elements, const struct tree *data)
{
    struct leaves leaves = {0};
    gather_leaves(data, m->arena, &leaves);
    return leaves.count == elements || differ(m, at, "the shape %s has %" PRIu64 " elements, the data %zu",
                                              tree_line(m, shape), elements, leaves.count);
}

/* Whether the numbers in the data are values of the datatype. What is no number another requirement judges. */
static bool match_held(const struct matching *m, const struct value_place *at, enum datatype datatype,
                       const struct tree *data)
{
    struct leaves leaves = {0};
    gather_leaves(data, m->arena, &leaves);
    for (size_t i = 0; i < leaves.count; i++) {
        struct element element;
        if (leaves.items[i]->type == TREE_NUMBER &&
            !element_read(leaves.items[i], datatype, ELEMENT_RECEIVED, &element))
            return differ(m, at, "%s in the data is no value of %s", tree_line(m, leaves.items[i]),
                          datatype_name(datatype));
    }
    return true;
}

bool match_tensor(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    const struct tree *shape = tree_member(at->value, "shape"), *data = tree_member(at->value, "data");
    enum datatype datatype = datatype_from_name(tree_text(at->value, "datatype"));
    bool filled = str_is(argument->text, "filled"), held = str_is(argument->text, "held");
    uint64_t elements;
    bool is_whole = read_shape(shape, &elements) && data && data->type == TREE_ARRAY;
    if (held && !is_whole)
        return true; /* the other two judge that */
    if (!is_whole)
        return differ(m, at, "expected a shape and a list of data, got %s", tree_line(m, at->value));
    if (filled)
        return match_filled(m, at, shape, elements, data);
    if (held)
        return datatype == DATATYPE_NONE || match_held(m, at, datatype, data);
    return is_flat(data) || follows(data, shape->first) ||
           differ(m, at, "the data is neither one flat list nor nested as the shape %s says: %s", tree_line(m, shape),
                  tree_line(m, data));
}
