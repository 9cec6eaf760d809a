/* Operators whose outputs come from shapes or numbers: Shape, Size, ConstantOfShape, Range, Trilu. */
#include "engine/call.h"
#include "engine/families.h"
#include "engine/move.h"

#include <math.h>

/* --- Shape, Size --- */

/* The part of the shape that is wanted (attributes start and end, from opset 15 on). */
struct part {
    int64_t start, end;
};

INFER(shape)
{
    const int64_t limit = (int64_t)in->rank;
    struct part *part = FOUND(call, struct part);
    made->rank = 1;
    *part = (struct part){node_int(call->node, "start", 0), node_int(call->node, "end", limit)};
    for (int64_t *end = &part->start; end <= &part->end; end++) {
        *end += *end < 0 ? limit : 0;
        *end = *end < 0 ? 0 : *end > limit ? limit : *end;
    }
    made->shape[0] = part->end < part->start ? 0 : part->end - part->start;
    return STATUS_IS_OK;
}

COMPUTE(shape)
{
    const struct part *part = call->found;
    if (out->count)
        memcpy(out->data, in->shape + part->start, out->size);
    return STATUS_IS_OK;
}

INFER(size)
{
    made->rank = 0;
    return STATUS_IS_OK;
}

COMPUTE(size)
{
    size_t count = 0;
    shape_count(in->shape, in->rank, &count);
    *(int64_t *)out->data = (int64_t)count;
    return STATUS_IS_OK;
}

/* --- ConstantOfShape --- */

static struct status read_value(const struct call *call, struct tensor *value)
{
    static float zero;
    const Onnx__AttributeProto *attribute = node_attribute(call->node, "value");
    *value = (struct tensor){.datatype = DATATYPE_FP32, .count = 1, .data = &zero};
    if (attribute && !attribute->t)
        return call_refuse(call, "attribute 'value' is no tensor");
    if (attribute)
        TRY(weights_read(attribute->t, call->arena, value));
    return value->count == 1 && value->datatype != DATATYPE_BYTES
               ? STATUS_IS_OK
               : call_refuse(call, "a value of %zu %s", value->count, datatype_name(value->datatype));
}

INFER(constant_of_shape)
{
    struct integers shape;
    struct tensor *value = FOUND(call, struct tensor);
    TRY(read_value(call, value));
    TRY(call_integers(call, NULL, 0, &shape));
    made->datatype = value->datatype;
    made->rank = shape.known ? shape.count : RANK_UNKNOWN;
    size_t count;
    if (shape.known && !shape_count(shape.list, shape.count, &count))
        return call_refuse(call, "the shape is impossible");
    if (shape.count)
        memcpy(made->shape, shape.list, shape.count * sizeof(*shape.list));
    return STATUS_IS_OK;
}

COMPUTE(constant_of_shape)
{
    const struct tensor *value = call->found;
    fill(out, value->data);
    return STATUS_IS_OK;
}

/* --- Range --- */

INFER(range)
{
    double numbers[3]; /* from, to, and the step */
    *made = (struct made){made->datatype, 1, {-1}};
    for (size_t i = 0; i < 3; i++) {
        const struct tensor *given = call->inputs[i].tensor;
        if (!given)
            return STATUS_IS_OK;
        if (given->count != 1)
            return call_refuse(call, "its inputs are not three numbers");
        const double *number = tensor_as(given, DATATYPE_FP64, call->arena);
        NEED(number);
        numbers[i] = *number;
    }
    double count = ceil((numbers[1] - numbers[0]) / numbers[2]);
    if (numbers[2] == 0 || !(count < 1e15))
        return call_refuse(call, "from %g to %g in steps of %g", numbers[0], numbers[1], numbers[2]);
    made->shape[0] = count > 0 ? (int64_t)count : 0;
    return STATUS_IS_OK;
}

#define RANGE(TYPE, NUMBER)                                                                                            \
    for (size_t i = 0; i < out->count; i++)                                                                            \
    ((TYPE *)out->data)[i] =                                                                                           \
        (TYPE)((NUMBER) * (const TYPE *)in->data + (NUMBER)i * (NUMBER) * (const TYPE *)call->inputs[2].tensor->data)

COMPUTE(range)
{
    if (out->datatype == DATATYPE_FP32)
        RANGE(float, float);
    else if (out->datatype == DATATYPE_FP64)
        RANGE(double, double);
    else if (out->datatype == DATATYPE_INT32)
        RANGE(int32_t, uint64_t); /* wraps */
    else
        RANGE(int64_t, uint64_t);
    return STATUS_IS_OK;
}

/* --- Trilu: what is above a diagonal that begins `k` columns to the right, or below --- */

/* Returns the column of a row's element on the diagonal, or that of the nearest end: 0..columns. */
static int64_t diagonal(int64_t k, int64_t row, int64_t columns)
{
    int64_t column = k > columns ? columns : row + k;
    return column < 0 ? 0 : column > columns ? columns : column;
}

INFER(trilu)
{
    return call->list.list && call->list.count != 1 ? call_refuse(call, "%zu diagonals", call->list.count)
                                                    : STATUS_IS_OK;
}

COMPUTE(trilu)
{
    const int64_t rows = out->shape[out->rank - 2], columns = out->shape[out->rank - 1];
    const int64_t k = call->list.list ? call->list.list[0] : 0;
    bool upper = node_int(call->node, "upper", 1) != 0;
    char *row = out->data;
    if (out->size)
        memcpy(row, in->data, out->size);
    for (int64_t i = 0; i < (int64_t)out->count / (columns ? columns : 1); i++, row += (size_t)columns * size_of(out)) {
        int64_t below = diagonal(k, i % rows + !upper, columns); /* the elements before */
        memset(row + (upper ? 0 : (size_t)below * size_of(out)), 0,
               (size_t)(upper ? below : columns - below) * size_of(out));
    }
    return STATUS_IS_OK;
}
