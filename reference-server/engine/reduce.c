/* Operators that make one number of many along some axes: ReduceSum and so on, ArgMax, ArgMin. The input is arranged so
 * that the elements of each output lie in one row; mostly they do already. */
#include "base/count.h"
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

#define FIRST(TYPE) (*(const TYPE *)row)
#define GREATER     (x > sum || x != x ? x : sum) /* NaN stays */
#define LESS        (x < sum || x != x ? x : sum)

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
    REDUCE(max_##SUFFIX, TYPE, TYPE, FIRST(TYPE), GREATER, sum)                                                        \
    REDUCE(min_##SUFFIX, TYPE, TYPE, FIRST(TYPE), LESS, sum)

#define LOGARITHMS(SUFFIX, TYPE)                                                                                       \
    REDUCE(log_##SUFFIX, TYPE, double, 0, sum + x, logarithm(sum))                                                     \
    REDUCE(top_##SUFFIX, TYPE, double, (double)FIRST(TYPE), GREATER, sum)                                              \
    static void log_exp_##SUFFIX(const void *row, size_t count, void *out)                                             \
    {                                                                                                                  \
        TYPE top;                                                                                                      \
        top_##SUFFIX(row, count, &top);                                                                                \
        double sum = 0, base = isfinite(top) ? (double)top : 0;                                                        \
        for (size_t i = 0; i < count; i++)                                                                             \
            sum += exp((double)((const TYPE *)row)[i] - base);                                                         \
        *(TYPE *)out = (TYPE)(logarithm(sum) + base);                                                                  \
    }

EACH_REAL(FLOATS)
EACH_REAL(LOGARITHMS)
EACH_REAL(EXTREMES)
EACH_SIGNED(INTEGERS)
EACH_SIGNED(EXTREMES)
EACH_UNSIGNED(INTEGERS)
EACH_UNSIGNED(EXTREMES)

#define OF_NUMBERS(NAME) OF_REALS(NAME), OF_INTEGERS(NAME)

static const struct {
    const char *op_type;
    bool needs_elements; /* there is no result for an empty row */
    reduce *by_datatype[DATATYPE_COUNT];
} reductions[] = {
    {"ReduceSum", false, {OF_NUMBERS(sum)}},   {"ReduceMean", true, {OF_NUMBERS(mean)}},
    {"ReduceProd", false, {OF_NUMBERS(prod)}}, {"ReduceMax", true, {OF_NUMBERS(max)}},
    {"ReduceMin", true, {OF_NUMBERS(min)}},    {"ReduceL1", false, {OF_NUMBERS(l1)}},
    {"ReduceL2", false, {OF_REALS(l2)}},       {"ReduceSumSquare", false, {OF_NUMBERS(square)}},
    {"ReduceLogSum", false, {OF_REALS(log)}},  {"ReduceLogSumExp", true, {OF_REALS(log_exp)}},
};

static size_t reduction_of(const struct call *call)
{
    size_t i = 0;
    while (strcmp(reductions[i].op_type, call->node->op->name) != 0)
        i++;
    return i;
}

/* Says which axes are reduced. */
static struct status read_axes(const struct call *call, size_t rank, bool marked[TENSOR_RANK_MAX], bool *known)
{
    struct integers axes;
    struct status status = call_integers(call, "axes", 1, &axes);
    bool keeps_all = axes.count == 0 && node_int(call->node, "noop_with_empty_axes", 0);
    *known = axes.known;
    if (!is_ok(status) || !axes.known)
        return status;
    if (!mark_axes(axes.list, axes.count, rank, marked))
        return call_refuse(call, "its axes do not fit to %zu dimensions", rank);
    for (size_t i = 0; axes.count == 0 && i < rank; i++)
        marked[i] = !keeps_all;
    return STATUS_IS_OK;
}

static void reduced_shape(const struct call *call, const bool *marked, struct made *made)
{
    const struct type *in = &call->inputs[0].type;
    bool keeps = node_int(call->node, "keepdims", 1) != 0;
    made->rank = 0;
    for (size_t i = 0; i < in->rank; i++)
        if (!marked[i] || keeps)
            made->shape[made->rank++] = marked[i] ? 1 : in->shape[i];
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
    if (in_order)
        return in->data;
    row_major(move.shape, move.rank, move.to);
    void *rows = arena_alloc(call->arena, in->size);
    if (rows)
        move_elements(&move, in->data, rows, datatype_size(in->datatype));
    return rows;
}

struct status reduce_infer(const struct call *call, struct made *made)
{
    const struct type *in = &call->inputs[0].type;
    bool marked[TENSOR_RANK_MAX], known;
    if (!reductions[reduction_of(call)].by_datatype[in->datatype])
        return call_error(call, STATUS_UNIMPLEMENTED, "%s is not supported", datatype_name(in->datatype));
    if (in->rank == RANK_UNKNOWN)
        return STATUS_IS_OK;
    struct status status = read_axes(call, in->rank, marked, &known);
    if (is_ok(status) && known)
        reduced_shape(call, marked, made);
    return status;
}

struct status reduce_compute(const struct call *call)
{
    const struct tensor *in = call->inputs[0].tensor;
    struct tensor *out = call->outputs[0];
    size_t row = reduction_of(call), count, size = datatype_size(in->datatype);
    bool marked[TENSOR_RANK_MAX], known;
    struct status status = read_axes(call, in->rank, marked, &known);
    const char *rows = is_ok(status) ? rows_of(call, marked, &count) : NULL;
    if (!is_ok(status))
        return status;
    if (!rows)
        return status_no_memory();
    if (count == 0 && out->count && reductions[row].needs_elements)
        return call_refuse(call, "nothing to reduce in an input of shape %s",
                           shape_text(call->arena, in->shape, in->rank));
    for (size_t i = 0; i < out->count; i++)
        reductions[row].by_datatype[in->datatype](rows + i * count * size, count, (char *)out->data + i * size);
    return STATUS_IS_OK;
}

/* --- ArgMax, ArgMin --- */

typedef size_t find(const void *row, size_t count, bool least, bool last);

#define FIND(SUFFIX, TYPE)                                                                                             \
    static size_t find_##SUFFIX(const void *row, size_t count, bool least, bool last)                                  \
    {                                                                                                                  \
        const TYPE *list = row;                                                                                        \
        size_t best = 0;                                                                                               \
        for (size_t i = 1; i < count; i++)                                                                             \
            if ((least ? list[i] < list[best] : list[i] > list[best]) || (last && list[i] == list[best]))              \
                best = i;                                                                                              \
        return best;                                                                                                   \
    }

EACH_REAL(FIND)
EACH_SIGNED(FIND)
EACH_UNSIGNED(FIND)
static find *const finds[DATATYPE_COUNT] = {OF_NUMBERS(find)};

static struct status mark_one(const struct call *call, size_t rank, bool marked[TENSOR_RANK_MAX])
{
    size_t axis = 0;
    struct status status = call_axis(call, 0, rank, &axis);
    memset(marked, 0, TENSOR_RANK_MAX * sizeof(*marked));
    marked[axis] = true;
    return status;
}

struct status find_infer(const struct call *call, struct made *made)
{
    const struct type *in = &call->inputs[0].type;
    bool marked[TENSOR_RANK_MAX];
    made->datatype = DATATYPE_INT64;
    if (!finds[in->datatype])
        return call_error(call, STATUS_UNIMPLEMENTED, "%s is not supported", datatype_name(in->datatype));
    if (in->rank == RANK_UNKNOWN)
        return STATUS_IS_OK;
    struct status status = mark_one(call, in->rank, marked);
    if (is_ok(status))
        reduced_shape(call, marked, made);
    return status;
}

struct status find_compute(const struct call *call)
{
    const struct tensor *in = call->inputs[0].tensor;
    struct tensor *out = call->outputs[0];
    bool marked[TENSOR_RANK_MAX], least = strcmp(call->node->op->name, "ArgMin") == 0,
                                  last = node_int(call->node, "select_last_index", 0) != 0;
    size_t count;
    mark_one(call, in->rank, marked);
    const char *rows = rows_of(call, marked, &count);
    if (!rows)
        return status_no_memory();
    if (count == 0 && out->count)
        return call_refuse(call, "nothing to find in an input of shape %s",
                           shape_text(call->arena, in->shape, in->rank));
    for (size_t i = 0; i < out->count; i++)
        ((int64_t *)out->data)[i] =
            (int64_t)finds[in->datatype](rows + i * count * datatype_size(in->datatype), count, least, last);
    return STATUS_IS_OK;
}
