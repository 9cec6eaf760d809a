/* Operators whose outputs come from shapes or numbers: Shape, Size, ConstantOfShape, Range, Trilu. */
#include "base/search.h"
#include "engine/call.h"
#include "engine/families.h"
#include "engine/move.h"

#include <math.h>

/* --- Shape, Size --- */

/* The part of the shape that is wanted (attributes start and end, from opset 15 on). */
static void read_part(const struct call *call, size_t rank, size_t *start, size_t *end)
{
    int64_t limit = (int64_t)rank, ends[2] = {node_int(call->node, "start", 0), node_int(call->node, "end", limit)};
    for (size_t i = 0; i < 2; i++) {
        ends[i] += ends[i] < 0 ? limit : 0;
        ends[i] = ends[i] < 0 ? 0 : ends[i] > limit ? limit : ends[i];
    }
    *start = (size_t)ends[0];
    *end = ends[1] < ends[0] ? *start : (size_t)ends[1];
}

struct status shape_infer(const struct call *call, struct made *made)
{
    size_t start, end;
    made->datatype = DATATYPE_INT64;
    made->rank = 1;
    made->shape[0] = -1;
    if (call->inputs[0].type.rank != RANK_UNKNOWN) {
        read_part(call, call->inputs[0].type.rank, &start, &end);
        made->shape[0] = (int64_t)(end - start);
    }
    return STATUS_IS_OK;
}

struct status shape_compute(const struct call *call)
{
    const struct type *in = &call->inputs[0].type;
    size_t start, end;
    read_part(call, in->rank, &start, &end);
    if (end > start)
        memcpy(call->outputs[0]->data, in->shape + start, (end - start) * sizeof(*in->shape));
    return STATUS_IS_OK;
}

struct status size_infer(const struct call *call, struct made *made)
{
    (void)call;
    made->datatype = DATATYPE_INT64;
    made->rank = 0;
    return STATUS_IS_OK;
}

struct status size_compute(const struct call *call)
{
    size_t count = 0;
    shape_count(call->inputs[0].type.shape, call->inputs[0].type.rank, &count);
    *(int64_t *)call->outputs[0]->data = (int64_t)count;
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
    struct status status = attribute ? weights_read(attribute->t, call->arena, value) : STATUS_IS_OK;
    if (is_ok(status) && (value->count != 1 || value->datatype == DATATYPE_BYTES))
        return call_refuse(call, "a value of %zu %s", value->count, datatype_name(value->datatype));
    return status;
}

struct status constant_of_shape_infer(const struct call *call, struct made *made)
{
    struct integers shape;
    struct tensor value;
    struct status status = read_value(call, &value);
    if (is_ok(status))
        status = call_integers(call, NULL, 0, &shape);
    if (!is_ok(status))
        return status;
    made->datatype = value.datatype;
    made->rank = RANK_UNKNOWN;
    size_t count;
    if (!shape.known)
        return STATUS_IS_OK;
    if (!shape_count(shape.list, shape.count, &count))
        return call_refuse(call, "the shape is impossible");
    made->rank = shape.count;
    memcpy(made->shape, shape.list, shape.count * sizeof(*shape.list));
    return STATUS_IS_OK;
}

struct status constant_of_shape_compute(const struct call *call)
{
    struct tensor value;
    struct status status = read_value(call, &value);
    if (is_ok(status))
        fill(call->outputs[0], value.data);
    return status;
}

/* --- Range --- */

struct status range_infer(const struct call *call, struct made *made)
{
    double numbers[3]; /* from, to, and the step */
    made->rank = 1;
    made->shape[0] = -1;
    for (size_t i = 0; i < 3; i++) {
        if (!call->inputs[i].tensor)
            return STATUS_IS_OK;
        if (call->inputs[i].tensor->count != 1)
            return call_refuse(call, "its inputs are not three numbers");
        const double *number = tensor_as(call->inputs[i].tensor, DATATYPE_FP64, call->arena);
        if (!number)
            return status_no_memory();
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
    ((TYPE *)out->data)[i] = (TYPE)((NUMBER) * (const TYPE *)call->inputs[0].tensor->data +                            \
                                    (NUMBER)i * (NUMBER) * (const TYPE *)call->inputs[2].tensor->data)

struct status range_compute(const struct call *call)
{
    struct tensor *out = call->outputs[0];
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

struct status trilu_infer(const struct call *call, struct made *made)
{
    struct integers k;
    struct status status = call_integers(call, NULL, 1, &k);
    if (is_ok(status) && k.known && k.list && k.count != 1)
        status = call_refuse(call, "%zu diagonals", k.count);
    (void)made; /* like the first input */
    return status;
}

struct status trilu_compute(const struct call *call)
{
    struct tensor *out = call->outputs[0];
    struct integers k;
    struct status status = call_integers(call, NULL, 1, &k);
    int64_t rows = out->shape[out->rank - 2], columns = out->shape[out->rank - 1];
    bool upper = node_int(call->node, "upper", 1) != 0;
    char *row = out->data;
    if (out->size)
        memcpy(row, call->inputs[0].tensor->data, out->size);
    for (int64_t i = 0; i < (int64_t)out->count / (columns ? columns : 1); i++, row += (size_t)columns * size_of(out)) {
        int64_t below = diagonal(k.list ? k.list[0] : 0, i % rows + !upper, columns); /* the elements before */
        memset(row + (upper ? 0 : (size_t)below * size_of(out)), 0,
               (size_t)(upper ? below : columns - below) * size_of(out));
    }
    return status;
}
