/* Operators that make one number of many along some axes: ReduceSum and so on, ArgMax, ArgMin, Hardmax, CumSum. The
 * input is arranged so that the elements of each output lie in one row; mostly they do already. */
#include "engine/call.h"
#include "engine/families.h"
#include "engine/kernels.h"
#include "engine/move.h"

#include <math.h>

typedef void reduce(const void *row, size_t count, void *out);

#define REDUCE(NAME, TYPE, SUM, START, STEP, RESULT)                                                                   \
    static void NAME(const void *row, size_t count, void *out)                                                         \
    {                                                                                                                  \
        SUM sum = (START);                                                                                             \
        for (size_t i = 0; i < count; i++) {                                                                           \
            const SUM x = (SUM)((const TYPE *)row)[i];                                                                 \
            sum = (STEP);                                                                                              \
        }                                                                                                              \
        *(TYPE *)out = (TYPE)(RESULT);                                                                                 \
    }

static double logarithm(double x)
{
    return x == 0 ? -(double)INFINITY : log(x);
}

#define HEAD(TYPE) (*(const TYPE *)row)
#define GREATER    (x > sum || x != x ? x : sum) /* NaN stays */
#define LESS       (x < sum || x != x ? x : sum)

#define FLOATS(SUFFIX, TYPE)                                                                                           \
    REDUCE(sum_##SUFFIX, TYPE, double, 0, sum + x, sum)                                                                \
    REDUCE(mean_##SUFFIX, TYPE, double, 0, sum + x, count ? sum / (double)count : 0)                                   \
    REDUCE(prod_##SUFFIX, TYPE, double, 1, sum *x, sum)                                                                \
    REDUCE(l1_##SUFFIX, TYPE, double, 0, sum + fabs(x), sum)                                                           \
    REDUCE(l2_##SUFFIX, TYPE, double, 0, sum + x * x, sqrt(sum))                                                       \
    REDUCE(square_##SUFFIX, TYPE, double, 0, sum + x * x, sum)

/* Integers wrap around; unsigned arithmetic does so by definition. */
#define IS_SIGNED(TYPE) ((TYPE)-1 < (TYPE)1)
#define INTEGERS(SUFFIX, TYPE)                                                                                         \
    REDUCE(sum_##SUFFIX, TYPE, uint64_t, 0, sum + x, sum)                                                              \
    REDUCE(mean_##SUFFIX, TYPE, uint64_t, 0, sum + x,                                                                  \
           !count            ? 0                                                                                       \
           : IS_SIGNED(TYPE) ? (uint64_t)((int64_t)sum / (int64_t)count)                                               \
                             : sum / count)                                                                            \
    REDUCE(prod_##SUFFIX, TYPE, uint64_t, 1, sum *x, sum)                                                              \
    REDUCE(l1_##SUFFIX, TYPE, uint64_t, 0, sum + (IS_SIGNED(TYPE) && (int64_t)x < 0 ? 0 - x : x), sum)                 \
    REDUCE(square_##SUFFIX, TYPE, uint64_t, 0, sum + x * x, sum)

#define EXTREMES(SUFFIX, TYPE)                                                                                         \
    REDUCE(max_##SUFFIX, TYPE, TYPE, HEAD(TYPE), GREATER, sum)                                                         \
    REDUCE(min_##SUFFIX, TYPE, TYPE, HEAD(TYPE), LESS, sum)

#define LOGARITHMS(SUFFIX, TYPE)                                                                                       \
    REDUCE(log_##SUFFIX, TYPE, double, 0, sum + x, logarithm(sum))                                                     \
    static void log_exp_##SUFFIX(const void *row, size_t count, void *out)                                             \
    {                                                                                                                  \
        TYPE top;                                                                                                      \
        max_##SUFFIX(row, count, &top);                                                                                \
        double sum = 0, base = isfinite(top) ? (double)top : 0;                                                        \
        for (size_t i = 0; i < count; i++)                                                                             \
            sum += exp((double)((const TYPE *)row)[i] - base);                                                         \
        *(TYPE *)out = (TYPE)(logarithm(sum) + base);                                                                  \
    }

/* Finds a position: that of the first or of the last of the best elements. */
#define POSITION(NAME, TYPE, BETTER)                                                                                   \
    static void NAME(const void *row, size_t count, void *out)                                                         \
    {                                                                                                                  \
        const TYPE *list = row;                                                                                        \
        size_t best = 0;                                                                                               \
        for (size_t i = 1; i < count; i++)                                                                             \
            if (list[i] BETTER list[best])                                                                             \
                best = i;                                                                                              \
        *(int64_t *)out = (int64_t)best;                                                                               \
    }
#define POSITIONS(SUFFIX, TYPE)                                                                                        \
    POSITION(first_max_##SUFFIX, TYPE, >)                                                                              \
    POSITION(last_max_##SUFFIX, TYPE, >=)                                                                              \
    POSITION(first_min_##SUFFIX, TYPE, <)                                                                              \
    POSITION(last_min_##SUFFIX, TYPE, <=)

EACH_REAL(FLOATS)
EACH_INTEGER(INTEGERS)
EACH_NUMBER(EXTREMES)
EACH_REAL(LOGARITHMS)
EACH_NUMBER(POSITIONS)

#define OF_NUMBERS(NAME) OF_REALS(NAME), OF_INTEGERS(NAME)

static const struct reduction {
    const char *op_type;
    bool needs_elements; /* there is no result for an empty row */
    bool finds;          /* it gives positions along one axis, INT64; the row after it is for select_last_index */
    reduce *by_datatype[DATATYPE_COUNT];
} reductions[] = {
    {"ArgMax", true, true, {OF_NUMBERS(first_max)}},  {"ArgMax", true, true, {OF_NUMBERS(last_max)}},
    {"ArgMin", true, true, {OF_NUMBERS(first_min)}},  {"ArgMin", true, true, {OF_NUMBERS(last_min)}},
    {"ReduceSum", false, false, {OF_NUMBERS(sum)}},   {"ReduceMean", true, false, {OF_NUMBERS(mean)}},
    {"ReduceProd", false, false, {OF_NUMBERS(prod)}}, {"ReduceMax", true, false, {OF_NUMBERS(max)}},
    {"ReduceMin", true, false, {OF_NUMBERS(min)}},    {"ReduceL1", false, false, {OF_NUMBERS(l1)}},
    {"ReduceL2", false, false, {OF_REALS(l2)}},       {"ReduceSumSquare", false, false, {OF_NUMBERS(square)}},
    {"ReduceLogSum", false, false, {OF_REALS(log)}},  {"ReduceLogSumExp", true, false, {OF_REALS(log_exp)}},
};

static const struct reduction *reduction_of(const struct call *call)
{
    const struct reduction *row = reductions;
    while (strcmp(row->op_type, call->node->op->name) != 0)
        row++;
    return row + (row->finds && node_int(call->node, "select_last_index", 0));
}

/* Gives the input as rows, one for each output element. */
static const void *rows_of(const struct call *call, const bool *marked, size_t *count)
{
    const struct tensor *in = call->inputs[0].tensor;
    int64_t steps[TENSOR_RANK_MAX];
    struct move move = {0};
    bool in_order = true, seen = false;
    *count = 1;
    row_major(in->shape, in->rank, steps);
    for (int part = 0; part < 2; part++)
        for (size_t i = 0; i < in->rank; i++) {
            if (marked[i] != (part == 1))
                continue;
            move.shape[move.rank] = in->shape[i];
            move.from[move.rank++] = steps[i];
            *count *= part ? (size_t)in->shape[i] : 1;
        }
    for (size_t i = 0; i < in->rank; i++) {
        in_order = in_order && (marked[i] || !seen || in->shape[i] == 1);
        seen |= marked[i];
    }
    if (in_order && in->size > 0)
        return in->data;
    row_major(move.shape, move.rank, move.to);
    void *rows = arena_alloc(call->arena, in->size);
    if (rows)
        move_elements(&move, in->data, rows, size_of(in));
    return rows;
}

INFER(reduce)
{
    const struct integers *axes = &call->list;
    const bool finds = call->node->op->axis != AXIS_NONE, keeps = node_int(call->node, "keepdims", 1) != 0,
               takes_all = axes->count == 0 && !node_int(call->node, "noop_with_empty_axes", 0);
    bool *marked = call->found; /* the axes that are reduced: one, or those of a list */
    if (!reduction_of(call)->by_datatype[in->datatype])
        return node_refuses_type(call->node, call->arena, in->datatype);
    made->rank = RANK_UNKNOWN;
    if (!finds && !axes->known)
        return STATUS_IS_OK;
    if (!mark_axes(axes->list, axes->count, in->rank, marked))
        return call_refuse(call, "its axes do not fit %zu dimensions", in->rank);
    made->rank = 0;
    for (size_t i = 0; i < in->rank; i++) {
        marked[i] |= finds ? i == call->axis : takes_all;
        if (!marked[i] || keeps)
            made->shape[made->rank++] = marked[i] ? 1 : in->shape[i];
    }
    return STATUS_IS_OK;
}

COMPUTE(reduce)
{
    const struct reduction *reduction = reduction_of(call);
    size_t count = 0;
    const char *rows = rows_of(call, call->found, &count);
    if (out->count == 0)
        return STATUS_IS_OK;
    NEED(rows);
    if (count == 0 && reduction->needs_elements)
        return call_refuse(call, "nothing to reduce in an input of shape %s", input_text(call, 0));
    for (size_t i = 0; i < out->count; i++)
        reduction->by_datatype[in->datatype](rows + i * count * size_of(in), count,
                                             (char *)out->data + i * size_of(out));
    return STATUS_IS_OK;
}

/* --- Along one axis, to an output like the input: Hardmax, CumSum --- */

COMPUTE(hardmax)
{
    const struct split split = split_at(in, call->axis);
    memset(out->data, 0, out->size);
    for (size_t i = 0; i < split.before * split.behind && out->size; i++) {
        const size_t first = i / split.behind * split.length * split.behind + i % split.behind;
        const float *from = (const float *)in->data + first;
        size_t best = 0;
        for (size_t at = split.behind; at < split.length * split.behind; at += split.behind)
            if (from[at] > from[best])
                best = at;
        ((float *)out->data)[first + best] = 1;
    }
    return STATUS_IS_OK;
}

INFER(cumsum)
{
    const struct integers *list = &call->list;
    int64_t *axis = FOUND(call, int64_t);
    if (!binary_kernel_of("Add", made->datatype))
        return node_refuses_type(call->node, call->arena, made->datatype);
    *axis = list->known && list->count == 1 ? list->list[0] : INT64_MAX;
    return !list->known || normalize_axis(axis, made->rank)
               ? STATUS_IS_OK
               : call_refuse(call, "its axis is not one of %zu dimensions", made->rank);
}

/* Each plane of elements after the axis is the sum of the one before it and of the input there, or, if it is
 * exclusive, of the input one plane earlier. */
COMPUTE(cumsum)
{
    const int64_t *axis = call->found;
    const char *from = in->data;
    char *to = out->data;
    binary_kernel *add = binary_kernel_of("Add", in->datatype);
    bool reverse = node_int(call->node, "reverse", 0) != 0, exclusive = node_int(call->node, "exclusive", 0) != 0;
    struct split split = split_at(in, (size_t)*axis);
    size_t plane = split.behind * size_of(in);
    for (size_t i = 0; i < split.before && out->count; i++)
        for (size_t j = 0; j < split.length; j++) {
            size_t at = (i * split.length + (reverse ? split.length - 1 - j : j)) * plane,
                   before = reverse ? at + plane : at - plane;
            if (j)
                add(to + before, 1, from + (exclusive ? before : at), 1, to + at, split.behind);
            else if (exclusive)
                memset(to + at, 0, plane);
            else
                memcpy(to + at, from + at, plane);
        }
    return STATUS_IS_OK;
}
