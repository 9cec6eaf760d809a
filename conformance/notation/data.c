#include "notation/data.h"
#include "notation/codec.h"
#include "notation/element.h"
#include "tensor/raw.h"
#include "json/number.h"

#include "base/search.h"

bool data_is(const struct tree *data)
{
    return data->type == TREE_ARRAY || (data->type == TREE_OBJECT && data->first != NULL &&
                                        data->first->name.size > 0 && data->first->name.data[0] == '$');
}

struct status data_raw(const struct tree *data, enum datatype datatype, struct arena *arena, struct buf *out)
{
    if (codec_is(data))
        return codec_bytes(data, data, ".", arena, out);
    if (data->type != TREE_ARRAY)
        return status_error(arena, STATUS_UNIMPLEMENTED, "data is no list");
    if (datatype == DATATYPE_NONE)
        return status_error(arena, STATUS_UNIMPLEMENTED, "the base's datatype is not known: its data cannot be packed");
    struct status status = codec_pack(datatype, data, arena, out);
    if (status.code == STATUS_OUT_OF_RANGE)
        status.code = STATUS_UNIMPLEMENTED;
    return status;
}

static bool spells_number(const struct tree *element, enum datatype datatype)
{
    bool may_spell = datatype_is_float(datatype) || datatype == DATATYPE_INT64 || datatype == DATATYPE_UINT64;
    return may_spell && element->type == TREE_STRING && element->text.size > 0 &&
           number_first(element->text) == element->text.size;
}

static struct status codec_text(const struct tree *codec, struct arena *arena, struct str *text)
{
    struct buf bytes = {0};
    struct status status = codec_bytes(codec, codec, ".", arena, &bytes);
    *text = arena_take(arena, &bytes);
    return status;
}

static struct status list_of(const struct tree *data, enum datatype datatype, struct arena *arena, struct tree **list)
{
    struct status status = STATUS_IS_OK;
    *list = tree_new(arena, TREE_ARRAY);
    for (const struct tree *element = data->first; element && is_ok(status); element = element->next) {
        struct tree *made;
        struct str text;
        if (codec_is(element)) {
            status = codec_text(element, arena, &text);
            made = tree_string(arena, text);
        } else if (element->type == TREE_ARRAY) {
            status = list_of(element, datatype, arena, &made);
        } else if (spells_number(element, datatype)) {
            made = tree_number(arena, element->text);
        } else {
            made = tree_copy(arena, element);
        }
        tree_append(*list, made);
    }
    return status;
}

struct status data_elements(const struct tree *data, enum datatype datatype, struct arena *arena, struct tree **list)
{
    struct str raw;
    if (!codec_is(data))
        return data->type == TREE_ARRAY ? list_of(data, datatype, arena, list)
                                        : status_error(arena, STATUS_UNIMPLEMENTED, "data is no list");
    struct status status = codec_text(data, arena, &raw);
    if (!is_ok(status))
        return status;
    status = data_of_raw(raw, datatype, ELEMENTS_MAX, arena, list);
    if (!is_ok(status))
        status.code = STATUS_UNIMPLEMENTED;
    return status;
}

/* --- From raw bytes to elements --- */

/* Counts the elements, which must be whole. */
static struct status count_raw(struct str bytes, enum datatype datatype, struct arena *arena, size_t *count)
{
    struct tensor tensor = {.name = STR("data"), .datatype = DATATYPE_BYTES};
    if (datatype == DATATYPE_NONE)
        return status_invalid(arena, "raw bytes of an unknown datatype");
    if (datatype == DATATYPE_BYTES) {
        struct status status = raw_read_tensor(bytes, &tensor, arena);
        *count = tensor.count;
        return status;
    }
    *count = bytes.size / datatype_size(datatype);
    return bytes.size % datatype_size(datatype) == 0
               ? STATUS_IS_OK
               : status_invalid(arena, "%zu raw bytes are no whole %s elements", bytes.size, datatype_name(datatype));
}

struct status data_of_raw(struct str bytes, enum datatype datatype, size_t most, struct arena *arena,
                          struct tree **list)
{
    size_t count = 0;
    struct status status = count_raw(bytes, datatype, arena, &count);
    *list = tree_new(arena, TREE_ARRAY);
    if (is_ok(status) && count > most)
        status = status_error(arena, STATUS_RESOURCE_EXHAUSTED, "%zu elements are more than are decoded", count);
    for (struct element element; is_ok(status) && element_unpack(&bytes, datatype, &element);)
        tree_append(*list, element_tree(&element, arena));
    return status;
}

/* --- Nesting --- */

static struct tree *take_first(struct tree *list)
{
    struct tree *element = list->first;
    list->first = element->next;
    if (list->first == NULL)
        list->last = NULL;
    list->count--;
    element->next = NULL;
    return element;
}

/* Takes `count` elements from the front of `list` and nests them as the rows of `shape`. The last row takes all that is
 * left. */
static struct tree *take_rows(struct tree *list, size_t count, const int64_t *shape, size_t rank, struct arena *arena)
{
    struct tree *rows = tree_new(arena, TREE_ARRAY);
    if (rank <= 1) {
        for (; count > 0; count--)
            tree_append(rows, take_first(list));
        return rows;
    }
    size_t row_size = 0, row_count = shape[0] > 0 ? (size_t)shape[0] : 0;
    shape_count(shape + 1, rank - 1, &row_size);
    for (size_t i = 0; i < row_count; i++) {
        if (row_size > 0 && count == 0)
            break;
        size_t taken = i + 1 == row_count || count < row_size ? count : row_size;
        tree_append(rows, take_rows(list, taken, shape + 1, rank - 1, arena));
        count -= taken;
    }
    return rows;
}

struct tree *data_nested(struct tree *list, const int64_t *shape, size_t rank, struct arena *arena)
{
    size_t held = 0;
    bool whole = shape_count(shape, rank, &held);
    if (rank <= 1 || !whole || (held == 0 && list->count > 0))
        return list;
    if (held > 0 && list->count == 0)
        return list; /* the shape has no row */
    return take_rows(list, list->count, shape, rank, arena);
}

struct tree *data_flat(const struct tree *data, struct arena *arena)
{
    if (data == NULL || data->type != TREE_ARRAY)
        return NULL;
    struct tree *flat = tree_new(arena, TREE_ARRAY);
    FOR_EACH_IN(element, data->first) {
        if (element->type != TREE_ARRAY) {
            tree_append(flat, tree_copy(arena, element));
            continue;
        }
        struct tree *inner = data_flat(element, arena); /* the JSON reader limits the depth */
        while (inner->count > 0)
            tree_append(flat, take_first(inner));
    }
    return flat;
}

bool data_shape(const struct tree *shape, int64_t dimensions[TENSOR_RANK_MAX], size_t *rank)
{
    *rank = 0;
    if (shape == NULL || shape->type != TREE_ARRAY || shape->count > TENSOR_RANK_MAX)
        return false;
    return !ANY_IN(dimension, shape->first,
                   dimension->type != TREE_NUMBER || !tree_to_int64(dimension, &dimensions[(*rank)++]));
}
