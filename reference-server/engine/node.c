/* What all operator families use: attributes, types, shapes and errors. */
#include "base/search.h"
#include "engine/call.h"
#include "tensor/cast.h"

#include <stdio.h>

#define INTEGER_ROOM 24

struct status node_error(const struct node *node, struct arena *arena, enum status_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct str text = arena_vprintf(arena, format, arguments);
    va_end(arguments);
    const Onnx__NodeProto *source = node->source;
    bool is_named = source->name && source->name[0];
    return status_error(arena, code, "node '%s' (%s): %s",
                        str_printable(arena, str_of(is_named               ? source->name
                                                    : source->n_output > 0 ? source->output[0]
                                                                           : "")),
                        str_printable(arena, str_of(source->op_type)), text.data ? text.data : "out of memory");
}

bool type_is_known(const struct type *type, size_t *size)
{
    size_t count;
    return type && type->rank != RANK_UNKNOWN && type->datatype != DATATYPE_BYTES &&
           shape_count(type->shape, type->rank, &count) &&
           !__builtin_mul_overflow(count, datatype_size(type->datatype), size);
}

const Onnx__AttributeProto *node_attribute(const struct node *node, const char *name)
{
    Onnx__AttributeProto *const *list = node->source->attribute;
    return FIRST(i, node->source->n_attribute, list[i]->name && strcmp(list[i]->name, name) == 0, list[i], NULL);
}

int64_t node_int(const struct node *node, const char *name, int64_t otherwise)
{
    const Onnx__AttributeProto *attribute = node_attribute(node, name);
    return attribute ? attribute->i : otherwise;
}

float node_float(const struct node *node, const char *name, float otherwise)
{
    const Onnx__AttributeProto *attribute = node_attribute(node, name);
    return attribute ? attribute->f : otherwise;
}

struct str node_string(const struct node *node, const char *name, struct str otherwise)
{
    const Onnx__AttributeProto *attribute = node_attribute(node, name);
    return attribute ? (struct str){(const char *)attribute->s.data, attribute->s.len} : otherwise;
}

/* Returns what the row has after the name of an attribute: "" or "=VALUE|VALUE"; or NULL if it has not got the name.
 */
static const char *values_of(const struct node *node, const char *name)
{
    const size_t size = strlen(name);
    const char *list = node->op->list;
    if ((node->op->axis && strcmp(name, "axis") == 0) || (list && strcmp(name, list) == 0))
        return "";
    for (const char *const *known = node->op->attributes; known && *known; known++)
        if (strncmp(*known, name, size) == 0 && ((*known)[size] == '\0' || (*known)[size] == '='))
            return *known + size;
    return NULL;
}

/* Returns the value of a text or an integer as text. */
static struct str value_text(const Onnx__AttributeProto *attribute, char room[INTEGER_ROOM])
{
    return attribute->has_s ? (struct str){(const char *)attribute->s.data, attribute->s.len}
                            : (struct str){room, (size_t)snprintf(room, INTEGER_ROOM, "%lld", (long long)attribute->i)};
}

size_t node_choice(const struct node *node, const char *name)
{
    const Onnx__AttributeProto *attribute = node_attribute(node, name);
    const char *at = values_of(node, name);
    char room[INTEGER_ROOM];
    if (!attribute)
        return 0;
    for (size_t choice = 0; *at; choice++) {
        const size_t size = strcspn(++at, "|");
        if (str_equal(value_text(attribute, room), (struct str){at, size}))
            return choice;
        at += size;
    }
    return NO_CHOICE;
}

struct status node_check_attributes(const struct node *node, struct arena *arena)
{
    for (size_t i = 0; i < node->source->n_attribute; i++) {
        const Onnx__AttributeProto *attribute = node->source->attribute[i];
        const char *name = str_printable(arena, str_of(attribute->name)), *values = values_of(node, name);
        char room[INTEGER_ROOM];
        if (!values)
            return node_unsupported(node, arena, "attribute '%s' is not supported", name);
        if (!*values || node_choice(node, name) != NO_CHOICE)
            continue;
        const char *value = str_printable(arena, value_text(attribute, room));
        const struct str unsupported = arena_printf(arena, "!%s", value);
        bool is_of_onnx = unsupported.data && strstr(values, unsupported.data);
        return node_error(node, arena, is_of_onnx ? STATUS_UNIMPLEMENTED : STATUS_INVALID_ARGUMENT,
                          "attribute '%s' is '%s'%s", name, value, is_of_onnx ? ", which is not supported" : "");
    }
    return STATUS_IS_OK;
}

int64_t *shape_copy(const int64_t *shape, size_t rank, struct arena *arena)
{
    int64_t *copy = arena_alloc(arena, rank * sizeof(*copy));
    return copy && rank ? memcpy(copy, shape, rank * sizeof(*copy)) : copy;
}

bool tensor_make(struct tensor *output, enum datatype datatype, const int64_t *shape, size_t rank, struct arena *arena)
{
    size_t count, size;
    if (!shape_count(shape, rank, &count) || __builtin_mul_overflow(count, datatype_size(datatype), &size))
        return false;
    const int64_t *copy = shape_copy(shape, rank, arena);
    void *data = output->data && output->size >= size ? output->data : arena_alloc(arena, size);
    *output =
        (struct tensor){.datatype = datatype, .shape = copy, .rank = rank, .count = count, .data = data, .size = size};
    return copy && data;
}

bool normalize_axis(int64_t *axis, size_t rank)
{
    int64_t limit = (int64_t)rank;
    if (*axis < -limit || *axis >= limit)
        return false;
    if (*axis < 0)
        *axis += limit;
    return true;
}

bool shape_broadcast(const int64_t *a, size_t a_rank, const int64_t *b, size_t b_rank, int64_t *result)
{
    size_t rank = a_rank > b_rank ? a_rank : b_rank;
    for (size_t i = rank; i-- > 0;) { /* backwards, so that the result may replace a or b */
        int64_t x = i + a_rank < rank ? 1 : a[i + a_rank - rank];
        int64_t y = i + b_rank < rank ? 1 : b[i + b_rank - rank];
        if (x != y && x != 1 && y != 1 && x >= 0 && y >= 0)
            return false;
        result[i] = x == y ? x : x == 1 ? y : y == 1 ? x : x < 0 ? y : x;
    }
    return true;
}

const void *tensor_as(const struct tensor *tensor, enum datatype datatype, struct arena *arena)
{
    static const int64_t none;
    struct tensor made = *tensor;
    if (tensor->count == 0)
        return &none;
    return made.datatype == datatype || tensor_cast(&made, datatype, arena, &made) ? made.data : NULL;
}

bool dimensions_fit(const int64_t *a, const int64_t *b, size_t count)
{
    return ALL(i, count, a[i] == b[i] || a[i] < 0 || b[i] < 0);
}
